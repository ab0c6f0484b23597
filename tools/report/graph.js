// A graph, laid out by dagre: boxes in frames, and edges with labels.
const NODE_FONT = "600 13px system-ui, sans-serif", SMALL_FONT = "11px system-ui, sans-serif", FRAME_FONT = "600 11px system-ui, sans-serif";
const NODE_PX = 190, LINE_PX = 15;
const GOOD_SCALE = 0.75, LEAST_SCALE = 0.6;  // of the picture; a smaller one would be hard to read, so it scrolls
const MANY_NODES = 60, MOST_NODES = 300;

// A node's note names its group if no frame does. In a frame the node is so wide that the frame's name fits.
const nodeBox = (chart, node, framed) => {
  const note = [!framed && node.group !== null && chart.groups[node.group].name, node.note].filter(Boolean).join(" · ");
  const named = framed && node.group !== null ? textWidth(chart.groups[node.group].name, FRAME_FONT) - 24 : 0;
  return {width: Math.min(NODE_PX, Math.max(textWidth(node.name, NODE_FONT), textWidth(note, SMALL_FONT), named)) + 24,
          height: (note ? 2 : 1) * LINE_PX + 14, note};
};

const layOut = (chart, direction, framed) => {
  const graph = new dagre.graphlib.Graph({multigraph: true, compound: true});
  graph.setGraph({rankdir: direction, nodesep: 30, edgesep: 14, ranksep: 34, marginx: 8, marginy: 8});
  if (framed) chart.groups.forEach((group, k) => graph.setNode(`g${k}`, {}));
  chart.nodes.forEach((node, k) => {
    graph.setNode(`n${k}`, nodeBox(chart, node, framed));
    if (framed && node.group !== null) graph.setParent(`n${k}`, `g${node.group}`);
  });
  chart.edges.forEach((edge, k) => {
    const lines = edge.label.split("\n");
    graph.setEdge(`n${edge.from}`, `n${edge.to}`, {
      width: Math.max(...lines.map((line) => textWidth(line, SMALL_FONT))) + 10, height: lines.length * LINE_PX,
      labelpos: "c"}, `e${k}`);
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
  const left = at.x - at.width / 2, top = at.y - at.height / 2;
  svg("rect", {x: left, y: top, width: at.width, height: at.height, rx: 8, class: "group"}, parent, {hint: group.hint});
};

const drawEdge = (edge, at, parent) => {
  svg("path", {d: curve(at.points), "stroke-width": edge.width, "marker-end": `url(#${edge.loop ? "loop" : "edge"}-head)`,
               class: `edge${edge.loop ? " loop" : ""}`, ...(edge.dashed && {"stroke-dasharray": "5 4"})}, parent, {hint: edge.hint});
};

// Over all edges and on a ground of their own, so that none strikes a text through.
const drawLabels = (chart, graph, parent) => {
  const labels = svg("g", {class: "labels"}, parent);
  chart.edges.forEach((edge, k) => {
    const {x, y, width, height} = graph.edge(`n${edge.from}`, `n${edge.to}`, `e${k}`), label = svg("g", {}, labels, {hint: edge.hint});
    svg("rect", {x: x - width / 2, y: y - height / 2, width, height, rx: 3, class: "ground"}, label);
    lines(edge.label, x, y, "label", label);
  });
  chart.groups.forEach((group, k) => {
    if (!graph.children(`g${k}`)?.length) return;
    const at = graph.node(`g${k}`), text = fitted(group.name, at.width - 12, FRAME_FONT), left = at.x - at.width / 2, top = at.y - at.height / 2;
    svg("rect", {x: left + 5, y: top + 2, width: textWidth(text, FRAME_FONT) + 6, height: LINE_PX, class: "frame-ground"}, labels);
    svg("text", {x: left + 8, y: top + 10, class: "frame"}, labels, {text});
  });
};

const drawNode = (node, at, parent) => {
  const drawn = svg("g", {class: "node"}, parent, {hint: node.hint});
  const left = at.x - at.width / 2, top = at.y - at.height / 2;
  svg("rect", {x: left, y: top, width: at.width, height: at.height, rx: node.colour === null ? at.height / 2 : 4}, drawn);
  if (node.colour !== null) svg("rect", {x: left, y: top, width: 6, height: at.height, rx: 2, class: "stripe", style: `fill: ${colour(node.colour)}`}, drawn);
  svg("text", {x: at.x, y: at.note ? at.y - LINE_PX / 2 : at.y, class: "name"}, drawn, {text: fitted(node.name, NODE_PX, NODE_FONT)});
  if (at.note) svg("text", {x: at.x, y: at.y + LINE_PX / 2 + 1, class: "label"}, drawn, {text: fitted(at.note, NODE_PX, SMALL_FONT)});
};

// The first of these layouts that fits `room`, else the narrowest. Frames of many nodes never fit, and each layout takes long.
const bestLayout = (chart, room) => {
  const many = chart.nodes.length > MANY_NODES;
  let best, least = Infinity;
  for (const how of many ? [["TB", false]] : [["LR", true], ["TB", true], ["LR", false], ["TB", false]]) {
    const layout = layOut(chart, ...how), {width} = layout.graph();
    if (width * GOOD_SCALE <= room) return layout;
    if (width < least) [best, least] = [layout, width];
  }
  return best;
};

const drawGraph = (chart, box) => {
  box.className = "scroll";
  if (chart.nodes.length > MOST_NODES) {
    element("p", `Not drawn: more than ${MOST_NODES} stages. The table has the edges.`, box);
    return;
  }
  const room = box.clientWidth, graph = bestLayout(chart, room);
  const {width, height} = graph.graph(), scale = Math.max(LEAST_SCALE, Math.min(1, room / width));
  const picture = svg("svg", {width: width * scale, height: height * scale, viewBox: `0 0 ${width} ${height}`, class: "graph", role: "img", "aria-label": chart.text}, box);
  const heads = svg("defs", {}, picture);
  arrowHead("edge-head", "head", heads);
  arrowHead("loop-head", "loop head", heads);
  chart.groups.forEach((group, k) => {
    if (graph.children(`g${k}`)?.length) drawGroup(group, graph.node(`g${k}`), picture);
  });
  chart.edges.forEach((edge, k) => drawEdge(edge, graph.edge(`n${edge.from}`, `n${edge.to}`, `e${k}`), picture));
  drawLabels(chart, graph, picture);
  chart.nodes.forEach((node, k) => drawNode(node, graph.node(`n${k}`), picture));
};
