// Bars and points, by Chart.js.
const MARKS = {
  line: {pointStyle: "line", colour: "--ink", pointRadius: 12, borderWidth: 3},
  cross: {pointStyle: "crossRot", colour: "--soft", pointRadius: 6, borderWidth: 2},
  star: {pointStyle: "star", colour: "--bad", pointRadius: 7, borderWidth: 2},
  triangle: {pointStyle: "triangle", colour: "--soft", pointRadius: 5, borderWidth: 2},
};
const POINTS = ["circle", "rect", "triangle", "rectRot", "star", "cross"];
const ROW_PX = 26, AROUND_PX = 110;  // of horizontal bars: a label's height, and that of the axis and the legend

const numberOf = (series, k) => series.colour === undefined ? k : series.colour;

const axis = (unit, log) => ({
  type: log ? "logarithmic" : "linear",
  title: {display: measured(unit).title !== "", text: measured(unit).title, color: themed("--soft")},
  ticks: {
    color: themed("--soft"),
    callback: (value) => {
      const digit = Number(value.toExponential()[0]);
      return !log || [1, 2, 5].includes(digit) ? measured(unit).tick(value) : "";
    },
  },
  grid: {color: themed("--line")},
});

const barSeries = (chart, series, k) => {
  if (series.mark) {
    const {colour: name, ...mark} = MARKS[series.mark];
    return {type: "line", label: series.name, data: series.values, showLine: false, order: 0, ...mark, borderColor: themed(name)};
  }
  const fill = series.colours ? series.colours.map(colour) : colour(numberOf(series, k));
  return {label: series.name, data: series.values, backgroundColor: fill, order: 1, base: chart.log ? 1 : 0,
          ...(chart.horizontal && {maxBarThickness: 40})};
};

const bars = (chart) => {
  const labels = {ticks: {color: themed("--ink"), autoSkip: false}, grid: {display: false}, stacked: chart.stacked};
  const values = {...axis(chart.unit, chart.log), stacked: chart.stacked, ...(chart.most && {suggestedMax: chart.most})};
  const read = (item) => item.parsed[chart.horizontal ? "x" : "y"];
  return {
    type: "bar",
    data: {labels: chart.labels, datasets: chart.series.map((series, k) => barSeries(chart, series, k))},
    options: {
      indexAxis: chart.horizontal ? "y" : "x",
      scales: chart.horizontal ? {x: values, y: labels} : {x: {...labels, ticks: {color: themed("--ink")}}, y: values},
      plugins: {tooltip: {callbacks: {label: (item) => `${item.dataset.label}: ${measured(chart.unit).text(read(item))}`}}},
    },
  };
};

const diagonal = (chart) => {
  const all = chart.series.flatMap((series) => series.points.flatMap((point) => point.slice(0, 2)));
  const ends = [Math.min(...all), Math.max(...all)];
  return {type: "line", label: "as predicted", data: ends.map((end) => ({x: end, y: end})), borderColor: themed("--none"),
          borderWidth: 1, pointRadius: 0, order: 2};
};

const points = (chart) => ({
  type: "scatter",
  data: {
    datasets: [...chart.series.map((series, k) => ({
      label: series.name, order: 1, backgroundColor: colour(numberOf(series, k)), borderColor: colour(numberOf(series, k)),
      pointStyle: POINTS[numberOf(series, k) % POINTS.length], pointRadius: chart.line ? 0 : 6, pointHitRadius: 8,
      showLine: Boolean(chart.line), data: series.points.map(([x, y, label]) => ({x, y, label})),
    })), ...(chart.diagonal ? [diagonal(chart)] : [])],
  },
  options: {
    scales: {x: axis(chart.x_unit, chart.log && !chart.line), y: axis(chart.unit, chart.log)},
    plugins: {tooltip: {callbacks: {label: (item) =>
      `${item.dataset.label}, ${item.raw.label}: ${measured(chart.x_unit).text(item.parsed.x)}, ${measured(chart.unit).text(item.parsed.y)}`}}},
  },
});

// Returns what has to go before the next drawing in `box`.
const drawChart = (chart, box) => {
  box.className = "chart";
  if (chart.horizontal) box.style.height = `${chart.labels.length * ROW_PX + AROUND_PX}px`;
  const canvas = element("canvas", undefined, box);
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", chart.title);
  const config = chart.kind === "bars" ? bars(chart) : points(chart);
  Object.assign(config.options, {animation: false, responsive: true, maintainAspectRatio: false});
  config.options.plugins.legend = {display: chart.legend !== false, labels: {usePointStyle: true, color: themed("--ink")}};
  const drawn = new Chart(canvas, config);
  return () => drawn.destroy();
};
