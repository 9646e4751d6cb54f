// The canvas: axes, lines and zoom by uPlot, everything else by `marks`. Knows no run and no socket.

import { over, under } from "./marks.js";

const FAR = 5; // px between a click and a drag
const MANY_DECADES = 4;
let loading; // uPlot is a classic script: one tag a page

export function loadPlot() {
  loading ??= new Promise((done, fail) => {
    const script = document.createElement("script");
    script.src = new URL("./uplot/uPlot.iife.min.js", import.meta.url).href;
    script.onload = () => done(globalThis.uPlot);
    script.onerror = () => fail(new Error("The drawing script did not load."));
    document.head.append(script);
  });
  return loading;
}

export class Chart {
  /** `onCursor(row or null, left, top)` when the pointer moves, `onZoom()` when the view changed, `onClick(row)`. */
  constructor(Plot, box, { onCursor, onZoom, onClick }) {
    Object.assign(this, { Plot, box, onCursor, onZoom, onClick, view: null, kept: new Map() });
  }

  draw(scene) {
    this.scene = Object.assign(scene, { kept: this.kept }); // where each line's word stood last
    const shape = [scene.isLog, scene.font(13), scene.axisTitle, scene.data.unit, scene.height].join("|");
    if (shape !== this.shape || !this.plot) this.build(shape);
    else if (this.box.clientWidth !== this.plot.width) this.plot.setSize(this.size());
    if (this.listed() !== this.drawnNames) this.relist();
    this.plot.setData(this.data(), true); // the scales ask `view` first, so a zoom stays
  }

  whole() {
    this.view = null;
    this.onZoom();
  }

  moveTo(row) {
    const { table } = this.scene;
    this.plot.setCursor({ left: this.plot.valToPos(table.xs[row], "x"), top: this.plot.over.clientHeight / 3 });
  }

  destroy() {
    this.plot?.destroy();
  }

  size() {
    return { width: this.box.clientWidth, height: this.scene.height };
  }

  data() {
    const { table, columns, xRange } = this.scene;
    if (!table.xs?.length) return [[...xRange], [null, null]];
    return [table.xs, ...this.painted().map((column) => columns[column])];
  }

  build(shape) {
    this.shape = shape;
    this.plot?.destroy();
    const { scene } = this;
    this.drawnNames = this.listed();
    this.plot = new this.Plot({
      ...this.size(), padding: [6, 10, 0, 0], legend: { show: false },
      scales: {
        x: { time: false, range: () => this.view?.x ?? this.scene.xRange },
        y: { distr: scene.isLog ? 3 : 1, range: () => this.view?.y ?? this.scene.yRange },
      },
      axes: [this.axis("x", { label: scene.axisTitle, size: 34, space: 56 }), this.axis("y", { label: scene.data.unit, size: yAxisSize, space: 48 })],
      series: [{}, ...this.lines()],
      cursor: this.cursor(),
      hooks: {
        drawClear: [(u) => under(u, this.scene)],
        draw: [(u) => over(u, this.scene)],
        setCursor: [(u) => this.pointed(u)],
        setSelect: [(u) => this.selected(u)],
      },
    }, this.data(), this.box);
    this.listen(this.plot.over);
  }

  /** A press that ends where it began is a click on a row; any other one is a zoom. */
  listen(over) {
    let from = [-FAR, -FAR];
    over.addEventListener("mousedown", ({ clientX, clientY }) => { from = [clientX, clientY]; });
    over.addEventListener("click", ({ clientX, clientY }) => {
      const { idx } = this.plot.cursor, isStill = Math.hypot(clientX - from[0], clientY - from[1]) < FAR;
      if (isStill && idx !== null && idx !== undefined && this.scene.table.xs?.length) this.onClick(idx);
    });
  }

  /** Lines have come or gone: the canvas stays. */
  relist() {
    while (this.plot.series.length > 1) this.plot.delSeries(1);
    this.lines().forEach((line) => this.plot.addSeries(line));
    this.drawnNames = this.listed();
  }

  lines() {
    const { names } = this.scene;
    return names.length ? this.painted().map((column) => this.line(names[column])) : [{ show: false }];
  }

