// Shared by the page's scripts: elements, formats of values, colours.

// Okabe and Ito's colours: told apart by colour-blind readers and in print. Black text is readable on all but `DARK`.
const COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#8a7a00"];
const DARK = [0, 6];

// A colour of page.css for the present theme, for what CSS does not reach.
const themed = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const colour = (number) => number === null ? themed("--none") : COLOURS[number % COLOURS.length];
const textOn = (number) => DARK.includes(number % COLOURS.length) && number !== null ? "#fff" : "#1b1f24";

const element = (name, text, parent) => {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (parent) parent.append(made);
  return made;
};

// `hint`: shown while the pointer is over it (page.js).
const svg = (name, attributes, parent, {text, hint} = {}) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  if (hint !== undefined) made.dataset.hint = hint;
  if (parent) parent.append(made);
  return made;
};

// The head of an arrow, for the `marker-end` of lines.
const arrowHead = (id, className, parent) => {
  const marker = svg("marker", {id, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8, markerHeight: 8,
                                markerUnits: "userSpaceOnUse", orient: "auto"}, parent);
  svg("path", {d: "M0 0 8 4 0 8z", class: className}, marker);
};

const measure = document.createElement("canvas").getContext("2d");
const textWidth = (text, font) => {
  measure.font = font;
  return Math.ceil(measure.measureText(text).width);
};
// `text` with its end cut off, so that it is `width` pixels wide at most.
const fitted = (text, width, font) => {
  if (textWidth(text, font) <= width) return text;
  let kept = text;
  while (kept !== "" && textWidth(`${kept}…`, font) > width) kept = kept.slice(0, -1);
  return `${kept}…`;
};

const short = (value) => {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-3) return value.toExponential(1).replace(".0e", "e").replace("e+", "e");
  return String(Number(value.toPrecision(3)));
};
const countText = (value) => value.toLocaleString("en-US");
const counted = (value, noun) => `${countText(value)} ${noun}${value === 1 ? "" : "s"}`;
// In the largest of `units` that gives at least 1 when rounded; each is [factor, name].
const inUnit = (value, units) => {
  const [factor, name] = units.find(([factor]) => Number((Math.abs(value) / factor).toPrecision(3)) >= 1) ?? units.at(-1);
  const shown = value / factor;
  return `${Math.abs(shown) >= 100 ? Math.round(shown) : short(shown)} ${name}`;
};
const timeText = (us) => us === 0 ? "0 s" : inUnit(us, [[1e6, "s"], [1e3, "ms"], [1, "us"], [1e-3, "ns"]]);
const bytesText = (bytes) => inUnit(bytes, [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"], [1, "B"]]);
const percentText = (share) => `${short(100 * share)} %`;
// A chart's unit, such as "us" or "measured, s". Times and sizes have the unit that fits, and the axis has the rest as its title.
const UNITS = {us: timeText, s: (s) => timeText(s * 1e6), bytes: bytesText};
const measured = (unit) => {
  const parts = unit.split(", "), text = UNITS[parts.at(-1)];
  return text ? {title: parts.slice(0, -1).join(", "), text, tick: text}
              : {title: unit, text: (value) => `${short(value)} ${unit}`, tick: short};
};
