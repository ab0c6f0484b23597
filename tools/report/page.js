// Draws a report from the JSON in #report:
//   {title, verdict?, facts, tiles?: [{name, value, bad?}], sections: [{title, text, bad?, facts?, charts: [chart], tables: [table]}]}
//   facts: [[name, text]]      table: {title, columns, rows}
// or that of a run ({kind: "run", ...}, see run.js). A chart is one of
//   {kind: "bars",   title, unit, log, labels, series: [{name, values, mark?, colours?}], horizontal?, stacked?, legend?}
//                    a mark is drawn above the bars of its label: "line", "cross", "star" or "triangle"
//   {kind: "points", title, unit, x_unit, log, diagonal?, line?, series: [{name, points: [[x, y, label]]}], legend?}
//   {kind: "graph",  title, text, groups: [{name, hint}], nodes: [{name, note, group, colour, hint}],
//                    edges: [{from, to, label, width, loop, dashed, hint}]}
//   {kind: "timeline", title, text, lanes: [name], bars: [{lane, begin, end, name, colour, hint}], arrows: [{from, to, hint}],
//                    whole: [{begin, end}]}    it opens on the median of these spans and on those beside it, as many as can be read
// with `half`: beside another; `table`: the same as text, folded. A `colour` is a number, the same in all pictures, or null.

const NEEDS = {graph: ["dagre", "python3-xstatic-dagre"], bars: ["Chart", "libjs-chart.js"], points: ["Chart", "libjs-chart.js"]};
const DRAW = {graph: drawGraph, timeline: drawTimeline, bars: drawChart, points: drawChart};

const isNumber = (text) => /^[-+]?[\d.,]+(e[-+]?\d+)?( ?(s|ms|us|ns|x|%|B|[KMGT]iB))?$|^-$/.test(text);

const tabulate = (table, parent) => {
  const scroll = element("div", undefined, parent);
  scroll.className = "scroll";
  const grid = element("table", undefined, scroll);
  const head = element("tr", undefined, element("thead", undefined, grid));
  table.columns.forEach((column) => element("th", column, head).scope = "col");
  const body = element("tbody", undefined, grid);
  for (const row of table.rows) {
    const line = element("tr", undefined, body);
    row.forEach((cell) => {
      const made = element("td", String(cell), line);
      if (isNumber(String(cell))) made.className = "number";
    });
  }
};

const figureOf = (chart, parent) => {
  const figure = element("figure", undefined, parent);
  figure.classList.toggle("half", Boolean(chart.half));
  figure.dataset.kind = chart.kind;
  if (chart.title) element("h3", chart.title, figure);
  const [library, source] = NEEDS[chart.kind] ?? [];
  if (library && typeof globalThis[library] === "undefined") {
    element("p", `Not drawn: ${source} was not installed when this was built. The tables have the figures.`, figure);
  }
  const box = element("div", undefined, figure);
  if (chart.table) {
    const folded = element("details", undefined, figure);
    element("summary", `${chart.table.title} as a table`, folded);
    tabulate(chart.table, folded);
  }
  if (library && typeof globalThis[library] === "undefined") return () => {};
  let clear;
  return () => {
    clear?.();
    box.replaceChildren();
    clear = DRAW[chart.kind](chart, box);
  };
};

const factList = (facts, parent) => {
  const list = element("dl", undefined, parent);
  for (const [name, text] of facts) {
    element("dt", name, list);
    element("dd", text, list);
  }
};

const tileRow = (all, parent) => {
  const row = element("div", undefined, parent);
  row.className = "tiles";
  for (const {name, value, bad} of all) {
    const tile = element("div", undefined, row);
    tile.className = bad ? "bad" : "";
    element("b", value, tile);
    element("span", name, tile);
  }
};

const sectionOf = (section, parent) => {
  const made = element("section", undefined, parent);
  made.className = section.bad ? "bad" : "";
  element("h2", section.title, made);
  if (section.text) element("p", section.text, made);
  if (section.facts) factList(section.facts, made);
  const figures = element("div", undefined, made);
  figures.className = "figures";
  const drawings = section.charts.map((chart) => figureOf(chart, figures));
  for (const table of section.tables) {
    element("h3", table.title, made);
    tabulate(table, made);
  }
  return drawings;
};

// Shows the hint of what is under the pointer.
const showHints = () => {
  const box = element("div", undefined, document.body);
  box.id = "hint";
  document.addEventListener("pointerover", (event) => {
    const hint = event.target.closest("[data-hint]")?.dataset.hint ?? "";
    box.textContent = hint;
    box.style.display = hint ? "block" : "none";
    box.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - box.offsetWidth - 8))}px`;
    box.style.top = `${Math.max(4, Math.min(event.clientY + 16, innerHeight - box.offsetHeight - 8))}px`;
  });
};

const showReport = () => {
  const data = JSON.parse(document.getElementById("report").textContent);
  const report = data.kind === "run" ? reportOfRun(data) : data;
  const page = document.getElementById("page");
  page.replaceChildren();
  document.title = report.title;
  element("h1", report.title, page);
  if (report.verdict) element("p", report.verdict, page).className = "verdict";
  if (report.tiles) tileRow(report.tiles, page);
  factList(report.facts, page);
  const drawings = report.sections.flatMap((section) => sectionOf(section, page));
  const redraw = () => drawings.forEach((draw) => draw());
  redraw();
  showHints();

  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  const light = (on) => () => {  // paper is white
    document.documentElement.classList.toggle("light", on);
    redraw();
  };
  addEventListener("beforeprint", light(true));
  addEventListener("afterprint", light(false));
  let width = innerWidth;
  addEventListener("resize", () => {
    if (width === innerWidth) return;
    width = innerWidth;
    redraw();
  });
};

showReport();
