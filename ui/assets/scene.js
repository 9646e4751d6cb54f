// Turns what is known (data from the page, events of the run, the reader's choices) into what is drawn.

import { best } from "./reading.js";
import { inFront, styles } from "./style.js";
import { placeOf, placer, smooth } from "./table.js";
import { armOf, AXES, epochSteps, figure, labelOf, place, splitOf } from "./words.js";

const ENDED = ["stopped", "failed", "finished"];
const NEVER = { run: null, plan: {}, lines: { byName: new Map(), edition: 0 }, status: null, step: 0, seconds: 0 };

export function build({ data, entry: known, table, choices, colours }) {
  const entry = planned(known ?? NEVER, data), { axis } = choices;
  const names = namesOf(entry, data);
  table.update(entry, names, axis);
  const word = entry.status?.word, scene = {
    data, table, names, axis, colours, word, chart: data.chart, labels: data.labels, height: data.height,
    isLog: choices.isLog, isLowBest: data.is_low_best, hasRun: Boolean(data.run), hasLines: table.xs.length > 0,
    axisTitle: axis === "seconds" ? "seconds" : axis, isLive: ["running", "paused", "starting"].includes(word),
    styles: styles(names, inFront(names, entry, data.highlight), Boolean(data.highlight), data.beneath), bands: [], columns: table.drawn,
    reading: entry.reading, placeOf: (name, step) => spotOf(entry, name, step, axis),
    font: (size, weight = 400) => `${weight} ${size}px ${colours.font}`,
  };
  scene.expected = choices.hasBand && axis !== "seconds" ? expected(scene, entry) : [];
  if (choices.smoothing > 0) soften(scene, choices.smoothing);
  const every = ends(scene);
  scene.ends = every.filter(({ isGrey }) => !isGrey);
  scene.greys = every.filter(({ isGrey }) => isGrey);
  scene.crosses = crosses(scene, word);
  scene.ceilings = (data.ceilings ?? []).map(({ value, label, origin }) => ({ value, text: `${label} (${origin})` }));
  guess(scene, entry);
  const picked = data.can_pick && typeof data.picked === "number" ? placeOf(entry, table, data.picked, axis) : null;
  scene.picked = picked === null ? null : { at: picked, text: `step ${data.picked}` };
  scene.notes = (entry.samples?.marks ?? []).map(([step, text]) => ({ x: xOf(step, scene, entry), text }));
  Object.assign(scene, { xRange: xRange(scene, entry), yRange: yRange(scene) });
  return scene;
}

/** Before a run has said its plan, that of the recorded ones holds: they were set alike. */
const planned = (entry, { band }) => (Object.keys(entry.plan).length || !band ? entry : { ...entry, plan: band.plan });

/** The recorded band behind each line that is drawn in full: before the first point, behind each that will come. */
function expected({ data, names, styles: looks, axis }, entry) {
  const lines = Object.entries(data.band?.lines ?? {});
  const wanted = lines.filter(([name]) => (names.length ? names.includes(name) : data.metrics?.includes(name) ?? true) && !looks.get(name)?.isGrey);
  return wanted.map(([name, { steps, low, mid, high }]) => {
    const place = placer({ ...entry, plan: data.band.plan }, name, axis); // another seed may have shorter epochs
    return { name, xs: steps.map((step) => place(step)), low, mid, high };
  });
}

/** Where a step of a line stands on the axis. */
function spotOf(entry, name, step, axis) {
  const { steps, seconds } = entry.lines.byName.get(name) ?? { steps: [], seconds: [] };
  const at = steps.findIndex((known) => known >= step);
  return placer(entry, name, axis)(step, seconds.at(at));
}

