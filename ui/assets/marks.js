// What stands on the chart besides the lines: flag, gap, best step, ceilings, words at the lines' ends.

const NEAR = 110; // px before a line's end that its word keeps clear of
const TEXT = 14, SMALL = 13, PAD = 6, GAP_SHARE = 0.22;

/** Draw under the lines. */
export function under(u, scene) {
  inside(u, (area) => {
    if (scene.gap) shade(area, scene);
    scene.bands.forEach((band) => envelope(area, band, scene));
  });
}

/** Draw over the lines. */
export function over(u, scene) {
  inside(u, (area) => {
    scene.ceilings.forEach((ceiling) => level(area, ceiling, scene));
    if (!scene.hasLines) comeHere(area, scene);
    flag(area, scene);
    scene.crosses.forEach((cross) => crossOut(area, cross, scene));
    const placed = tags(area, scene);
    words(area, scene);
    if (scene.best) bestDot(area, scene);
    placed.forEach(({ tag, box }) => paint(area, tag, box, scene));
  });
}

function inside(u, draw) {
  const { ctx, bbox } = u, ratio = devicePixelRatio;
  const left = bbox.left / ratio, top = bbox.top / ratio;
  const width = bbox.width / ratio, height = bbox.height / ratio;
  ctx.save();
  ctx.scale(ratio, ratio);
  ctx.beginPath();
  ctx.rect(left, top - 1, width + 9, height + 2); // a dot at the right edge stays whole
  ctx.clip();
  const x = (value) => left + u.valToPos(value, "x"), y = (value) => top + u.valToPos(value, "y");
  draw({ ctx, left, top, width, height, right: left + width, bottom: top + height, x, y, taken: [] });
  ctx.restore();
}

function shade({ ctx, left, top, width, height, x, y }, { gap, colours }) {
  ctx.globalAlpha = GAP_SHARE;
  ctx.fillStyle = colours.marigold;
  const at = gap.isVertical ? x : y, from = at(gap.from), to = at(gap.to);
  if (gap.isVertical) ctx.fillRect(Math.min(from, to), top, Math.abs(to - from), height);
  else ctx.fillRect(left, Math.min(from, to), width, Math.abs(to - from));
  ctx.globalAlpha = 1;
}

/** The band between the lowest and highest raw values behind a smoothed line. */
function envelope({ ctx, x, y }, { xs, low, high, colour }, { colours }) {
  const rows = xs.map((_, i) => i).filter((i) => low[i] !== undefined);
  ctx.globalAlpha = 0.18;
  ctx.fillStyle = colours.series[colour];
  ctx.beginPath();
  rows.forEach((i) => ctx.lineTo(x(xs[i]), y(high[i])));
  rows.reverse().forEach((i) => ctx.lineTo(x(xs[i]), y(low[i])));
  ctx.fill();
  ctx.globalAlpha = 1;
}

function level(area, { value, text }, { colours, font, isLowBest }) {
  const { ctx, left, right, top, bottom } = area, y = area.y(value);
  if (y < top - 1 || y > bottom + 1) return;
  stroke(ctx, [[left, y], [right, y]], { colour: colours.ink, width: 1.6, dash: [6, 4] });
  const isBelow = isLowBest ? y + 24 < bottom : y - 22 < top; // on the side that no line can reach
  say(area, text, left + 10, isBelow ? y + 13 : y - 11, { colours, font: font(SMALL), colour: colours.muted });
}

function comeHere(area, scene) {
  const { ctx, left, right, top, bottom } = area, { colours, font } = scene;
  const flagX = scene.flag?.isVertical ? area.x(scene.flag.at) : left;
  const roomRight = right - flagX >= flagX - left;
  const x = roomRight ? (flagX + right) / 2 : (left + flagX) / 2;
  const lines = scene.hasRun ? ["the first point", "comes here"] : ["your curves", "come here"];
  let y = (top + bottom) / 2 - 10;
  if (scene.flag && !scene.flag.isVertical && Math.abs(area.y(scene.flag.at) - y - 8) < 34) y += 56;
  lines.forEach((text, i) => {
    say(area, text, x, y + 18 * i, { colours, font: font(TEXT), colour: colours.muted, align: "center" });
  });
  ctx.textAlign = "left";
}

