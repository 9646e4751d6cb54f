// One chart of one run on the page: the same element from the empty chart with its flag to the finished picture.

import { Chart, loadPlot } from "./chart.js";
import { reading, within } from "./reading.js";
import { build } from "./scene.js";
import { follow } from "./stream.js";
import { colours } from "./style.js";
import { stepAt, Table } from "./table.js";
import { capital, exact, labelOf, placeName, stateWords, write } from "./words.js";

const READ_MS = 2000; // the sentence changes no oftener: one reads it, and it may be read aloud
const ENDED = ["stopped", "failed", "finished"];

export const mount = (root) => new Curve(root);

class Curve {
  constructor(root) {
    const parts = ["figure", ".plot", ".tip", ".whole", ".reading",
      ".chip", ".axis", ".log", ".log-row", ".smoothing", ".smoothing-value", ".table", ".values", ".said", ".ended", ".rules", ".band-row", ".band", ".band-words"];
    this.at = Object.fromEntries(parts.map((name) => [name, root.querySelector(name)]));
    this.table = new Table();
    this.choices = { axis: null, isLog: false, smoothing: 0, hasBand: true };
    this.controls();
    this.resize = new ResizeObserver(() => this.later());
    this.resize.observe(this.at[".plot"]);
    this.at.figure.addEventListener("transitionend", () => this.later()); // the theme changed its colours
    this.ready = loadPlot().then((Plot) => this.start(Plot));
    document.fonts.ready.then(() => this.later());
  }

  start(Plot) {
    const heard = { onCursor: (...where) => this.point(...where), onZoom: () => this.zoomed(), onClick: (row) => this.pick(row) };
    this.chart = new Chart(Plot, this.at[".plot"], heard);
    this.later();
  }

  /** The page has run: the same chart with a moved flag, a new run, another theme, or nothing new at all. */
  update({ data, setTriggerValue }) {
    const isOther = data.run !== this.data?.run;
    if (!this.data) this.choices.isLog = this.at[".log"].checked = Boolean(data.is_log);
    this.choices.axis = this.data?.x === data.x ? this.choices.axis : data.x;
    Object.assign(this, { data, told: isOther || data.word !== this.data?.word ? data.word : this.told });
    this.setTriggerValue = setTriggerValue;
    this.at[".log-row"].hidden = !data.is_low_best;
    this.at[".plot"].classList.toggle("picks", Boolean(data.can_pick));
    this.at[".plot"].style.minHeight = `${data.height}px`; // before the first drawing as after it
    this.at[".rules"].replaceChildren(...data.rules.map((rule) => element("li", rule)));
    if (isOther) this.turnTo(data);
    this.later();
  }

  turnTo({ base, run }) {
    this.stop?.();
    Object.assign(this, { entry: null, stop: null, spokenAt: 0, seen: null });
    if (this.chart?.view) this.chart.whole();
    this.at[".ended"].textContent = "";
    if (run) this.stop = follow(base, run, (entry) => this.take(entry));
  }

  take(entry) {
    this.entry = entry;
    const word = entry.status?.word;
    if (word && word !== this.told) {
      this.told = word;
      this.setTriggerValue("status", word); // once a change: the page then shows other buttons
    }
    if (this.seen && word !== this.seen && ENDED.includes(word)) this.announce = true;
    this.seen = word ?? this.seen;
    this.later();
  }

