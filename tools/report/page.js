// Draws a report from the JSON in #report:
//   {title, facts: [[name, text]], sections: [{title, text, charts: [chart], tables: [{title, columns, rows}]}]}
// A chart is one of
//   {kind: "bars",   title, unit, log, labels, series: [{name, values, mark?}]}   a mark is drawn above the bars of its label:
//                                                                                "line", "cross", "star" or "triangle"
//   {kind: "points", title, unit, x_unit, log, diagonal?, series: [{name, points: [[x, y, label]]}]}
// A series may have a number `colour`, so that it looks the same in all charts.
"use strict";
(() => {
  // Okabe and Ito's colours: told apart by colour-blind readers and in print.
  const COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#8a7a00"];
  const POINTS = ["circle", "rect", "triangle", "rectRot", "star", "cross"];
  const MARKS = {
    line: {pointStyle: "line", borderColor: "#1b1f24", pointRadius: 12, borderWidth: 3},
    cross: {pointStyle: "crossRot", borderColor: "#57606a", pointRadius: 6, borderWidth: 2},
    star: {pointStyle: "star", borderColor: "#a40e26", pointRadius: 7, borderWidth: 2},
    triangle: {pointStyle: "triangle", borderColor: "#57606a", backgroundColor: "#fff", pointRadius: 5, borderWidth: 2},
  };

  const colour = (series, k) => COLOURS[(series.colour ?? k) % COLOURS.length];

  const element = (name, text, parent) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (parent) parent.append(made);
    return made;
  };

  const short = (value) => {
    if (value === 0) return "0";
    const size = Math.abs(value);
    if (size >= 1e6 || size < 1e-3) return value.toExponential(1).replace(".0e", "e").replace("e+", "e");
    return String(Number(value.toPrecision(3)));
  };

  const axis = (title, log) => ({
    type: log ? "logarithmic" : "linear",
    title: {display: true, text: title, color: "#424a53"},
    ticks: {
      color: "#424a53",
      callback: (value) => {
        const digit = Number(value.toExponential()[0]);
        return !log || [1, 2, 5].includes(digit) ? short(value) : "";
      },
    },
    grid: {color: "#e3e7eb"},
  });

  const bars = (chart) => ({
    type: "bar",
    data: {
      labels: chart.labels,
      datasets: chart.series.map((series, k) => series.mark
        ? {type: "line", label: series.name, data: series.values, showLine: false, order: 0, ...MARKS[series.mark]}
        : {label: series.name, data: series.values, backgroundColor: colour(series, k), order: 1, base: chart.log ? 1 : 0}),
    },
    options: {
      scales: {x: {ticks: {color: "#1b1f24"}, grid: {display: false}}, y: axis(chart.unit, chart.log)},
      plugins: {tooltip: {callbacks: {label: (item) => `${item.dataset.label}: ${short(item.parsed.y)} ${chart.unit}`}}},
    },
  });

  const diagonal = (chart) => {
    const all = chart.series.flatMap((series) => series.points.flatMap((point) => point.slice(0, 2)));
    const ends = [Math.min(...all), Math.max(...all)];
    return {type: "line", label: "as predicted", data: ends.map((end) => ({x: end, y: end})), borderColor: "#8c959f", borderWidth: 1,
            pointRadius: 0, order: 2};
  };

  const points = (chart) => ({
    type: "scatter",
    data: {
      datasets: [...chart.series.map((series, k) => ({
        label: series.name, order: 1, backgroundColor: colour(series, k), borderColor: colour(series, k),
        pointStyle: POINTS[(series.colour ?? k) % POINTS.length], pointRadius: 6, data: series.points.map(([x, y, label]) => ({x, y, label})),
      })), ...(chart.diagonal ? [diagonal(chart)] : [])],
    },
    options: {
      scales: {x: axis(chart.x_unit, chart.log), y: axis(chart.unit, chart.log)},
      plugins: {tooltip: {callbacks: {label: (item) => `${item.dataset.label}, ${item.raw.label}: ${short(item.parsed.x)} ${short(item.parsed.y)}`}}},
    },
  });

  const draw = (chart, parent) => {
    const figure = element("figure", undefined, parent);
    element("h3", chart.title, figure);
    if (typeof Chart === "undefined") {
      element("p", "Not drawn: the chart library (libjs-chart.js) was not installed when this was built. The tables have the figures.", figure);
      return;
    }
    const box = element("div", undefined, figure);
    box.className = "chart";
    const canvas = element("canvas", undefined, box);
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", chart.title);
    const config = chart.kind === "bars" ? bars(chart) : points(chart);
    Object.assign(config.options, {animation: false, responsive: true, maintainAspectRatio: false});
    config.options.plugins.legend = {labels: {usePointStyle: true, color: "#1b1f24"}};
    new Chart(canvas, config);
  };

  const isNumber = (text) => /^[-+]?[\d.]+(e[-+]?\d+)?( ?(s|ms|us|ns|x|%))?$|^-$/.test(text);

  const tabulate = (table, parent) => {
    element("h3", table.title, parent);
    const scroll = element("div", undefined, parent);
    scroll.className = "scroll";
    const grid = element("table", undefined, scroll);
    const head = element("tr", undefined, element("thead", undefined, grid));
    table.columns.forEach((column) => element("th", column, head));
    const body = element("tbody", undefined, grid);
    for (const row of table.rows) {
      const line = element("tr", undefined, body);
      row.forEach((cell) => {
        const made = element("td", String(cell), line);
        if (isNumber(String(cell))) made.className = "number";
      });
    }
  };

  const report = JSON.parse(document.getElementById("report").textContent);
  const page = document.getElementById("page");
  page.replaceChildren();
  document.title = report.title;
  element("h1", report.title, page);
  const facts = element("dl", undefined, page);
  for (const [name, text] of report.facts) {
    element("dt", name, facts);
    element("dd", text, facts);
  }
  for (const section of report.sections) {
    element("h2", section.title, page);
    if (section.text) element("p", section.text, page);
    section.charts.forEach((chart) => draw(chart, page));
    section.tables.forEach((table) => tabulate(table, page));
  }
})();