  /** The columns in the order of painting: grey lines first, so that they never cover the others. */
  painted() {
    const { names, styles } = this.scene, isGrey = (column) => Number(Boolean(styles.get(names[column]).isGrey));
    return names.map((_name, column) => column).sort((a, b) => isGrey(b) - isGrey(a) || a - b);
  }

  listed() {
    return this.painted().map((column) => this.scene.names[column]).join();
  }

  line(name) {
    const style = this.scene.styles.get(name);
    return {
      label: name, spanGaps: true, points: { show: false }, dash: style.dash,
      width: style.width, stroke: () => this.stroke(name),
    };
  }

  /** A line that others lie on is so pale that they show. */
  stroke(name) {
    const { colours, styles } = this.scene, { colour, isBeneath } = styles.get(name);
    const full = colours.series[colour] ?? colours.ink;
    return isBeneath ? `color-mix(in srgb, ${full} 38%, transparent)` : full;
  }

  axis(side, { label, size, space }) {
    const isX = side === "x", isLog = this.scene.isLog && !isX, colour = (name) => () => this.scene.colours[name];
    return {
      label, size, space, labelSize: 24, gap: 6, font: this.scene.font(13), labelFont: this.scene.font(14),
      stroke: colour("muted"), border: { show: true, width: 1, stroke: colour("ink") },
      grid: { show: !isX, width: 1, stroke: () => `color-mix(in srgb, ${this.scene.colours.line} 55%, transparent)` },
      ticks: { size: 5, width: 1, stroke: colour("line") },
      values: (_u, splits, _axis, _space, step) => splits.map((value) => tick(value, step, isLog)),
      ...(isLog ? { splits: (_u, _axis, low, high) => decades(low, high), filter: (_u, splits) => splits } : {}),
    };
  }

  cursor() {
    return {
      y: false, focus: { prox: -1 }, dataIdx: (_u, series, row) => this.rowOf(series, row),
      points: { size: 9, width: 2, stroke: () => this.scene.colours.paper },
      drag: { x: true, y: true, uni: 24, setScale: false },
      bind: { dblclick: () => () => { this.whole(); return null; } },
    };
  }

  rowOf(series, row) {
    const { table } = this.scene;
    if (series === 0 || !table.xs?.length) return row;
    const filled = table.filled(this.painted()[series - 1], row);
    return filled < 0 ? row : filled;
  }

  pointed(u) {
    const { idx: row, left, top } = u.cursor;
    const isIn = left >= 0 && row !== null && row !== undefined && this.scene.table.xs?.length;
    this.onCursor(isIn ? row : null, left + u.bbox.left / devicePixelRatio, top + u.bbox.top / devicePixelRatio);
  }

  selected(u) {
    const { left, top, width, height } = u.select, hasY = height > 5 && height < u.over.clientHeight - 2;
    const hasX = width > 5 && width < u.over.clientWidth - 2;
    if (!hasX && !hasY) return;
    const at = (from, size, key) => [u.posToVal(from, key), u.posToVal(from + size, key)].sort((a, b) => a - b);
    this.view = { x: hasX ? at(left, width, "x") : this.view?.x, y: hasY ? at(top, height, "y") : this.view?.y };
    u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.onZoom();
  }
}

/** Room for the longest number on the y axis. */
function yAxisSize(u, values) {
  const longest = Math.max(...(values ?? [""]).map((value) => String(value ?? "").length));
  return Math.max(36, 18 + 8 * longest);
}

/** 1, 2 and 5 of each power of ten, or of many the powers alone: uPlot's own search can run for ever when the scale starts between them. */
function decades(low, high) {
  const found = [], digits = Math.log10(high / low) > MANY_DECADES ? [1] : [1, 2, 5];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++) {
    found.push(...digits.map((digit) => digit * 10 ** power).filter((value) => value >= low && value <= high));
  }
  return found;
}

function tick(value, step, isLog) {
  if (value === null || value === undefined) return "";
  if (isLog && value < 0.001) return value.toExponential(0);
  if (isLog) return String(Number(value.toPrecision(2)));
  const digits = Math.max(0, Math.min(6, -Math.floor(Math.log10(step) + 1e-9)));
  return value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