/** The metrics of this chart, arm by arm, training first. */
function namesOf(entry, { chart, metrics }) {
  const order = (name) => ["train", "val", "test"].indexOf(splitOf(name)) & 7;
  const mine = [...entry.lines.byName.keys()].filter((name) => name.split("/")[1] === chart);
  const wanted = metrics ? mine.filter((name) => metrics.includes(name)) : mine;
  const arms = [...new Set([...Object.keys(entry.plan.arms ?? {}), ...wanted.map(armOf)])];
  return wanted.sort((a, b) => arms.indexOf(armOf(a)) - arms.indexOf(armOf(b)) || order(a) - order(b));
}

function soften(scene, weight) {
  const soft = scene.table.drawn.map((values) => smooth(values, weight));
  scene.columns = soft.map(({ line }) => line);
  scene.bands = soft.map(({ low, high }, i) => {
    return { xs: scene.table.xs, low, high, colour: scene.styles.get(scene.names[i]).colour };
  });
}

function ends({ names, columns, table, styles: looks, labels }) {
  const found = [];
  names.forEach((name, i) => {
    const points = [];
    columns[i].forEach((value, row) => value !== undefined && points.push([table.xs[row], value]));
    if (!points.length) return;
    const [x, y] = points.at(-1);
    const { colour, dash, isGrey } = looks.get(name);
    found.push({ name, x, y, points, colour, dash, isGrey, text: labelOf(name, labels) });
  });
  return found;
}

/** Where a line broke off: the run failed, or the values are no numbers any more. */
function crosses({ ends: last, table, names }, word) {
  const broken = last.filter(({ name }) => {
    const values = table.columns[names.indexOf(name)];
    return word === "failed" || values.some((value) => value !== undefined && !Number.isFinite(value));
  });
  return broken.map(({ x, y }) => ({ x, y }));
}

/** The learner's flag, the best step, and the gap between them once the run has ended. */
function guess(scene, entry) {
  const { data, table, word } = scene, mark = data.flag ?? data.level;
  const points = table.points(truthOf(scene)), isVertical = !data.level;
  const isAbout = mark || !armOf(truthOf(scene) ?? ""); // of many arms, none is the best unasked
  const hasEnded = ENDED.includes(word) && points.length > 0 && isAbout && data.has_best !== false;
  const found = isVertical ? best(points, scene.isLowBest) : points.at(-1);
  if (hasEnded) {
    const [x, y] = found, where = isVertical ? spot(x, scene) : figure(y);
    const [sure, yet] = isVertical ? ["best", "best so far"] : ["it was", "so far"];
    scene.best = { x, y, text: `${word === "finished" ? sure : yet} ${where}` };
  }
  const at = mark && (isVertical ? moved(mark.value, scene, entry) : mark.value);
  if (!mark || at === null) return;
  const said = isVertical ? spot(at, scene) : figure(at);
  scene.flag = { isVertical, at, isSet: mark.is_set, lines: [`you: ${said}`] };
  scene.flagWords = `Your ${isVertical ? `flag stands at ${scene.axis}` : "bar stands at"} ${said}.`;
  if (word !== "finished" || !hasEnded || !mark.is_set) return;
  const truth = isVertical ? found[0] : found[1];
  scene.gap = { isVertical, from: truth, to: at };
  const isAsked = data.gap && (!isVertical || scene.axis === data.x);
  scene.verdict = isAsked ? inWords(at - truth, data.gap) : verdict(at - truth, scene, isVertical);
  scene.flag.lines = [`you said ${said}`, scene.verdict];
}

const spot = (x, { axis }) => (axis === "seconds" ? `${place(x)} s` : place(x));

function verdict(off, { axis }, isVertical) {
  const shown = isVertical ? place(Math.abs(off)) : figure(Math.abs(off));
  if (Number(shown) === 0) return "exactly right";
  const [one, many] = axis === "seconds" ? ["s", "s"] : AXES[axis];
  if (isVertical) return `${shown} ${shown === "1" ? one : many} too ${off > 0 ? "late" : "early"}`;
  return `${shown} too ${off > 0 ? "high" : "low"}`;
}