function flag(area, { flag: mark, best, gap, colours }) {
  if (mark) pole(area, mark.isVertical, mark.at, { colour: colours.ink, width: 2, dash: mark.isSet ? [] : [5, 4] });
  const style = { colour: colours.ink, width: 2, dash: [] };
  if (gap) pole(area, gap.isVertical, gap.from, style);
  else if (best && (!mark || mark.isVertical)) {
    stroke(area.ctx, [[area.x(best.x), area.y(best.y)], [area.x(best.x), area.top]], style);
  }
}

function pole({ ctx, left, right, top, bottom, x, y }, isVertical, at, style) {
  const ends = isVertical ? [[x(at), top], [x(at), bottom]] : [[left, y(at)], [right, y(at)]];
  stroke(ctx, ends, style);
}

function bestDot(area, { best, colours }) {
  const { ctx } = area;
  ctx.beginPath();
  ctx.arc(area.x(best.x), area.y(best.y), 6, 0, 7);
  ctx.fillStyle = colours.marigold;
  ctx.fill();
  ctx.lineWidth = 2;
  ctx.strokeStyle = colours.ink;
  ctx.stroke();
}

function crossOut({ ctx, x, y }, { x: at, y: value }, { colours }) {
  const px = x(at), py = y(value);
  for (const [dx, dy] of [[6, 6], [6, -6]]) {
    stroke(ctx, [[px - dx, py - dy], [px + dx, py + dy]], { colour: colours.ink, width: 2.5, dash: [] });
  }
}

/** Reversed tags: what you said, and what was best. Returns where they go: words keep out of their way. */
function tags(area, scene) {
  const { best, flag: mark, colours } = scene, isLevel = mark && !mark.isVertical;
  const said = mark && { lines: mark.lines, back: colours.ink, front: colours.paper, at: mark.at };
  const found = best && {
    lines: [best.text], back: colours.marigold, front: colours.onMarigold, at: isLevel ? best.y : best.x,
  };
  const place = isLevel ? levelTag : poleTag, isBeyond = !said || !found || said.at >= found.at;
  const isSeen = (tag) => tag && within(area, tag.at, !isLevel);
  return [
    ...(isSeen(said) ? [place(area, said, isBeyond, scene, "left")] : []),
    ...(isSeen(found) ? [place(area, found, !isBeyond, scene, "right")] : []),
  ];
}

function within({ x, y, left, right, top, bottom }, at, isVertical) {
  return isVertical ? x(at) >= left - 1 && x(at) <= right + 1 : y(at) >= top - 1 && y(at) <= bottom + 1;
}

/** A tag at the top of a pole, on the side with room. */
function poleTag(area, tag, wantsRight, scene) {
  const size = measure(area, tag, scene), x = area.x(tag.at);
  const fitsRight = x + size.width <= area.right, fitsLeft = x - size.width >= area.left;
  const goesRight = wantsRight ? fitsRight || !fitsLeft : !fitsLeft;
  const left = goesRight ? x - 1 : x + 1 - size.width;
  const box = { left: Math.min(Math.max(left, area.left), area.right - size.width), top: area.top + 8, ...size };
  while (area.taken.some((other) => overlap(box, other))) box.top += 6;
  area.taken.push(box);
  return { tag, box };
}

/** A tag on a level, at its left or right end, above or below it. */
function levelTag(area, tag, wantsAbove, scene, side) {
  const size = measure(area, tag, scene), y = area.y(tag.at);
  const isAbove = wantsAbove ? y - size.height >= area.top : y + size.height > area.bottom;
  const left = side === "left" ? area.left : area.right - size.width;
  const box = { left, top: isAbove ? y - size.height + 1 : y - 1, ...size };
  area.taken.push(box);
  return { tag, box };
}

