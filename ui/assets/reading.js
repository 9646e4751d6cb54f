// What the lines say, in one plain sentence: [bold, rest]. The server judges, by one rule for everybody.

import { capital, figure, labelOf, placeName } from "./words.js";

/** The best point, first of equals. */
export function best(points, isLowBest) {
  let found = null;
  for (const point of points) {
    if (!found || (isLowBest ? point[1] < found[1] : point[1] > found[1])) found = point;
  }
  return found;
}

/** The server's judgement of this chart, with its place on the axis that is shown. */
function judged({ reading: told, chart, axis, placeOf }) {
  const found = told?.charts[chart];
  if (!found) return null;
  const since = found.since === null ? "" : placeName(placeOf(found.line, found.since), axis);
  return [found.bold, found.rest].map((text) => text.replace("{since}", since).replace("{gap}", figure(found.gap ?? 0)));
}

/** Where each line stands now and where it goes, arm by arm; the first arm bold. */
function standing({ table, labels, reading: told }) {
  const arms = new Map(); // the words before a label's comma -> what follows, with its last value
  for (const name of table.names) {
    const last = table.points(name).at(-1), [arm, ...rest] = labelOf(name, labels).split(", ");
    if (!last) continue;
    const way = told?.lines[name], words = `${rest.join(", ") || arm} ${figure(last[1])}${way ? ` (${way})` : ""}`;
    const head = rest.length ? arm : "";
    arms.set(head, [...(arms.get(head) ?? []), words]);
  }
  const parts = [...arms].map(([arm, words]) => `${arm ? `${arm}: ` : ""}${words.join(", ")}`);
  if (!parts.length) return ["Nothing measured yet.", ""];
  return [capital(parts[0]), `${parts.slice(1).map((part) => `; ${part}`).join("")}.`];
}

/** The sentence under the chart. `scene` has table, axis, labels, chart, reading, flagWords, hasRun. */
export function reading(scene) {
  if (!scene.hasRun) return ["Nothing has run yet.", scene.flagWords ? ` ${scene.flagWords}` : ""];
  if (!scene.table.names.length) return ["No point yet.", " The first one comes in a moment."];
  return judged(scene) ?? standing(scene);
}

/** How many points of the lines lie in their recorded bands, as a sentence; empty without any. */
export function within({ expected, table, labels }) {
  const told = expected.map(({ name, xs, low, high }) => {
    const points = table.points(name), isIn = ([x, value]) => {
      const i = nearest(xs, x);
      return value >= low[i] && value <= high[i];
    };
    return points.length ? `${labelOf(name, labels)} ${points.filter(isIn).length} of ${points.length}` : "";
  }).filter(Boolean);
  return told.length ? ` Points within it: ${told.join(", ")}.` : "";
}

function nearest(xs, x) {
  let best = 0;
  xs.forEach((at, i) => { if (Math.abs(at - x) < Math.abs(xs[best] - x)) best = i; });
  return best;
}
