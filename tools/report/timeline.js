// Bars over time, a lane each for who did the work, and arrows from what sent to what received.
const LANE_PX = 34, BAR_PX = 20, AXIS_PX = 26, BAR_FONT = "11px system-ui, sans-serif";
const LEAST_TEXT_PX = 40;
const READABLE_PX = 14;  // a bar's mean room at the first zoom
const MOST_ZOOM = 12, ZOOM_STEP = 0.25;  // zooms are powers of two
const END_PX = 70;  // behind the last bar, for the text of a tick

const tickStep = (length, most) => {
  const least = length / most, power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].find((factor) => factor * power >= least) * power;
};

// All ticks have one unit, and the digits that tell them apart: one behind the point, more if the largest would have too many before it.
const tickText = (time, step, length) => {
  const digits = ([factor]) => Math.max(0, Math.ceil(-Math.log10(step / factor) - 1e-9));
  const units = [[1e6, "s"], [1e3, "ms"], [1, "us"], [1e-3, "ns"]].filter(([factor]) => length >= factor && length < 1e4 * factor);
  const unit = units.find((unit) => digits(unit) <= 1) ?? units.at(-1) ?? [1e6, "s"];
  return time === 0 ? "0" : `${(time / unit[0]).toFixed(digits(unit))} ${unit[1]}`;
};

const drawTicks = (length, scale, height, picture) => {
  const step = tickStep(length, Math.max(2, length * scale / 110));
  for (let time = 0; time <= length; time += step) {
    svg("line", {x1: time * scale, x2: time * scale, y1: 0, y2: height - AXIS_PX + 4, class: "tick"}, picture);
    svg("text", {x: time * scale + 3, y: height - 8, class: "time"}, picture, {text: tickText(time, step, length)});
  }
};

const drawBars = (chart, scale, picture) => {
  for (const bar of chart.bars) {
    const width = Math.max((bar.end - bar.begin) * scale, 1.5), x = bar.begin * scale, y = bar.lane * LANE_PX + (LANE_PX - BAR_PX) / 2;
    const drawn = svg("g", {class: "bar"}, picture, {hint: bar.hint});
    svg("rect", {x, y, width, height: BAR_PX, rx: Math.min(3, width / 2), fill: colour(bar.colour)}, drawn);
    const text = width > LEAST_TEXT_PX || textWidth(bar.name, BAR_FONT) + 8 < width ? fitted(bar.name, width - 8, BAR_FONT) : "";
    if (text) svg("text", {x: x + 4, y: y + BAR_PX / 2, style: `fill: ${textOn(bar.colour)}`}, drawn, {text});
  }
};

const drawArrows = (chart, scale, picture) => {
  for (const {from, to, hint} of chart.arrows) {
    const begin = chart.bars[from], end = chart.bars[to], down = end.lane > begin.lane;
    const edge = (bar, below) => bar.lane * LANE_PX + LANE_PX / 2 + (below ? BAR_PX / 2 : -BAR_PX / 2);
    svg("line", {x1: begin.end * scale, y1: edge(begin, down), x2: end.begin * scale, y2: edge(end, !down), class: "arrow",
                 "marker-end": "url(#arrow-head)"}, picture, {hint});
  }
};

// The most bars of a lane between two times.
const fullestLane = (chart, begin, end) => {
  const counts = chart.lanes.map(() => 0);
  for (const bar of chart.bars) if (bar.begin <= end && bar.end >= begin) ++counts[bar.lane];
  return Math.max(...counts);
};

// The time from which to which the picture shows at first: the whole instance of median duration, for the first ones find controllers
// asleep, and those beside it that are not much longer, as many as can be read.
const firstView = (chart, length, room) => {
  const readable = room / READABLE_PX, duration = ({begin, end}) => end - begin;
  if (!chart.whole.length) return {begin: 0, end: length * Math.min(1, readable / fullestLane(chart, 0, length))};
  const sorted = [...chart.whole].sort((a, b) => duration(a) - duration(b)), typical = sorted[Math.floor((sorted.length - 1) / 2)];
  const view = {...typical}, most = 2 * duration(typical);
  const beside = chart.whole.filter((one) => duration(one) <= most).sort((a, b) => Math.abs(a.begin - typical.begin) - Math.abs(b.begin - typical.begin));
  for (const {begin, end} of beside) {
    const wider = {begin: Math.min(view.begin, begin), end: Math.max(view.end, end)};
    if (duration(wider) > duration(view) + most || fullestLane(chart, wider.begin, wider.end) > readable) break;
    Object.assign(view, wider);
  }
  return view;
};

const drawTimeline = (chart, box) => {
  box.className = "timeline";
  const height = chart.lanes.length * LANE_PX + AXIS_PX, length = Math.max(...chart.bars.map((bar) => bar.end));
  const names = element("div", undefined, box);
  names.className = "lanes";
  chart.lanes.forEach((lane) => element("div", lane, names));
  const scroll = element("div", undefined, box);
  scroll.className = "scroll";
  scroll.tabIndex = 0;  // the keyboard scrolls it
  const room = scroll.clientWidth;
  const label = element("label", "Zoom ", box), slider = element("input", undefined, label);
  Object.assign(slider, {type: "range", min: 0, max: MOST_ZOOM, step: ZOOM_STEP});
  const scaleOf = (width) => (width - END_PX) / length;
  const draw = (left) => {
    const width = room * 2 ** slider.value, scale = scaleOf(width);
    scroll.replaceChildren();
    const picture = svg("svg", {width, height, role: "img", "aria-label": chart.text}, scroll);
    arrowHead("arrow-head", "head", svg("defs", {}, picture));
    drawTicks(length, scale, height, picture);
    drawBars(chart, scale, picture);
    drawArrows(chart, scale, picture);
    scroll.scrollLeft = left(width);
  };
  const {begin, end} = firstView(chart, length, room), zoom = Math.log2(((room - END_PX) * length / (end - begin) + END_PX) / room);
  slider.defaultValue = Math.min(MOST_ZOOM, Math.floor(zoom / ZOOM_STEP) * ZOOM_STEP);
  slider.addEventListener("input", () => {
    const middle = (scroll.scrollLeft + room / 2) / scroll.scrollWidth;
    draw((width) => middle * width - room / 2);
  });
  draw((width) => begin * scaleOf(width));
};
