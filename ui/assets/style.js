// Colours come from the page's theme at the moment of drawing; line styles from what a metric is.

import { armOf, splitOf } from "./words.js";

const DASHES = [[], [], [8, 5], [2, 4], [8, 4, 2, 4], [13, 5], [13, 4, 2, 4], [2, 6]];
const ORDER = ["train", "val", "test"]; // training is colour 1 and validation colour 2, everywhere
const MOST_LINES = 4; // more than these and the others turn grey
const GREY = 7;

export function colours(element) {
  const style = getComputedStyle(element);
  const of = (name) => style.getPropertyValue(`--st-${name}`).trim();
  return {
    ink: of("text-color"), paper: of("background-color"), muted: of("gray-text-color") || of("text-color"),
    line: of("border-color"), font: of("font") || "sans-serif", pine: of("primary-color"),
    series: of("chart-categorical-colors").split(",").map((colour) => colour.trim()),
    marigold: style.getPropertyValue("--marigold").trim(), onMarigold: style.getPropertyValue("--on-marigold").trim(),
  };
}

/** How each line is drawn: `{ colour (index), dash, width, isGrey, isBeneath }` by metric name. */
export function styles(names, front, isAsked, beneath) {
  const arms = [...new Set(names.map(armOf).filter(Boolean))];
  const first = names.some((name) => !armOf(name)) ? 2 : 0; // training and validation keep their colours
  const isFaint = names.some((name) => splitOf(name) === "val"); // training steps back beside validation alone
  const others = names.filter((name) => !armOf(name) && !ORDER.includes(splitOf(name)));
  const entries = names.map((name) => {
    const plain = ORDER.includes(splitOf(name)) ? ORDER.indexOf(splitOf(name)) : 3 + others.indexOf(name);
    const style = armOf(name) ? armStyle(splitOf(name), first + arms.indexOf(armOf(name)), isFaint) : plainStyle(plain, names.length === 1);
    const isGrey = (isAsked || names.length > MOST_LINES) && !front.includes(name);
    if (beneath?.includes(name)) return [name, { ...style, dash: [], width: 9, isBeneath: true, isGrey: false }];
    return [name, isGrey ? { ...style, colour: GREY, width: 1.25, isGrey } : { ...style, isGrey }];
  });
  return new Map(entries);
}

function plainStyle(index, isAlone) {
  return { colour: index % GREY, dash: isAlone ? [] : DASHES[index % GREY], width: index === 1 ? 3 : 2 };
}

function armStyle(split, arm, isFaint) {
  const colour = arm % GREY;
  if (split === "val") return { colour, dash: [], width: 3 };
  if (split === "train") return { colour, dash: isFaint ? DASHES[3] : [], width: 2 };
  return { colour, dash: DASHES[2], width: 2 };
}

/** The lines that stay coloured where there are more than four: those asked for, else those that moved last. */
export function inFront(names, entry, asked) {
  if (asked?.length) return asked;
  const newest = (name) => entry.lines.byName.get(name).steps.at(-1) ?? 0;
  return [...names].sort((a, b) => newest(b) - newest(a)).slice(0, MOST_LINES);
}
