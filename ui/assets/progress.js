// The state of one run in a line: words, and a thin bar while it goes.

import { follow } from "./stream.js";
import { capital, stateWords, write } from "./words.js";

export const mount = (root) => new Progress(root);

class Progress {
  constructor(root) {
    this.words = root.querySelector("p");
    this.chip = root.querySelector(".chip");
    this.bar = root.querySelector(".bar");
    this.fill = root.querySelector(".bar i");
  }

  /** The page has run: another run, or the same with a state that the socket may not have told yet. */
  update({ data }) {
    const isOther = data.run !== this.run;
    Object.assign(this, { run: data.run, known: data.words });
    if (isOther) {
      this.stop?.();
      Object.assign(this, { entry: null, stop: null });
      if (data.run) this.stop = follow(data.base, data.run, (entry) => this.take(entry));
    }
    this.draw();
  }

  take(entry) {
    this.entry = entry;
    this.draw();
  }

  draw() {
    if (!this.run) {
      this.bar.hidden = this.chip.hidden = true;
      return write(this.words, "", this.known);
    }
    const entry = this.entry;
    if (!entry?.status) { // the socket has not told yet
      this.bar.hidden = this.chip.hidden = true;
      return write(this.words, `${capital(this.known === "queued" ? "starting" : this.known)}.`, "");
    }
    const [bold, rest] = stateWords(entry), hasFailed = entry.status.word === "failed"; // its reason stands beside
    write(this.words, unbroken(bold), hasFailed ? "" : unbroken(rest));
    this.chip.hidden = !entry.isOnline || !["running", "finished"].includes(entry.status.word);
    const { status, plan, step } = entry, isMoving = ["running", "paused"].includes(status.word) && plan.steps;
    this.bar.hidden = !isMoving || !entry.isOnline;
    if (!isMoving) return;
    const share = Math.min(1, step / plan.steps);
    this.fill.style.width = `${100 * share}%`;
    this.bar.setAttribute("aria-valuenow", Math.round(100 * share));
  }

  destroy() {
    this.stop?.();
  }
}

/** A figure and its word stay on one line. */
const unbroken = (text) => text.replace(/(\d) (?=s\b|min\b|h\b)|(?<=epoch|step|part|place) (?=\d)/gi, "$1\u00a0");