/** The same in the lesson's own words, where it has some for this axis. */
function inWords(off, { one, many, above, below, scale, digits }) {
  const size = Number(Math.abs(off * scale).toFixed(digits));
  return size === 0 ? "exactly right" : `${size} ${size === 1 ? one : many} ${off > 0 ? above : below}`;
}

/** The metric that the flag is about. */
const truthOf = ({ data, names }) => data.truth ?? names.find((name) => splitOf(name) === "val") ?? names[0];

/** A flag planted on one axis, placed on another; null where that place is not known yet. */
function moved(value, { data, axis, table }, entry) {
  if (axis === data.x) return value;
  const perEpoch = epochSteps(entry.plan, armOf(data.truth ?? "")), step = data.x === "epoch" ? value * perEpoch : value;
  if (axis === "step") return step;
  if (axis === "epoch") return step / perEpoch;
  const line = entry.lines.byName.get(table.names.find((name) => name === data.truth) ?? table.names[0]);
  const row = line ? line.steps.findIndex((known) => known >= step) : -1;
  return row < 0 ? null : line.seconds[row];
}

/** Where a step of the run lies on the axis; by the clock, where any line has its next point. */
function xOf(step, { axis }, entry) {
  if (axis !== "seconds") return axis === "epoch" ? step / epochSteps(entry.plan, "") : step;
  const later = [...entry.lines.byName.values()].flatMap(({ steps, seconds }) => {
    const row = steps.findIndex((known) => known >= step);
    return row < 0 ? [] : [[steps[row], seconds[row]]];
  });
  return later.length ? later.sort((a, b) => a[0] - b[0])[0][1] : NaN;
}

function xRange({ data, axis, table }, entry) {
  const { steps, steps_per_epoch: perEpoch } = entry.plan, last = table.xs.at(-1) ?? 0;
  const planned = axis === "seconds" || !steps || (axis === "epoch" && !perEpoch) ? 0 : longest(entry.plan, axis);
  const low = axis === data.x ? data.x_range?.[0] ?? 0 : 0;
  const asked = axis === data.x ? data.x_range?.[1] : 0;
  const gone = axis === "seconds" && data.x === axis ? entry.seconds : 0; // charts of a run share the clock
  const high = Math.max(planned || asked || 0, last, gone, low + 1e-9);
  return [low, high > low + 1e-6 ? high : low + 10];
}

/** The length of the longest arm, in epochs or steps. */
function longest(plan, axis) {
  const arms = Object.entries({ ...(Object.keys(plan.arms ?? {}).length ? plan.arms : { "": 0 }) }).sort((a, b) => a[1] - b[1]);
  const lengths = arms.map(([name, start], i) => {
    return ((arms[i + 1]?.[1] ?? plan.steps) - start) / (axis === "epoch" ? epochSteps(plan, name) : 1);
  });
  return Math.max(...lengths);
}

/** The coming range that the page gave, wider where the lines go beyond it. */
function yRange({ data, table, isLog, ceilings, flag, expected: bands }) {
  let [low, high] = data.y_range ?? [Infinity, -Infinity];
  if (!isLog) for (const band of bands) [low, high] = [Math.min(low, ...band.low), Math.max(high, ...band.high)];
  for (const value of table.drawn.flat()) {
    if (value === undefined || (isLog && value <= 0)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (isLog) {
    const positive = table.drawn.flat().filter((value) => value > 0);
    if (!positive.length) return [0.1, 10];
    low = Math.min(...positive);
    return [low * 0.8, high * 1.2];
  }
  const levels = [...ceilings.map(({ value }) => value), flag && !flag.isVertical ? flag.at : NaN];
  for (const value of levels.filter(Number.isFinite)) [low, high] = [Math.min(low, value), Math.max(high, value)];
  if (!Number.isFinite(low)) return [0, 1];
  const room = data.y_range ? 0 : 0.06 * (high - low || 1);
  return [low - room, high > (data.y_range?.[1] ?? Infinity) ? high + 0.04 * (high - low) : high + room];
}