  /** Draw with the next frame; a hidden tab has none, so it only remembers. */
  later() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      if (this.chart && this.data && this.at[".plot"].clientWidth) this.draw();
    });
  }

  draw() {
    const { at, data, entry, table, choices } = this;
    this.scene = build({ data, entry, table, choices, colours: colours(at.figure) });
    this.chart.draw(this.scene);
    at[".band-row"].hidden = !this.hasBand(); // nobody can expect a place on the clock
    this.sentence();
    Object.assign(at.figure.dataset, { // what is drawn, for whoever checks the picture
      run: data.run ?? "", word: entry?.status?.word ?? "", step: entry?.step ?? 0, t: entry?.t ?? 0,
      points: table.xs.length, view: JSON.stringify(this.chart.view),
    });
    if (at[".values"].open) this.rows();
  }

  hasBand() {
    return Boolean(this.data.band) && this.scene.axis !== "seconds";
  }

  sentence() {
    const ends = ENDED.includes(this.entry?.status?.word), now = Date.now();
    const wait = this.spokenAt + READ_MS - now, isNew = this.spokenFor !== this.entry?.status?.word;
    if (wait > 0 && !isNew && this.data.run) {
      clearTimeout(this.again);
      this.again = setTimeout(() => this.later(), wait);
      return;
    }
    Object.assign(this, { spokenAt: now, spokenFor: this.entry?.status?.word });
    const [bold, rest] = reading(this.scene), verdict = this.scene.verdict ? ` You were ${this.scene.verdict}.` : "";
    write(this.at[".reading"], bold, rest + (ends ? verdict : ""));
    this.at[".chip"].hidden = !this.scene.hasLines;
    const band = this.hasBand() ? `${this.data.band.words}${within(this.scene)}` : "";
    this.at[".band-words"].textContent = band;
    this.at[".plot"].setAttribute("aria-label", `Chart of ${this.data.unit} by ${this.scene.axis}. ${bold}${rest} ${band && `Grey band: ${band} `}`
      + `Left and right arrows read the values, ${this.data.can_pick ? "Enter follows that step, " : ""}Escape shows the whole picture.`);
    if (this.announce) this.at[".ended"].textContent = `${stateWords(this.entry).join("")} ${bold}${rest}${verdict}`;
    this.announce = false;
  }

  /** The tip beside the pointer, and the row that the keyboard stands on. */
  point(row, left, top) {
    const { at, scene } = this, tip = at[".tip"];
    tip.hidden = row === null;
    if (row === null) return;
    this.row = row;
    const head = element("strong", capital(placeName(scene.table.xs[row], scene.axis)));
    tip.replaceChildren(head, ...this.values(row).map(({ label, value, aside, colour }) => {
      const line = element("span", ` ${label} `, element("b", value), element("small", aside));
      const dot = element("i");
      dot.style.background = scene.colours.series[colour];
      line.prepend(dot);
      return line;
    }));
    if (this.data.can_pick) tip.append(element("small", "Click to follow this step"));
    const room = at[".plot"].clientWidth - tip.offsetWidth - 4;
    tip.style.left = `${Math.max(0, left + 14 > room ? Math.min(left - 14 - tip.offsetWidth, room) : left + 14)}px`;
    tip.style.top = `${Math.max(0, Math.min(top - 20, scene.height - tip.offsetHeight - 60))}px`;
  }

  /** Tell the page which step was chosen. */
  pick(row) {
    const step = this.data.can_pick && this.entry ? stepAt(this.entry, this.table, row, this.choices.axis) : null;
    if (step !== null) this.setTriggerValue("pick", step);
  }

  values(row) {
    const { table, names, axis, styles, labels } = this.scene;
    return names.map((name, i) => {
      const filled = table.filled(i, row), away = table.xs[filled] !== table.xs[row];
      return {
        label: labelOf(name, labels), colour: styles.get(name).colour,
        value: filled < 0 ? "none" : exact(table.columns[i][filled]),
        aside: away && filled >= 0 ? ` at ${placeName(table.xs[filled], axis)}` : "",
      };
    });
  }

  key(event) {
    const last = this.table.xs.length - 1, far = Math.max(1, Math.round(last / 10));
    if (event.key === "Escape") return this.chart.whole();
    if (event.key === "Enter" && this.row !== null && this.row !== undefined) return this.pick(this.row);
    const by = { ArrowLeft: -1, ArrowRight: 1, PageDown: -far, PageUp: far, Home: -Infinity, End: Infinity }[event.key];
    if (by === undefined || last < 0) return;
    event.preventDefault();
    const row = Math.max(0, Math.min(last, (this.row ?? (by > 0 ? -1 : last + 1)) + by));
    this.chart.moveTo(row);
    this.row = row;
    const said = this.values(row).map(({ label, value, aside }) => `${label} ${value}${aside}`).join(", ");
    this.at[".said"].textContent = `${capital(placeName(this.table.xs[row], this.scene.axis))}: ${said}.`;
  }

  zoomed() {
    this.at[".whole"].hidden = !this.chart.view;
    this.later();
  }

  controls() {
    const { at, choices } = this, on = (name, kind, act) => at[name].addEventListener(kind, act);
    on(".plot", "keydown", (event) => this.key(event));
    on(".plot", "blur", () => this.at[".tip"].setAttribute("hidden", ""));
    on(".whole", "click", () => { this.chart.whole(); at[".plot"].focus(); });
    on(".axis", "change", () => { choices.axis = at[".axis"].value; this.refit(); });
    on(".log", "change", () => { choices.isLog = at[".log"].checked; this.refit(); });
    on(".band", "change", () => { choices.hasBand = at[".band"].checked; this.later(); });
    on(".smoothing", "input", () => {
      choices.smoothing = Number(at[".smoothing"].value);
      at[".smoothing-value"].textContent = choices.smoothing ? choices.smoothing.toFixed(2) : "off";
      this.later();
    });
    on(".values", "toggle", () => this.scene && this.rows());
  }

  refit() {
    Object.assign(this, { row: null, spokenAt: 0 });
    this.chart.whole();
  }

  /** The same figures for those who read instead of look. */
  rows() {
    const { names, table, labels, axis, isLowBest } = this.scene;
    const cells = (tag, ...texts) => element("tr", ...texts.map((text) => element(tag, text)));
    const head = cells("th", "Line", "Last", "Lowest", "Highest");
    const rows = names.map((name) => {
      const points = [...table.points(name)], last = points.at(-1);
      points.sort((a, b) => a[1] - b[1]);
      const told = (point) => (point ? `${exact(point[1])} at ${placeName(point[0], axis)}` : "none");
      return cells("td", labelOf(name, labels), told(last), told(points[0]), told(points.at(-1)));
    });
    this.at[".table"].replaceChildren(element("thead", head), element("tbody", ...rows));
  }

  destroy() {
    this.stop?.();
    cancelAnimationFrame(this.frame);
    clearTimeout(this.again);
    this.resize.disconnect();
    this.chart?.destroy();
    this.chart = null;
  }
}

function element(tag, ...children) {
  const made = document.createElement(tag);
  made.append(...children);
  return made;
}
