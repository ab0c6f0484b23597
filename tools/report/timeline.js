// Bars over time, a lane each for who did the work, and arrows from what sent to what received.
const LANE_PX = 34, BAR_PX = 20, AXIS_PX = 26, BAR_FONT = "11px system-ui, sans-serif";
const LEAST_TEXT_PX = 40;
const READABLE_PX = 14, MOST_ZOOM = 10;  // a bar's mean room at the first zoom; zooms are powers of two

const tickStep = (length, most) => {
  const least = length / most, power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].find((factor) => factor * power >= least) * power;
};

const drawTicks = (length, scale, height, picture) => {
  const step = tickStep(length, Math.max(2, length * scale / 110));
  for (let time = 0; time <= length; time += step) {
    svg("line", {x1: time * scale, x2: time * scale, y1: 0, y2: height - AXIS_PX + 4, class: "tick"}, picture);
    svg("text", {x: time * scale + 3, y: height - 8, class: "time"}, picture, {text: timeText(time)});
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

const fullestLane = (chart) => Math.max(...chart.lanes.map((_, lane) => chart.bars.filter((bar) => bar.lane === lane).length));

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
  Object.assign(slider, {type: "range", min: 0, max: MOST_ZOOM, step: 1});
  const draw = (middle) => {
    const width = room * 2 ** slider.value, scale = (width - 70) / length;
    scroll.replaceChildren();
    const picture = svg("svg", {width, height, role: "img", "aria-label": chart.text}, scroll);
    arrowHead("arrow-head", "head", svg("defs", {}, picture));
    drawTicks(length, scale, height, picture);
    drawBars(chart, scale, picture);
    drawArrows(chart, scale, picture);
    scroll.scrollLeft = middle * width - room / 2;
  };
  slider.defaultValue = Math.min(MOST_ZOOM, Math.max(0, Math.ceil(Math.log2(fullestLane(chart) * READABLE_PX / room))));
  slider.addEventListener("input", () => draw((scroll.scrollLeft + room / 2) / scroll.scrollWidth));
  draw(0);
};
