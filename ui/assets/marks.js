// What stands on the chart besides the lines: flag, gap, best step, ceilings, words at the lines' ends.

import { Room } from "./room.js";

const TEXT = 14, SMALL = 13, PAD = 6, GAP_SHARE = 0.22, STAY = 6;
const SHARES = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]; // how far across a tag or a name may stand

/** Draw under the lines. */
export function under(u, scene) {
  inside(u, (area) => {
    scene.expected.forEach((band) => recorded(area, band, scene));
    if (scene.gap) shade(area, scene);
    scene.bands.forEach((band) => envelope(area, band, scene));
  });
}

/** Draw over the lines. */
export function over(u, scene) {
  inside(u, (area) => {
    area.room = new Room(area, scene);
    scene.ceilings.forEach((ceiling) => level(area, ceiling, scene));
    if (!scene.hasLines) comeHere(area, scene);
    flag(area, scene);
    const placed = tags(area, scene);
    scene.ceilings.forEach((ceiling) => nameLevel(area, ceiling, scene));
    scene.notes.forEach((note) => event(area, note, scene));
    words(area, scene);
    nameBand(area, scene);
    if (scene.best) bestDot(area, scene);
    if (scene.picked) chosen(area, scene);
    scene.crosses.forEach((cross) => crossOut(area, cross, scene));
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
  draw({ ctx, left, top, width, height, right: left + width, bottom: top + height, x, y });
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

/** Where recorded runs with these settings lay: a grey band with a thin dotted middle, under everything. */
function recorded({ ctx, x, y }, { xs, low, mid, high }, { colours }) {
  ctx.globalAlpha = 0.16;
  ctx.fillStyle = colours.muted;
  ctx.beginPath();
  xs.forEach((at, i) => ctx.lineTo(x(at), y(high[i])));
  for (let i = xs.length - 1; i >= 0; i--) ctx.lineTo(x(xs[i]), y(low[i]));
  ctx.fill();
  ctx.globalAlpha = 0.55;
  stroke(ctx, xs.map((at, i) => [x(at), y(mid[i])]), { colour: colours.muted, width: 1, dash: [1, 3] });
  ctx.globalAlpha = 1;
}

/** The band's name, above or below its widest place that is free. */
function nameBand(area, { expected: bands, colours, font }) {
  const text = "expected (R)", { ctx, room } = area;
  ctx.font = font(SMALL);
  const width = ctx.measureText(text).width;
  const boxes = bands.flatMap(({ xs, low, high }) => SHARES.slice(1, -1).flatMap((share) => {
    const i = Math.round(share * (xs.length - 1)), left = area.x(xs[i]) - width / 2;
    return [area.y(high[i]) - 20, area.y(low[i]) + 3].map((top) => ({ left, top, width, height: 18 }));
  }));
  if (!boxes.length) return;
  const box = room.take(room.best(boxes));
  say(area, text, box.left, box.top + 9, { colours, font: font(SMALL), colour: colours.muted });
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

function level(area, { value }, { colours }) {
  const { ctx, left, right } = area, y = area.y(value);
  if (!within(area, value, false)) return;
  stroke(ctx, [[left, y], [right, y]], { colour: colours.ink, width: 1.6, dash: [6, 4] });
}

/** A ceiling's reason, at its left end while lines grow; further right where a tag or, at the end, a line is in the way. */
function nameLevel(area, { value, text }, { colours, font, isLowBest, gap }) {
  const { ctx, top, bottom, room } = area, y = area.y(value);
  if (!within(area, value, false)) return;
  const isBelow = isLowBest ? y + 24 < bottom : y - 22 < top; // on the side that no line can reach
  ctx.font = font(SMALL);
  const width = ctx.measureText(text).width, free = area.right - area.left - width - 20;
  const boxes = SHARES.map((share) => ({
    left: area.left + 10 + share * free, top: isBelow ? y + 4 : y - 20, width, height: 18, bias: 5 * share,
  }));
  const calm = gap ? null : boxes.find((box) => !room.meets(box).length);
  const box = room.take(calm ?? room.best(boxes));
  say(area, text, box.left, box.top + 9, { colours, font: font(SMALL), colour: colours.muted });
}

/** Something that happened in the run: a thin pole with its words at the foot. */
function event(area, { x: at, text }, { colours, font }) {
  if (!within(area, at, true)) return;
  const { ctx, top, bottom, right, room } = area, x = area.x(at);
  stroke(ctx, [[x, top], [x, bottom]], { colour: colours.ink, width: 1.6, dash: [2, 4] });
  ctx.font = font(SMALL);
  const width = ctx.measureText(text).width, left = x + 6 + width <= right ? x + 6 : x - 6 - width;
  const box = room.take({ left, top: bottom - 26, width, height: 18 });
  say(area, text, box.left, box.top + 9, { colours, font: font(SMALL), colour: colours.ink });
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
  if (mark) pole(area, mark.isVertical, mark.at, { colour: colours.ink, width: 2, dash: mark.isSet ? [] : [11, 5] });
  const style = { colour: colours.ink, width: 2, dash: [] };
  if (gap) pole(area, gap.isVertical, gap.from, style);
  else if (best && (!mark || mark.isVertical)) {
    stroke(area.ctx, [[area.x(best.x), area.y(best.y)], [area.x(best.x), area.top]], style);
  }
}

/** The step that was clicked, with its name at the foot of the chart. */
function chosen(area, { picked: { at, text }, colours, font }) {
  if (!within(area, at, true)) return;
  pole(area, true, at, { colour: colours.ink, width: 1.6, dash: [2, 3] });
  area.ctx.font = font(SMALL, 700);
  const width = area.ctx.measureText(text).width, isRight = area.x(at) + width + 12 <= area.right;
  say(area, text, area.x(at) + (isRight ? 6 : -6 - width), area.bottom - 12, { colours, font: font(SMALL, 700), colour: colours.ink });
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
  const found = best && !isThere(scene) && {
    lines: [best.text], back: colours.marigold, front: colours.onMarigold, at: isLevel ? best.y : best.x,
  };
  const place = isLevel ? levelTag : poleTag, isBeyond = !said || !found || said.at >= found.at;
  const isSeen = (tag) => tag && within(area, tag.at, !isLevel);
  return [
    ...(isSeen(said) ? [place(area, said, isBeyond, scene)] : []),
    ...(isSeen(found) ? [place(area, found, !isBeyond, scene)] : []),
  ];
}

/** Of a height said exactly one tag is enough. */
const isThere = ({ flag: mark, gap, verdict }) => Boolean(gap && !mark.isVertical && verdict === "exactly right");

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
  while (area.room.meets(box).length) box.top += 6;
  return { tag, box: area.room.take(box) };
}

/** A tag on a level: at its right end while lines still grow, then where it hides least. */
function levelTag(area, tag, wantsAbove, scene) {
  const size = measure(area, tag, scene), y = area.y(tag.at), free = area.right - area.left - size.width;
  const at = (isAbove, share) => ({
    left: area.left + share * free, top: isAbove ? y - size.height + 1 : y - 1, bias: 4 * (isAbove !== wantsAbove) + 8 * (1 - share), ...size,
  });
  const shares = scene.gap ? SHARES : [1];
  const fits = ({ top }) => top >= area.top - 1 && top + size.height <= area.bottom + 1;
  const boxes = [true, false].flatMap((isAbove) => shares.map((share) => at(isAbove, share)));
  const calm = boxes.filter(fits).find(({ bias }) => !bias) ?? boxes.find(fits) ?? boxes[0];
  return { tag, box: area.room.take(scene.gap ? area.room.best(boxes) : calm) };
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

/** The word of each line at its end: beside it while there is room, then at the right edge, where it hides least. */
function words(area, scene) {
  const shown = scene.ends.map((end) => ({ ...end, px: area.x(end.x), py: area.y(end.y), width: widthOf(area, end, scene) }))
    .filter(({ px, py }) => px >= area.left && px <= area.right + 1 && py >= area.top && py <= area.bottom + 1);
  shown.sort((a, b) => a.py - b.py);
  for (const end of shown) {
    const boxes = wordBoxes(area, end), before = scene.kept.get(end.name);
    for (const box of boxes) if (box.key !== before) box.bias += STAY; // words do not hop about while lines grow
    const box = area.room.take(area.room.best(boxes));
    scene.kept.set(end.name, box.key);
    word(area, end, box, scene);
  }
}

/** Where a line's word may stand; the further from the line's end, the dearer. */
function wordBoxes(area, { px, py, width }) {
  const isBeside = px + width + 16 <= area.right, lowest = area.bottom - 18;
  const lefts = isBeside ? [px + 10] : [0, 20, 45, 80, 120].map((shift) => Math.max(area.right - 4 - width - shift, area.left + 20));
  const awayBy = isBeside ? [0, 10, 19, 28, 38, 56] : [15, 22, 30, 38, 48, 60, 75, 95, 115, 135];
  return lefts.flatMap((left, at) => awayBy.flatMap((away) => (away ? [-away, away] : [0]).map((offset) => ({
    left, top: Math.max(area.top, Math.min(py + offset - 9, lowest)), width, height: 18, isBeside,
    key: `${at} ${offset}`, bias: away / 6 + 2 * at,
  }))));
}

function widthOf({ ctx }, { text }, { font }) {
  ctx.font = font(TEXT, 700);
  return ctx.measureText(text).width;
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
