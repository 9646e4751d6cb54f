// Where words and tags may stand on the chart: counts what a box would cover, and keeps what is taken.

const EVERY = 6; // px between the places at which a line is looked at

export class Room {
  constructor(area, scene) {
    this.area = area;
    this.taken = [];
    this.marks = [...scene.ends, ...scene.greys].flatMap((end) => along(area, end.points));
    const said = scene.flag && !scene.flag.isVertical ? [scene.flag.at, scene.gap?.from ?? scene.flag.at] : [];
    this.levels = [...scene.ceilings.map(({ value }) => value), ...said].map((value) => area.y(value));
  }

  /** What a box would hide: places of a line, ceilings, and above all what stands there already. */
  cost(box) {
    const { left, right, top, bottom } = this.area, ends = { right: box.left + box.width, bottom: box.top + box.height };
    const isOut = box.left < left - 1 || ends.right > right + 1 || box.top < top - 1 || ends.bottom > bottom + 1;
    const hidden = this.marks.filter(([x, y]) => x > box.left && x < ends.right && y > box.top - 3 && y < ends.bottom + 3);
    const crossed = this.levels.filter((y) => y > box.top && y < ends.bottom);
    return 1000 * isOut + 300 * this.meets(box).length + hidden.length + (crossed.length * box.width) / (2 * EVERY);
  }

  meets(box) {
    return this.taken.filter((other) => overlap(box, other));
  }

  take(box) {
    this.taken.push(box);
    return box;
  }

  /** The cheapest of some boxes; each may carry a `bias`, what its place costs by itself. */
  best(boxes) {
    const costs = boxes.map((box) => this.cost(box) + (box.bias ?? 0));
    return boxes[costs.indexOf(Math.min(...costs))];
  }
}

/** Places on a line, at even distances along it. */
function along({ x, y }, points) {
  const found = [];
  let [left, top] = points.length ? [x(points[0][0]), y(points[0][1])] : [];
  for (const [atX, atY] of points.slice(1)) {
    const dx = x(atX) - left, dy = y(atY) - top, steps = Math.floor(Math.hypot(dx, dy) / EVERY);
    for (let i = 1; i <= steps; i++) found.push([left + (dx * i) / steps, top + (dy * i) / steps]);
    if (steps) [left, top] = [x(atX), y(atY)];
  }
  return found;
}

export const overlap = (a, b) =>
  a.left < b.left + b.width && b.left < a.left + a.width && a.top < b.top + b.height && b.top < a.top + a.height;
