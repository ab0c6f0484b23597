// A graph, laid out by dagre: boxes in frames, and edges with labels.
const NODE_FONT = "600 13px system-ui, sans-serif", SMALL_FONT = "11px system-ui, sans-serif";
const NODE_PX = 190, LINE_PX = 15;

const nodeSize = (node) => ({
  width: Math.min(NODE_PX, Math.max(textWidth(node.name, NODE_FONT), textWidth(node.note, SMALL_FONT))) + 24,
  height: (node.note ? 2 : 1) * LINE_PX + 14,
});

const layOut = (chart, direction) => {
  const graph = new dagre.graphlib.Graph({multigraph: true, compound: true});
  graph.setGraph({rankdir: direction, nodesep: 26, edgesep: 14, ranksep: 34, marginx: 8, marginy: 8});
  chart.groups.forEach((group, k) => graph.setNode(`g${k}`, {}));
  chart.nodes.forEach((node, k) => {
    graph.setNode(`n${k}`, nodeSize(node));
    graph.setParent(`n${k}`, `g${node.group}`);
  });
  chart.edges.forEach((edge, k) => {
    const lines = edge.label.split("\n");
    graph.setEdge(`n${edge.from}`, `n${edge.to}`, {
      width: Math.max(...lines.map((line) => textWidth(line, SMALL_FONT))) + 10, height: lines.length * LINE_PX, labelpos: "c"}, `e${k}`);
  });
  dagre.layout(graph);
  return graph;
};

// Round corners: each point but the ends is passed at a distance.
const curve = (points) => {
  const middle = (a, b) => `${(a.x + b.x) / 2} ${(a.y + b.y) / 2}`;
  const [first, ...rest] = points;
  const last = rest.pop();
  const parts = rest.map((point, k) => `Q${point.x} ${point.y} ${middle(point, rest[k + 1] ?? last)}`);
  return `M${first.x} ${first.y}${rest.length ? `L${middle(first, rest[0])}` : ""}${parts.join("")}L${last.x} ${last.y}`;
};

const lines = (text, x, y, className, parent) => {
  const all = text.split("\n");
  all.forEach((line, k) => svg("text", {x, y: y + (k - (all.length - 1) / 2) * LINE_PX, class: className}, parent, {text: line}));
};

const drawGroup = (group, at, parent) => {
  const frame = svg("g", {class: "group"}, parent, {hint: group.hint});
  const left = at.x - at.width / 2, top = at.y - at.height / 2;
  svg("rect", {x: left, y: top, width: at.width, height: at.height, rx: 8}, frame);
  svg("text", {x: left + 8, y: top + 15}, frame, {text: fitted(group.name, at.width - 12, SMALL_FONT)});
};

const drawEdge = (edge, at, parent) => {
  const drawn = svg("g", {class: `edge${edge.loop ? " loop" : ""}`}, parent, {hint: edge.hint});
  svg("path", {d: curve(at.points), "stroke-width": edge.width, "marker-end": `url(#${edge.loop ? "loop" : "edge"}-head)`,
               ...(edge.dashed && {"stroke-dasharray": "5 4"})}, drawn);
  svg("rect", {x: at.x - at.width / 2, y: at.y - at.height / 2, width: at.width, height: at.height, class: "ground"}, drawn);
  lines(edge.label, at.x, at.y, "label", drawn);
};

const drawNode = (node, at, parent) => {
  const drawn = svg("g", {class: "node"}, parent, {hint: node.hint});
  const left = at.x - at.width / 2, top = at.y - at.height / 2;
  svg("rect", {x: left, y: top, width: at.width, height: at.height, rx: node.colour === null ? at.height / 2 : 4}, drawn);
  if (node.colour !== null) svg("rect", {x: left, y: top, width: 6, height: at.height, rx: 2, fill: colour(node.colour), class: "stripe"}, drawn);
  svg("text", {x: at.x, y: node.note ? at.y - LINE_PX / 2 : at.y, class: "name"}, drawn, {text: fitted(node.name, NODE_PX, NODE_FONT)});
  if (node.note) svg("text", {x: at.x, y: at.y + LINE_PX / 2 + 1, class: "label"}, drawn, {text: fitted(node.note, NODE_PX, SMALL_FONT)});
};

const drawGraph = (chart, box) => {
  box.className = "scroll";
  const room = box.clientWidth;
  // Left to right if there is room, else top to bottom.
  const wide = layOut(chart, "LR");
  const graph = wide.graph().width <= room ? wide : layOut(chart, "TB");
  const {width, height} = graph.graph();
  const picture = svg("svg", {width, height, viewBox: `0 0 ${width} ${height}`, class: "graph", role: "img", "aria-label": chart.text}, box);
  const heads = svg("defs", {}, picture);
  arrowHead("edge-head", "head", heads);
  arrowHead("loop-head", "loop head", heads);
  chart.groups.forEach((group, k) => {
    if (graph.children(`g${k}`).length) drawGroup(group, graph.node(`g${k}`), picture);
  });
  chart.edges.forEach((edge, k) => drawEdge(edge, graph.edge(`n${edge.from}`, `n${edge.to}`, `e${k}`), picture));
  chart.nodes.forEach((node, k) => drawNode(node, graph.node(`n${k}`), picture));
};
