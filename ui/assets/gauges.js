// Gauges of this machine: a name, a figure, a bar. The words carry the meaning, the bar only helps the eye.

import { machine } from "./stream.js";

export const mount = (root) => new Gauges(root.querySelector("ul"));

class Gauges {
  constructor(list) {
    this.list = list;
    this.shown = new Map(); // name -> its parts on the page
  }

  update({ data }) {
    this.stop ??= machine(data.base, (reading) => rows(reading).forEach((row) => this.put(row)));
  }

  put({ name, text, share, aside }) {
    if (!this.shown.has(name)) this.shown.set(name, this.make(name));
    const { value, fill, more } = this.shown.get(name);
    value.textContent = text;
    fill.style.width = `${Math.round(100 * Math.min(1, share))}%`;
    more.textContent = aside ?? "";
  }

  make(name) {
    const row = document.createElement("li");
    row.innerHTML = `<div class="name"><span></span><span class="chip" title="Measured on this machine, now">M</span></div>
      <div class="value"></div><div class="bar" aria-hidden="true"><i></i></div><div class="aside"></div>`;
    row.querySelector(".name span").textContent = name;
    this.list.append(row);
    const [value, fill, more] = [".value", ".bar i", ".aside"].map((part) => row.querySelector(part));
    return { value, fill, more };
  }

  destroy() {
    this.stop?.();
  }
}

const gib = (value) => value.toFixed(value < 10 ? 1 : 0);

function rows(reading) {
  const cores = reading.cores === 1 ? "1 core" : `${reading.cores} cores`;
  return [
    { name: "Processor", text: `${Math.round(reading.cpu_pct)} % of ${cores}`, share: reading.cpu_pct / 100 },
    memory("Memory", reading),
    ...reading.gpus.flatMap((gpu) => card(gpu, reading.gpus.length)),
  ];
}

function memory(name, { memory_used_gib: used, memory_total_gib: total }) {
  return { name, text: `${gib(used)} of ${gib(total)} GiB`, share: used / total };
}

function card(gpu, count) {
  const name = count > 1 ? `GPU ${gpu.index}` : "GPU", found = [];
  const heat = gpu.temperature_c === undefined ? "" : `${gpu.temperature_c} °C`;
  const power = gpu.power_w === undefined ? "" : `${Math.round(gpu.power_w)} W`;
  const aside = [gpu.name, power, heat].filter(Boolean).join(", ");
  const busy = gpu.utilisation_pct;
  if (busy !== undefined) found.push({ name, text: `busy ${busy} % of the time`, share: busy / 100, aside });
  if (gpu.memory_total_gib !== undefined) found.push(memory(`${name} memory`, gpu));
  return found;
}
