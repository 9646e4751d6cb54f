// One socket a tab: feeds every chart and gauge of the page, and goes on where it was after a break.

import { Lines } from "./lines.js";

const FIRST_WAIT_MS = 400, LONGEST_WAIT_MS = 8000;
const ENDED = ["stopped", "failed", "finished"];
const streams = new Map(); // base path -> Stream

/** Follow a run; `listen(entry)` is called when anything of it changes. Returns what ends it. */
export const follow = (base, run, listen) => stream(base).follow(run, listen);

/** Read this machine's gauges once a second. Returns what ends it. */
export const machine = (base, listen) => stream(base).machine(listen);

function stream(base) {
  if (!streams.has(base)) streams.set(base, new Stream(base));
  return streams.get(base);
}

class Stream {
  constructor(base) {
    this.url = new URL(`${base}/api/live`, location.href);
    this.url.protocol = this.url.protocol.replace("http", "ws");
    this.runs = new Map(); // run id -> { at, lines, status, plan, samples, finding, step, seconds, listeners }
    this.gauges = new Set();
    this.wait = FIRST_WAIT_MS;
    this.isOnline = true;
    const retry = () => document.visibilityState === "visible" && this.hurry();
    document.addEventListener("visibilitychange", retry);
    addEventListener("online", retry);
  }

  follow(run, listen) {
    if (!this.runs.has(run)) this.runs.set(run, fresh(run));
    const entry = this.runs.get(run);
    entry.listeners.add(listen);
    entry.isOnline = this.isOnline;
    if (entry.status) listen(entry); // a second chart starts from what the tab already has
    this.ask();
    return () => {
      entry.listeners.delete(listen);
      if (!entry.listeners.size && this.runs.get(run) === entry) this.runs.delete(run);
      this.ask();
    };
  }

  machine(listen) {
    this.gauges.add(listen);
    this.ask();
    return () => {
      this.gauges.delete(listen);
      this.ask();
    };
  }

  /** Tell the server what this tab looks at now, and how far it has each run. */
  ask() {
    if (!this.runs.size && !this.gauges.size) return this.socket?.close();
    if (!this.socket) return this.connect();
    if (this.socket.readyState !== WebSocket.OPEN) return;
    const watch = Object.fromEntries([...this.runs].map(([run, entry]) => [run, entry.at]));
    this.socket.send(JSON.stringify({ watch, machine: this.gauges.size > 0 }));
  }

  connect() {
    clearTimeout(this.timer);
    const socket = (this.socket = new WebSocket(this.url));
    socket.onopen = () => {
      this.wait = FIRST_WAIT_MS;
      this.tell(true);
      this.ask();
    };
    socket.onmessage = ({ data }) => this.take(JSON.parse(data));
    socket.onclose = () => {
      this.socket = null;
      if (!this.runs.size && !this.gauges.size) return;
      this.tell(false);
      this.timer = setTimeout(() => this.connect(), this.wait * (1 + Math.random())); // spread a class out
      this.wait = Math.min(this.wait * 2, LONGEST_WAIT_MS);
    };
  }

  hurry() {
    if (this.socket || (!this.runs.size && !this.gauges.size)) return;
    this.wait = FIRST_WAIT_MS;
    this.connect();
  }

  tell(isOnline) {
    if (this.isOnline === isOnline) return;
    this.isOnline = isOnline;
    for (const entry of this.runs.values()) {
      entry.isOnline = isOnline;
      entry.listeners.forEach((listen) => listen(entry));
    }
  }

  take(message) {
    if (message.machine) return this.gauges.forEach((listen) => listen(message.machine));
    const entry = this.runs.get(message.run);
    if (!entry) return;
    if (message.reset) {
      entry.lines.clear();
      Object.assign(entry, { plan: {}, samples: {}, finding: null, reading: null });
    }
    entry.isThinned = !message.reset && (entry.isThinned || Object.keys(message.series).length > 0);
    for (const [name, points] of Object.entries(message.series)) entry.lines.add(name, points);
    for (const part of ["at", "t", "step", "seconds", "status", "plan", "samples", "finding", "reading"]) {
      if (part in message) entry[part] = message[part];
    }
    entry.listeners.forEach((listen) => listen(entry));
    if (entry.isThinned && ENDED.includes(entry.status?.word)) this.again(entry);
  }

  /** Live ticks carry few points of a fast run: at its end take the whole, as a reload would. */
  again(entry) {
    Object.assign(entry, { at: 0, isThinned: false });
    if (this.socket?.readyState !== WebSocket.OPEN) return; // it asks when it is open again
    const others = [...this.runs].filter(([run]) => run !== entry.run).map(([run, { at }]) => [run, at]);
    this.socket.send(JSON.stringify({ watch: Object.fromEntries(others), machine: this.gauges.size > 0 }));
    this.ask();
  }
}

function fresh(run) {
  return {
    run, at: 0, t: 0, step: 0, seconds: 0, status: null, plan: {}, samples: {}, finding: null, reading: null,
    isOnline: true, isThinned: false, lines: new Lines(), listeners: new Set(),
  };
}
