// Replays the log of one all-reduce: each piece leaves when it left and arrives when it arrived, slowed down.

const SLOWED_MS = 900, LEAST_MS = 550, REST_MS = 2500; // a turn, a piece's way, the pause before it plays again
const AT = { x: 160, y: 150, radius: 114 };
const seen = new WeakMap();

class Replay {
  constructor(root) {
    this.at = (name) => root.querySelector(name);
    this.at(".play").addEventListener("click", () => (this.isPlaying ? this.hold() : this.play()));
    this.at(".next").addEventListener("click", () => this.step());
    this.isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  }

  /** The page has run: another log, or the same once more, which must not disturb the replay. */
  update(data) {
    const text = JSON.stringify(data);
    if (text === this.text) return;
    Object.assign(this, { text, data, sends: timed(data) });
    this.end = Math.max(...this.sends.map(({ lands }) => lands));
    this.draw();
    this.list();
    if (this.isCalm || this.isHeld) this.show(this.end);
    else this.play();
  }

  place(rank) {
    const angle = (2 * Math.PI * rank) / this.data.workers - Math.PI / 2;
    return [AT.x + AT.radius * Math.cos(angle), AT.y + AT.radius * Math.sin(angle)];
  }

  /** The radius of a rank: eight of them need room between. */
  size() {
    return this.data.workers > 6 ? 29 : 33;
  }

  draw() {
    const svg = this.at("svg"), ranks = [...Array(this.data.workers).keys()];
    svg.setAttribute("aria-label", this.data.alt);
    const ways = new Set(this.sends.map(({ from, to }) => `${Math.min(from, to)}-${Math.max(from, to)}`));
    const lines = [...ways].map((way) => {
      const [[x1, y1], [x2, y2]] = way.split("-").map((rank) => this.place(Number(rank)));
      return make("line", { x1, y1, x2, y2 });
    });
    this.counts = ranks.map((rank) => {
      const [x, y] = this.place(rank);
      return make("text", { x, y: y + 9, class: "sent" });
    });
    const circles = ranks.flatMap((rank) => {
      const [cx, cy] = this.place(rank), name = make("text", { x: cx, y: cy - 9 });
      name.textContent = `rank ${rank}`;
      return [make("circle", { cx, cy, r: this.size(), class: "rank" }), name];
    });
    this.pieces = make("g", {});
    svg.replaceChildren(...lines, ...circles, ...this.counts, this.pieces);
  }

  play() {
    Object.assign(this, { isPlaying: true, isHeld: false, since: performance.now() - (this.now >= this.end ? 0 : this.now ?? 0) });
    this.at(".play").textContent = "Pause";
    this.frame();
  }

  hold() {
    Object.assign(this, { isPlaying: false, isHeld: true });
    cancelAnimationFrame(this.asked);
    this.at(".play").textContent = "Play";
  }

  frame() {
    const now = performance.now() - this.since;
    this.show(Math.min(now, this.end));
    if (now > this.end + REST_MS) this.since = performance.now();
    this.asked = requestAnimationFrame(() => this.isPlaying && this.frame());
  }

  /** Stand where the next piece has just arrived; after the last one begin again. */
  step() {
    this.hold();
    const later = this.sends.map(({ lands }) => lands).filter((lands) => lands > (this.now ?? 0) + 1e-6);
    this.show(later.length ? Math.min(...later) : 0);
  }

  show(now) {
    this.now = now;
    const { bytes, workers } = this.data, sent = Array(workers).fill(0), under = [];
    for (const send of this.sends) {
      if (now >= send.lands) sent[send.from] += send.bytes;
      else if (now >= send.leaves) under.push(this.piece(send, (now - send.leaves) / (send.lands - send.leaves)));
    }
    this.counts.forEach((text, rank) => (text.textContent = `${(sent[rank] / bytes).toFixed(2)}\u00d7`));
    this.pieces.replaceChildren(...under);
    const done = this.sends.filter(({ lands }) => now >= lands), at = done.length ? Math.max(...done.map(({ ended }) => ended)) : 0;
    this.at(".clock").textContent = `${done.length} of ${this.sends.length} sends, ${at.toFixed(2)} ms on the real clock (M). `
      + "In each circle: messages sent so far.";
  }

  piece({ from, to, part }, share) {
    const [a, b] = [this.place(from), this.place(to)], far = Math.hypot(b[0] - a[0], b[1] - a[1]);
    const edge = Math.min(0.45, this.size() / far), at = edge + (1 - 2 * edge) * share; // from rim to rim: names stay readable
    const [cx, cy] = [0, 1].map((i) => a[i] + (b[i] - a[i]) * at);
    const group = make("g", { class: "piece" }), name = make("text", { x: cx, y: cy });
    name.textContent = part;
    const dot = make("circle", { cx, cy, r: 11 });
    const colours = getComputedStyle(this.at("figure")).getPropertyValue("--st-chart-categorical-colors").split(",");
    dot.style.stroke = colours[part % colours.length].trim();
    group.append(dot, name);
    return group;
  }

  list() {
    const row = (tag, ...cells) => {
      const made = document.createElement("tr");
      made.append(...cells.map((cell) => Object.assign(document.createElement(tag), { textContent: cell })));
      return made;
    };
    const rows = this.sends.map(({ from, to, part, bytes, begun, ended }) =>
      row("td", from, to, part, bytes.toLocaleString("en-US"), begun.toFixed(3), ended.toFixed(3)));
    this.at("table").replaceChildren(row("th", "from", "to", "part", "bytes", "begun (ms)", "sent (ms)"), ...rows);
  }

  destroy() {
    this.isPlaying = false;
    cancelAnimationFrame(this.asked);
  }
}

/** Each send with its times in the replay; a piece is on its way for at least as long as an eye needs. */
function timed({ sends, workers }) {
  const last = Math.max(...sends.map((send) => send[5]), 1e-9), slow = (2 * (workers - 1) * SLOWED_MS) / last;
  return sends.map(([from, to, part, bytes, begun, ended]) => {
    const leaves = begun * slow;
    return { from, to, part, bytes, begun, ended, leaves, lands: Math.max(ended * slow, leaves + LEAST_MS) };
  });
}

function make(tag, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

export default function ({ data, parentElement }) {
  let replay = seen.get(parentElement);
  if (!replay) seen.set(parentElement, (replay = Object.assign(new Replay(parentElement), { turn: 0 })));
  replay.update(data);
  const turn = ++replay.turn; // only the latest call may end it
  return () => setTimeout(() => {
    if (replay.turn !== turn) return;
    replay.destroy();
    seen.delete(parentElement);
  });
}
