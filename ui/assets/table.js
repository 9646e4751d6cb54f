// The lines of one chart side by side over one x axis, as uPlot wants them: kept, not rebuilt, as points come.

import { armOf, epochSteps } from "./words.js";

export class Table {
  constructor() {
    this.names = [];
    this.edition = -1;
  }

  /** Take what is new of the named lines; starts again only when lines, axis or plan have changed. */
  update(entry, names, axis) {
    const plan = JSON.stringify(entry.plan);
    const known = [entry.run, entry.lines.edition, axis, plan, ...names].join("|");
    if (known !== this.known) {
      Object.assign(this, { known, axis, names, xs: [], taken: names.map(() => 0) });
      this.columns = names.map(() => []); // as logged, undefined where the line has no point
      this.drawn = names.map(() => []); // the same, without what is no number
    }
    names.forEach((name, column) => this.read(entry, name, column));
  }

  read(entry, name, column) {
    const line = entry.lines.byName.get(name);
    const place = placer(entry, name, this.axis);
    for (let i = this.taken[column]; i < line.steps.length; i++) {
      this.put(place(line.steps[i], line.seconds[i]), column, line.values[i]);
    }
    this.taken[column] = line.steps.length;
  }

  put(x, column, value) {
    const last = this.xs.length - 1;
    if (last < 0 || x > this.xs[last]) {
      this.xs.push(x);
      for (const values of [...this.columns, ...this.drawn]) values.push(undefined);
    }
    const at = x === this.xs.at(-1) ? this.xs.length - 1 : firstAtLeast(this.xs, x);
    if (this.xs[at] !== x) {
      this.xs.splice(at, 0, x);
      for (const values of [...this.columns, ...this.drawn]) values.splice(at, 0, undefined);
    }
    this.columns[column][at] = value;
    this.drawn[column][at] = Number.isFinite(value) ? value : undefined;
  }

  /** The points of one line that are numbers, as [x, value] pairs. */
  points(name) {
    const values = this.drawn[this.names.indexOf(name)] ?? [];
    const points = [];
    values.forEach((value, i) => value !== undefined && points.push([this.xs[i], value]));
    return points;
  }

  /** The row whose x is nearest to the given one. */
  nearest(x) {
    const at = firstAtLeast(this.xs, x);
    if (at === this.xs.length) return at - 1;
    return at > 0 && x - this.xs[at - 1] < this.xs[at] - x ? at - 1 : at;
  }

  /** The row nearest to `row` in which this column has a value, or -1. */
  filled(column, row) {
    const values = this.columns[column];
    for (let away = 0; away < values.length; away++) {
      if (values[row - away] !== undefined) return row - away;
      if (values[row + away] !== undefined) return row + away;
    }
    return -1;
  }
}

function firstAtLeast(xs, x) {
  let low = 0, high = xs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (xs[middle] < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How a step of this metric becomes an x: counted from the start of its arm. */
export function placer(entry, name, axis) {
  const start = entry.plan.arms?.[armOf(name)] ?? 0;
  if (axis === "step") return (step) => step - start;
  if (axis === "seconds") {
    const before = entry.samples?.by_the_clock ? 0 : secondsAt(entry, start);
    return (_step, seconds) => seconds - before;
  }
  const perEpoch = epochSteps(entry.plan, armOf(name));
  return (step) => (step - start) / perEpoch;
}

function secondsAt(entry, step) {
  let latest = 0;
  for (const line of entry.lines.byName.values()) {
    const at = firstAtLeast(line.steps, step + 1) - 1;
    if (at >= 0) latest = Math.max(latest, line.seconds[at]);
  }
  return latest;
}

/** The step that stands in a row, counted from the start of its arm; null where none does. */
export function stepAt(entry, { columns, names, xs }, row, axis) {
  for (const [column, name] of names.entries()) {
    if (columns[column][row] === undefined) continue;
    const { steps, seconds } = entry.lines.byName.get(name), place = placer(entry, name, axis);
    const at = steps.findIndex((step, i) => place(step, seconds[i]) === xs[row]);
    if (at >= 0) return steps[at] - (entry.plan.arms?.[armOf(name)] ?? 0);
  }
  return null;
}

/** Where a step, counted from the start of its arm, stands on the axis; null where it was not logged. */
export function placeOf(entry, { names }, wanted, axis) {
  for (const name of names) {
    const { steps, seconds } = entry.lines.byName.get(name), start = entry.plan.arms?.[armOf(name)] ?? 0;
    const at = steps.indexOf(wanted + start);
    if (at >= 0) return placer(entry, name, axis)(steps[at], seconds[at]);
  }
  return null;
}

/** A smoothed copy of a column, and the lowest and highest raw value around each point. */
export function smooth(values, weight) {
  const line = [], low = [], high = [], reach = Math.round(0.5 / (1 - weight));
  const rows = values.map((_, i) => i).filter((i) => Number.isFinite(values[i]));
  let sum = 0, mass = 0;
  rows.forEach((row, i) => {
    sum = weight * sum + (1 - weight) * values[row];
    mass = weight * mass + (1 - weight);
    const around = rows.slice(Math.max(0, i - reach), i + reach + 1).map((near) => values[near]);
    line[row] = sum / mass;
    low[row] = Math.min(...around);
    high[row] = Math.max(...around);
  });
  line.length = low.length = high.length = values.length;
  return { line, low, high };
}
