// The measured lines of one run, as sorted arrays that only grow at their end; bounded, lows and highs kept.

const MOST_POINTS = 8000; // a line; then halved
const WORDS = { nan: NaN, inf: Infinity, "-inf": -Infinity };

export class Lines {
  constructor() {
    this.edition = 0; // a new edition says: forget what you read, begin again
    this.clear();
  }

  clear() {
    this.byName = new Map(); // name -> { steps, values, seconds }
    this.edition += 1;
  }

  add(name, points) {
    if (!this.byName.has(name)) this.byName.set(name, { steps: [], values: [], seconds: [] });
    const line = this.byName.get(name);
    for (const [step, value, seconds] of points) {
      if (line.steps.length && step <= line.steps.at(-1)) continue; // each step stands once
      line.steps.push(step);
      line.values.push(typeof value === "string" ? WORDS[value] : value);
      line.seconds.push(seconds);
    }
    if (line.steps.length > MOST_POINTS) this.halve(line);
  }

  halve(line) {
    const kept = [];
    for (let start = 0; start < line.steps.length; start += 4) {
      const bucket = [0, 1, 2, 3].map((i) => start + i).filter((i) => i < line.steps.length);
      const byValue = bucket.filter((i) => Number.isFinite(line.values[i]));
      byValue.sort((a, b) => line.values[a] - line.values[b]);
      const pair = byValue.length ? [byValue[0], byValue.at(-1)] : [bucket[0]];
      kept.push(...[...new Set(pair)].sort((a, b) => a - b));
    }
    for (const part of ["steps", "values", "seconds"]) line[part] = kept.map((i) => line[part][i]);
    this.edition += 1;
  }
}
