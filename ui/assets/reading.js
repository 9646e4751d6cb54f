// What the lines say, in one plain sentence: [bold, rest].

import { armOf, capital, figure, labelOf, placeName, splitOf } from "./words.js";

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** +1 rising, -1 falling, 0 flat: the last fifth of the points against the fifth before. */
function trend(points) {
  const values = points.map(([, value]) => value), size = Math.max(1, Math.floor(values.length / 5));
  if (values.length < 4) return null;
  const change = mean(values.slice(-size)) - mean(values.slice(-2 * size, -size));
  const spread = Math.max(...values) - Math.min(...values);
  return Math.abs(change) <= 0.01 * spread ? 0 : Math.sign(change);
}

/** The best point, first of equals. */
export function best(points, isLowBest) {
  let found = null;
  for (const point of points) {
    if (!found || (isLowBest ? point[1] < found[1] : point[1] > found[1])) found = point;
  }
  return found;
}

/** Where validation turned for the worse, or null: the loss since must stand out of the noise. */
function turn(points, isLowBest) {
  const top = best(points, isLowBest);
  if (!top || points.length < 6) return null;
  const after = points.slice(points.indexOf(top) + 1);
  if (after.length < Math.max(3, points.length / 20)) return null;
  const values = points.map(([, value]) => value);
  const jumps = values.slice(1).map((value, i) => Math.abs(value - values[i])).sort((a, b) => a - b);
  const noise = jumps[jumps.length >> 1], spread = Math.max(...values) - Math.min(...values);
  const now = mean(after.slice(-Math.ceil(after.length / 4)).map(([, value]) => value));
  return Math.abs(now - top[1]) > Math.max(0.03 * spread, 2 * noise) ? top : null;
}

function lost(table, axis) {
  for (const [i, name] of table.names.entries()) {
    const row = table.columns[i].findIndex((value) => value !== undefined && !Number.isFinite(value));
    if (row >= 0) return { name, where: placeName(table.xs[row], axis), value: Number.isNaN(table.columns[i][row]) ? "not a number (NaN)" : "infinite" };
  }
  return null;
}

/** Two lines of one model, training and validation. */
function pair(train, val, { chart, axis, isLowBest, isLive }) {
  const better = isLowBest ? -1 : 1, ways = { training: trend(train), validation: trend(val) };
  const fell = isLowBest ? "risen" : "fallen", turned = turn(val, isLowBest);
  if (turned) {
    const why = ways.training === -better ? "training got worse as well" : "the model overfits";
    return [`Validation has ${fell} since ${placeName(turned[0], axis)}`, `: ${why}.`];
  }
  if (ways.training === null || ways.validation === null) return null;
  const both = isLowBest ? "Both losses are falling" : `Both lines of ${chart} are rising`;
  if (ways.training === better && ways.validation === better) {
    const gap = Math.abs(val.at(-1)[1] - train.at(-1)[1]);
    return [both, `, ${figure(gap)} apart ${isLive ? "now" : "at the end"}.`];
  }
  if (ways.training === better) {
    return [`Only training still ${isLowBest ? "falls" : "rises"}`, "; validation has come to rest."];
  }
  if (ways.training === 0 && ways.validation === 0) {
    return ["Both lines are flat", ": more of the same training changes little."];
  }
  return null;
}

/** Where each line stands now, arm by arm; the first arm bold. */
function standing(table, labels) {
  const arms = new Map(); // the words before a label's comma -> what follows, with its last value
  for (const name of table.names) {
    const last = table.points(name).at(-1), [arm, ...rest] = labelOf(name, labels).split(", ");
    if (!last) continue;
    const told = `${rest.join(", ") || arm} ${figure(last[1])}`, head = rest.length ? arm : "";
    arms.set(head, [...(arms.get(head) ?? []), told]);
  }
  const parts = [...arms].map(([arm, told]) => `${arm ? `${arm}: ` : ""}${told.join(", ")}`);
  if (!parts.length) return ["Nothing measured yet.", ""];
  return [capital(parts[0]), `${parts.slice(1).map((part) => `; ${part}`).join("")}.`];
}

/** The sentence under the chart. `scene` has table, axis, labels, chart, isLowBest, flagWords, hasRun. */
export function reading(scene) {
  const { table, axis, labels, hasRun } = scene;
  if (!hasRun) return ["Nothing has run yet.", scene.flagWords ? ` ${scene.flagWords}` : ""];
  if (!table.names.length) return ["No point yet.", " The first one comes in a moment."];
  const wrong = lost(table, axis);
  if (wrong) {
    const line = labelOf(wrong.name, labels);
    return [`${capital(line)} is ${wrong.value} since ${wrong.where}`, ": training has diverged."];
  }
  const plain = table.names.filter((name) => !armOf(name));
  const [train, val] = ["train", "val"].map((split) => plain.find((name) => splitOf(name) === split));
  const told = train && val && pair(table.points(train), table.points(val), scene);
  return told || standing(table, labels);
}