function measure({ ctx }, { lines }, { font }) {
  const widths = lines.map((text, i) => {
    ctx.font = font(TEXT, i > 0 ? 700 : 400);
    return ctx.measureText(text).width;
  });
  return { width: Math.max(...widths) + 2 * PAD, height: lines.length * 18 + 8 };
}

function paint(area, { lines, back, front }, box, { font }) {
  const { ctx } = area;
  ctx.fillStyle = back;
  ctx.fillRect(box.left, box.top, box.width, box.height);
  ctx.fillStyle = front;
  ctx.textBaseline = "middle";
  lines.forEach((text, i) => {
    ctx.font = font(TEXT, i > 0 ? 700 : 400);
    ctx.fillText(text, box.left + PAD, box.top + 14 + 18 * i);
  });
}

/** The word of each line at its end: beside it while there is room, else where it covers least. */
function words(area, scene) {
  const ends = scene.ends.map((end) => ({ ...end, px: area.x(end.x), py: area.y(end.y) }));
  const shown = ends.filter(({ px, py }) => px >= area.left && px <= area.right + 1 && py >= area.top && py <= area.bottom);
  shown.sort((a, b) => a.py - b.py);
  shown.forEach((end) => { end.width = widthOf(area, end, scene); });
  const beside = shown.filter((end) => end.px + end.width + 16 <= area.right);
  const boxes = beside.map(({ px, py, width }) => ({ left: px + 10, top: py - 9, width, height: 18, isBeside: true }));
  spread(area, boxes);
  beside.forEach((end, i) => word(area, end, boxes[i], scene));
  const others = shown.filter((end) => !beside.includes(end)), placed = [...boxes];
  bundles(others).forEach((bundle) => {
    for (const { ends: stack, tops } of stacks(area, bundle, others, placed, scene)) {
      stack.forEach((end, i) => {
        const box = { ...boxOf(area, end), top: tops[i] };
        placed.push(box);
        word(area, end, box, scene);
      });
    }
  });
}

/** Ends that lie close together, from the top down. */
function bundles(ends) {
  const found = [];
  for (const end of ends) {
    const last = found.at(-1)?.at(-1);
    if (last && end.py - last.py < 50) found.at(-1).push(end);
    else found.push([end]);
  }
  return found;
}

/** The upper half of a bundle goes above it, the rest below, in the order of the lines; a single one where it is freer. */
function stacks(area, bundle, others, placed, scene) {
  const half = Math.floor(bundle.length / 2);
  const lay = (ends, isUp) => (ends.length ? [stack(area, ends, isUp, { bundle, others, placed, scene })] : []);
  if (bundle.length > 1) return [...lay(bundle.slice(0, half), true), ...lay(bundle.slice(half), false)];
  const [up, down] = [...lay(bundle, true), ...lay(bundle, false)];
  return [up.cost <= down.cost ? up : down];
}

/** Words one above the other, moved away from the lines until they cover as little as can be. */
function stack(area, ends, isUp, { bundle, others, placed, scene }) {
  const right = area.right - 4, reach = Math.min(Math.max(...ends.map(({ width }) => width)) + 18, NEAR);
  const lines = (among) => among.flatMap((end) => heightsIn(area, end, right - reach, right));
  const edge = isUp ? Math.min(...lines(bundle)) - 24 : Math.max(...lines(bundle)) + 6;
  const rest = lines(others.filter((end) => !bundle.includes(end)));
  const levels = scene.ceilings.map(({ value }) => area.y(value));
  const options = [0, 8, 16, 24, 32, 40].map((away) => {
    const tops = ends.map((_, i) => (isUp ? edge - away - 19 * (ends.length - 1 - i) : edge + away + 19 * i));
    const cost = ends.reduce((sum, end, i) => {
      const box = { ...boxOf(area, end), top: tops[i] }, hits = (y) => y > box.top - 2 && y < box.top + 20;
      const isOut = box.top < area.top || box.top + 18 > area.bottom;
      return sum + 100 * isOut + 10 * placed.filter((other) => overlap(box, other)).length
        + 3 * rest.some(hits) + 2 * levels.filter(hits).length + away / 20;
    }, 0);
    return { ends, tops, cost };
  });
  return options.reduce((kept, option) => (option.cost < kept.cost ? option : kept));
}

