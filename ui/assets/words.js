// Names, figures and sentences about a run's state.

const SPLITS = { train: "training", val: "validation", test: "test", unseen: "unseen devices" };
export const AXES = { epoch: ["epoch", "epochs"], step: ["step", "steps"], seconds: ["second", "seconds"] };

export const splitOf = (name) => name.split("/")[0].split(".").at(-1);
export const armOf = (name) => (name.split("/")[0].includes(".") ? name.split(".")[0] : "");

/** Steps an epoch: of this arm, where arms learn from more or fewer rows. */
export const epochSteps = ({ epoch_steps: byArm, steps_per_epoch: usual }, arm) => byArm?.[arm] || usual || 1;

/** The word at a line's end: what the page says, or else one made from the metric's name. */
export function labelOf(name, labels) {
  if (labels?.[name]) return labels[name];
  const split = SPLITS[splitOf(name)] ?? splitOf(name);
  const arm = armOf(name).replaceAll("_", " ");
  return arm ? `${arm}, ${split}` : split;
}

const grouped = (value, digits) =>
  value.toLocaleString("en-US", { maximumFractionDigits: digits, minimumFractionDigits: 0 });

/** A figure to read: three digits that count. */
export function figure(value) {
  if (!Number.isFinite(value)) return "not a number";
  if (Math.abs(value) >= 100) return grouped(value, 0);
  if (value !== 0 && Math.abs(value) < 0.001) return value.toExponential(1);
  return Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(Math.abs(value) < 0.1 ? 3 : 2);
}

/** A figure to copy: as it was logged, to six digits. */
export function exact(value) {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "infinite" : "minus infinite";
  return String(Number(value.toPrecision(6)));
}

/** A place on the x axis: whole where it is whole. */
export const place = (x) => (Math.abs(x - Math.round(x)) < 0.005 ? grouped(Math.round(x), 0) : grouped(x, 1));

/** "epoch 22", "step 1,240", "12.3 s". */
export const placeName = (x, axis) => (axis === "seconds" ? `${place(x)} s` : `${axis} ${place(x)}`);

export function duration(seconds) {
  if (seconds < 90) return `${Math.max(0, Math.round(seconds))} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** How far a run is: `{ at, of, unit, part }` in epochs where the plan knows them. */
export function progress(entry) {
  const { steps, steps_per_epoch: usual, arms } = entry.plan;
  const [names, starts] = sorted(arms);
  const index = Math.max(0, starts.filter((start) => start < entry.step).length - 1);
  const start = starts[index] ?? 0, end = starts[index + 1] ?? steps;
  const part = starts.length > 1 ? `Part ${index + 1} of ${starts.length}, ` : "";
  const done = entry.step - start, all = end - start, perEpoch = usual && epochSteps(entry.plan, names[index]);
  if (perEpoch > 1 || (perEpoch && steps)) {
    return { part, unit: "epoch", at: Math.ceil(done / perEpoch), of: Math.ceil(all / perEpoch) };
  }
  return { part, unit: "step", at: done, of: all };
}

function sorted(arms) {
  const all = Object.entries(arms ?? {}).sort((a, b) => a[1] - b[1]);
  const entries = all.filter(([, start], i) => !i || start !== all[i - 1][1]); // side by side they are one part
  return [entries.map(([name]) => name), entries.map(([, start]) => start)];
}

/** Steps that were trained: a part that ended early is followed by steps that nobody took. */
function trained(entry) {
  const starts = sorted(entry.plan.arms)[1], lines = [...entry.lines.byName.values()];
  if (starts.length < 2) return entry.step;
  return starts.reduce((sum, start, k) => {
    const end = starts[k + 1] ?? Infinity;
    const reached = lines.map(({ steps }) => steps.findLast((step) => step <= end) ?? 0);
    return sum + Math.max(0, Math.max(...reached, start) - start);
  }, 0);
}

function where(entry) {
  const { part, unit, at } = progress(entry);
  if (!at) return part ? `the start of ${part.toLowerCase().slice(0, -2)}` : "the start";
  return `${part.toLowerCase()}${unit} ${grouped(at, 0)}`;
}

const BY_LEARNER = "stopped by the learner", NOTHING_LOST = "Nothing is lost."; // who pressed Stop knows why

const SENTENCES = {
  queued({ status }) {
    if (!status.place) return ["Starting.", ""]; // nobody has given it a place in the line
    const wait = status.wait_s ? ` About ${duration(status.wait_s)}.` : "";
    return [`Waiting, place ${status.place} of ${status.places}.`,
      `${wait} Your place is kept if you leave.`];
  },
  starting: ({ status }) => [`Starting${status.device ? ` on ${deviceName(status.device)}` : ""}.`, ""],
  running(entry) {
    const { part, unit, at, of } = progress(entry), share = entry.step / entry.plan.steps;
    const left = share > 0.02 && !entry.samples?.by_the_clock ? `, about ${duration((entry.seconds * (1 - share)) / share)} to go` : "";
    const out = of ? ` of ${grouped(of, 0)}` : "";
    const here = capital(`${part}${part ? unit : capital(unit)} ${grouped(at, 0)}${out}`);
    return ["", `${here}, ${duration(entry.seconds)} gone${left}`];
  },
  paused: (entry) => [`Paused at ${where(entry)}.`, " Resume goes on from here."],
  stopped: (entry) => [`Stopped at ${where(entry)}.`, ` ${entry.status.reason === BY_LEARNER ? NOTHING_LOST : because(entry.status.reason)}`],
  failed: (entry) => [`Failed at ${where(entry)}.`, ` ${because(entry.status.reason)}`],
  finished(entry) {
    const { steps_per_epoch: perEpoch, arms } = entry.plan, isOne = Object.keys(arms ?? {}).length < 2 && perEpoch;
    const done = isOne ? entry.step / perEpoch : trained(entry), unit = isOne ? "epochs" : "steps";
    return ["Finished", `, ${grouped(Math.round(done), 0)} ${unit} in ${duration(entry.seconds)}.`];
  },
  gone: () => ["This run is not here.", " It may have been moved to the trash; Runs can bring it back for 7 days."],
};

const deviceName = (device) => ({ cpu: "CPU", cuda: "GPU" })[device] ?? device;
const because = (reason) => (reason ? `${capital(reason).replace(/[.\s]+$/, "")}.` : NOTHING_LOST);

/** The state in words: [bold, rest]. */
export function stateWords(entry) {
  if (!entry?.status) return entry ? ["", "Fetching this run"] : ["", ""];
  if (!entry.isOnline) return ["Connection lost.", " The run goes on; trying again."];
  return SENTENCES[entry.status.word]?.(entry) ?? ["", ""];
}

/** Put words on the page, the first of them bold; a text that stands there already is left alone. */
export function write(target, bold, rest) {
  if (target.dataset.text === bold + rest) return;
  target.dataset.text = bold + rest;
  const strong = document.createElement("strong");
  strong.append(bold);
  target.replaceChildren(...(bold ? [strong] : []), rest);
}