/** Where a word stands across: at the right edge, or left of a tag that is there already. */
function boxOf(area, { width, py }) {
  const blocked = area.taken.filter((box) => box.left + box.width > area.right - width && Math.abs(box.top + 9 - py) < 60);
  const right = Math.min(area.right - 4, ...blocked.map((box) => box.left - 8));
  return { left: Math.max(right - width, area.left + 18), width, height: 18, isBeside: false };
}

function widthOf({ ctx }, { text }, { font }) {
  ctx.font = font(TEXT, 700);
  return ctx.measureText(text).width;
}

function heightsIn(area, { points }, left, right) {
  const found = [];
  for (let i = points.length - 1; i >= 0; i--) {
    const x = area.x(points[i][0]);
    if (x < left) break;
    if (x <= right) found.push(area.y(points[i][1]));
  }
  return found;
}

/** Move words apart that would stand on each other; from the top down, then back up from the bottom. */
function spread(area, boxes) {
  const meets = (a, b) => a.left < b.left + b.width + 14 && b.left < a.left + a.width + 14;
  for (let i = 1; i < boxes.length; i++) {
    for (const upper of boxes.slice(0, i)) {
      if (meets(upper, boxes[i])) boxes[i].top = Math.max(boxes[i].top, upper.top + 19);
    }
  }
  let floor = area.bottom - 18;
  for (const box of [...boxes].reverse()) {
    box.top = Math.max(area.top, Math.min(box.top, floor));
    floor = box.top - 19;
  }
}

function word(area, end, box, { colours, font, isLive }) {
  const { ctx } = area, colour = colours.series[end.colour], isAside = !box.isBeside || Math.abs(box.top + 9 - end.py) > 12;
  const dot = (x, y, size) => {
    ctx.beginPath();
    ctx.arc(x, y, size, 0, 7);
    ctx.fillStyle = colour;
    ctx.fill();
  };
  if (isLive || box.isBeside) dot(end.px, end.py, 4.5);
  const x = box.left + (box.isBeside && isAside ? 6 : 0), y = box.top + 9;
  if (isAside && end.dash.length) stroke(ctx, [[x - 18, y], [x - 5, y]], { colour, width: 2.5, dash: [5, 3] });
  else if (isAside) dot(x - 9, y, 3.5);
  say(area, end.text, x, y, { colours, font: font(TEXT, 700), colour: colours.ink });
}

function say({ ctx }, text, x, y, { colours, font, colour, align = "left" }) {
  Object.assign(ctx, { font, textAlign: align, textBaseline: "middle", lineJoin: "round", lineWidth: 5 });
  ctx.setLineDash([]);
  ctx.strokeStyle = colours.paper;
  ctx.globalAlpha = 0.7;
  ctx.strokeText(text, x, y);
  ctx.globalAlpha = 1;
  ctx.fillStyle = colour;
  ctx.fillText(text, x, y);
}

function stroke(ctx, points, { colour, width, dash }) {
  ctx.beginPath();
  points.forEach(([x, y]) => ctx.lineTo(x, y));
  Object.assign(ctx, { strokeStyle: colour, lineWidth: width });
  ctx.setLineDash(dash);
  ctx.stroke();
  ctx.setLineDash([]);
}

const overlap = (a, b) =>
  a.left < b.left + b.width && b.left < a.left + a.width && a.top < b.top + b.height && b.top < a.top + a.height;
