// The report of a run, from what `woa run --report` puts into #report (tools/woa/run_page.cc): {kind: "run", ...}, where `run` is
// the object of `woa run --json`.

const LOG_FROM = 20;  // greatest over least latency from which the axis is logarithmic

// Kernel stages have the colour of their number in all pictures.
const aboutStages = ({run, graph}) => {
  const kernels = graph.stages.filter((stage) => stage.role === "kernel");
  const colours = graph.stages.map((stage) => stage.role === "kernel" ? kernels.indexOf(stage) : null);
  const counts = graph.stages.map((stage) => stage.role === "kernel" ? run.stages[kernels.indexOf(stage)] : undefined);
  return {kernels, colours, counts};
};

const backendText = (controller, counts) => `${controller.backend}${counts?.simulated ? ", simulated" : ""}`;
const meanText = (stage) => stage.mean_us === null ? "never fired" : timeText(stage.mean_us);
const instanceText = (stage) => stage.mean_us === null ? "never fired" : timeText(stage.instance_us);

const verdict = ({run, failed}) => [
  run.error && `The run was cut short: ${run.error.message}.`, failed && `${countText(failed)} of ${counted(run.instances, "instance")} failed.`,
  run.limit && `${run.limit.text[0].toUpperCase()}${run.limit.text.slice(1)}.`].filter(Boolean).join(" ");

const tiles = ({run, done, failed}) => [
  {name: "instances done", value: `${countText(done)} of ${countText(run.instances)}`, bad: done < run.instances},
  ...(failed ? [{name: "failed", value: countText(failed), bad: true}] : []),
  {name: "throughput", value: `${run.throughput_per_s >= 100 ? countText(Math.round(run.throughput_per_s)) : short(run.throughput_per_s)} /s`},
  {name: "latency, median", value: timeText(run.latency_us.p50)},
  {name: "latency, 99 %", value: timeText(run.latency_us.p99)},
  {name: "took", value: timeText(run.wall_s * 1e6)},
  {name: "messages", value: countText(run.messages)},
  {name: "payload sent", value: bytesText(run.payload_bytes)},
];

const failureRows = (failures) => failures.map((failure) => [
  countText(failure.instance), failure.stage ?? "-", Object.entries(failure.inputs).map(([name, from]) => `${name}=${from}`).join(", "),
  failure.code, failure.message]);

const failureSection = ({run, failed}) => {
  const error = run.error ? `The run was cut short: ${run.error.code}: ${run.error.message}` : "";
  const some = failed > run.failures.length ? `The first ${countText(run.failures.length)} of ${countText(failed)} failed instances.` : "";
  return {title: "Failures", text: [error, some].filter(Boolean).join(" "), bad: true, charts: [],
          tables: failed ? [{title: "Failed instances", columns: ["instance", "stage", "inputs", "code", "message"], rows: failureRows(run.failures)}] : []};
};

const edgeTable = (run) => ({
  title: "Edges", columns: ["from", "to", "transport", "lane", "provider", "method", "messages", "payload", "copied"],
  rows: run.edges.map((edge) => [edge.from, edge.to, edge.transport, edge.lane || "-", edge.provider ?? "-", edge.method,
                                 countText(edge.messages), bytesText(edge.payload_bytes), bytesText(edge.copied_bytes)]),
});

// Width: from 1 without payload to 5 for 4 GiB or more.
const edgeWidth = (edge) => edge ? 1 + Math.min(Math.log2(1 + edge.payload_bytes) / 8, 4) : 1;

const graphEdge = (edge, counts) => {
  const {loop, ports: [from, to]} = edge;
  const sent = !counts ? "" : counts.transport === "local" ? "local" : counts.messages === 0 ? "none" : `${countText(counts.messages)} × ${bytesText(counts.payload_bytes / counts.messages)}`;
  const hint = [`${from} to ${to}`];
  if (counts) hint.push(`${counted(counts.messages, "message")}, payload ${bytesText(counts.payload_bytes)}, copied ${bytesText(counts.copied_bytes)}`,
                        `${[counts.transport, counts.provider, counts.lane && `lane ${counts.lane}`].filter(Boolean).join(", ")}: ${counts.method}`);
  if (loop) hint.push(`loop ${loop.name}, at most ${counted(loop.max, "turn")}`);
  if (edge.held) hint.push("held");
  return {from: edge.from, to: edge.to, label: [sent, loop && `loop ${loop.name}`].filter(Boolean).join("\n") || "–", width: edgeWidth(counts),
          loop: loop !== null, dashed: edge.held, hint: hint.join("\n")};
};

const graphNode = (stage, counts, number) => {
  const note = stage.role !== "kernel" ? (stage.role === "relay" ? "relay" : "") : `${stage.kernel}${counts ? ` · ${instanceText(counts)}` : ""}`;
  const hint = counts ? [`${instanceText(counts)} an instance, ${percentText(counts.share)} of ${counts.controller}`,
    `${counted(counts.firings, "firing")}, ${meanText(counts)} each, ${timeText(counts.busy_s * 1e6)} in all`, `variant ${counts.variant}`] : [];
  return {name: stage.name, note, group: ["source", "sink"].includes(stage.role) ? null : stage.controller, colour: number, hint: [stage.name, ...hint].join("\n")};
};

const graphSection = (data) => {
  const {run, graph} = data, {colours, counts} = aboutStages(data);
  const groups = graph.controllers.map((controller, k) => {
    const backend = backendText(controller, run.controllers[k]);
    return {name: controller.name.split(":")[0] === backend ? controller.name : `${controller.name} (${backend})`, hint: `${controller.name}: ${run.controllers[k]?.device ?? backend}`};
  });
  const loops = graph.edges.some((edge) => edge.loop), held = graph.edges.some((edge) => edge.held);
  const text = "Stages with their controllers, and what an instance takes of each. Edges: messages × mean payload; the thicker, the more bytes in all. “local” stays in a controller. The host has the source and the sink.";
  return {
    title: "Graph", text: [text, loops && "Red: round a loop.", held && "Dashed: held."].filter(Boolean).join(" "),
    charts: [{kind: "graph", title: "", text: `Graph of ${counted(graph.stages.length, "stage")} and ${counted(graph.edges.length, "edge")}; the table of edges has the same.`,
              groups, nodes: graph.stages.map((stage, k) => graphNode(stage, counts[k], colours[k])),
              edges: graph.edges.map((edge, k) => graphEdge(edge, run.edges[k])), table: run.edges.length ? edgeTable(run) : undefined}],
    tables: [],
  };
};

const timelineSection = (data) => {
  const {run, graph, timeline} = data, {colours} = aboutStages(data), {firings, arrows, lanes} = timeline;
  const name = (firing) => graph.stages[firing.stage].name;
  const isAlone = (controller) => lanes.filter(([other]) => other === controller).length === 1;
  // Worker 0 of a processor's controller is the controller's own thread.
  const isOwn = (controller, worker) => worker === 0 && run.controllers[controller].kind === "cpu" && run.controllers[controller].workers > 1;
  const laneName = ([controller, worker]) =>
    graph.controllers[controller].name + (isAlone(controller) || isOwn(controller, worker) ? "" : `, worker ${worker}`);
  const bars = firings.map((firing) => ({
    lane: firing.lane, begin: firing.begin_us, end: firing.end_us, name: name(firing), colour: colours[firing.stage],
    hint: `${name(firing)}, instance ${firing.instance}${firing.tag ? `, tag ${firing.tag}` : ""}\n${timeText(firing.end_us - firing.begin_us)} from ${timeText(firing.begin_us)}, reads ${bytesText(firing.bytes)}`}));
  const hints = (edge) => graph.edges[edge].ports.join(" to ");
  const fired = firings.filter((firing) => graph.stages[firing.stage].role !== "relay").length;  // the run counts no relays
  const span = (instance) => {
    const own = firings.filter((firing) => firing.instance === instance);
    return {begin: Math.min(...own.map((firing) => firing.begin_us)), end: Math.max(...own.map((firing) => firing.end_us))};
  };
  const partial = timeline.whole.length ? "" : " No instance is whole: its trace was full before.";
  const thinned = timeline.thinned_us ? `, the later ones without those that a longer one within ${timeText(timeline.thinned_us)} would hide` : "";
  const shown = fired < timeline.all_firings ? `The first ${countText(fired)} of ${counted(timeline.all_firings, "firing")}${thinned}` : `All ${counted(fired, "firing")}`;
  return {
    title: "Timeline", text: `${shown}, with ${counted(arrows.length, "packet")} between controllers as arrows. The run sent ${counted(run.messages, "message")}.${partial}`,
    charts: [{kind: "timeline", title: "", text: `${shown} on ${counted(lanes.length, "lane")}; the table of firings has the same.`,
              lanes: lanes.map(laneName), bars, whole: timeline.whole.map(span), arrows: arrows.map(([from, to, edge]) => ({from, to, hint: `packet: ${hints(edge)}`})),
              table: {title: "Firings", columns: ["stage", "controller", "instance", "tag", "from", "took", "reads"],
                      rows: firings.map((firing) => [name(firing), laneName(lanes[firing.lane]), countText(firing.instance), String(firing.tag),
                                                     timeText(firing.begin_us), timeText(firing.end_us - firing.begin_us), bytesText(firing.bytes)])}}],
    tables: [],
  };
};

// A series per kernel stage, and one for what is no kernel.
const busyChart = (data) => {
  const {run} = data, {kernels} = aboutStages(data);
  const share = (busy_s, k) => 100 * busy_s / run.wall_s / run.controllers[k].workers;
  const names = run.controllers.map((controller) => controller.name);
  const series = run.stages.map((stage, number) => ({
    name: stage.name, colour: number, values: names.map((name, k) => name === stage.controller ? share(stage.busy_s, k) : 0)}));
  const rest = names.map((name, k) => share(Math.max(0, run.controllers[k].busy_s - run.stages.filter((stage) => stage.controller === name).reduce((sum, stage) => sum + stage.busy_s, 0)), k));
  const total = (k) => short(share(run.controllers[k].busy_s, k));
  return {kind: "bars", title: "Busy share of controllers", unit: "%", half: true, horizontal: true, stacked: true, legend: kernels.length <= 8,
          labels: run.controllers.map((controller, k) => `${controller.name}${controller.simulated ? " (simulated)" : ""}: ${controller.counted ? `${total(k)} %` : "not counted"}`),
          series: [...series, ...(rest.some((value) => value > 0) ? [{name: "source, sink, relays", colour: null, values: rest}] : [])]};
};

const stageSection = (data) => {
  const {run} = data;
  const ranked = run.stages.map((stage, number) => ({...stage, number})).sort((a, b) => b.instance_us - a.instance_us);
  const instance = {kind: "bars", title: "Time of an instance, all firings of a stage", unit: "us", half: true, horizontal: true, legend: false,
                    labels: ranked.map((stage) => `${stage.name}: ${instanceText(stage)}`),
                    series: [{name: "an instance", values: ranked.map((stage) => stage.instance_us), colours: ranked.map((stage) => stage.number)}]};
  return {title: "Stages and controllers", text: "", charts: [instance, busyChart(data)], tables: [
    {title: "Stages", columns: ["stage", "kernel", "variant", "controller", "an instance", "of controller's time", "firings", "a firing", "busy"],
     rows: run.stages.map((stage) => [stage.name, stage.kernel, stage.variant, stage.controller, instanceText(stage), percentText(stage.share),
                                      countText(stage.firings), meanText(stage), timeText(stage.busy_s * 1e6)])}]};
};

const latencySection = ({run, quantiles}) => {
  const row = (name, times) => [name, ...["min", "p50", "p99", "max"].map((key) => timeText(times[key]))];
  const {min, max} = run.latency_us;
  return {title: "Latencies", text: "", charts: [
    {kind: "points", title: "Latency that a share of the instances does not exceed", unit: "us", x_unit: "% of instances", log: max > LOG_FROM * min, line: true, legend: false,
     series: [{name: "latency", points: [[0, min, timeText(min)], ...quantiles.map(([share, us]) => [100 * share, us, timeText(us)])]}]}], tables: [
    {title: "Successful instances", columns: ["", "min", "median", "99 %", "max"],
     rows: [row("from admission to the sink", run.latency_us), row("until its files were written", run.turnaround_us)]}]};
};

const machineSection = ({run, graph, machine}) => {
  const ways = new Map();
  for (const edge of run.edges) {
    const key = [edge.transport, edge.provider ?? "-", edge.lane || "-"].join("\n");
    const way = ways.get(key) ?? {edges: 0, messages: 0, bytes: 0};
    ways.set(key, {edges: way.edges + 1, messages: way.messages + edge.messages, bytes: way.bytes + edge.payload_bytes});
  }
  return {
    title: "Machine", text: "", charts: [],
    facts: [["processor", `${machine.processor}, ${machine.usable} usable`], ["system", machine.system], ["woa", `version ${machine.woa}`],
            ["run", `model ${run.model}, window ${run.window}, ${run.processes === "one" ? "one process" : "a process per controller"}`]],
    tables: [
      {title: "Controllers", columns: ["controller", "kind", "back-end", "workers", "processors", "firings", "busy", "device"],
       rows: run.controllers.map((controller, k) => [controller.name, controller.kind, backendText(graph.controllers[k], controller),
         String(controller.workers), controller.processors === undefined ? "not pinned" : controller.processors.join(", "), countText(controller.firings),
         timeText(controller.busy_s * 1e6), `${controller.device}${controller.simulated ? " (simulated)" : ""}`])},
      {title: "Transports", columns: ["transport", "provider", "lane", "edges", "messages", "payload"],
       rows: [...ways].map(([key, way]) => [...key.split("\n"), String(way.edges), countText(way.messages), bytesText(way.bytes)])},
      {title: "Providers of libfabric", columns: ["provider", "packets", "CRC of payloads"],
       rows: run.providers.map((entry) => [entry.provider, countText(entry.packets), entry.payload_crc ? "yes" : "no"])}].filter((table) => table.rows.length),
  };
};

const outputSection = ({run}) => ({
  title: "Outputs", text: "", charts: [], tables: [
    {title: "Over all instances in order", columns: ["output", "size", "absent", "files", "sha256"],
     rows: run.outputs.map((output) => [output.name, bytesText(output.bytes), countText(output.absent), countText(output.files.length), output.sha256 ?? "-"])}]});

const reportOfRun = (data) => {
  const {run, timeline, failed, quantiles} = data;
  return {
    title: `Run of ${run.graph}`, verdict: verdict(data), facts: [], tiles: tiles(data),
    sections: [
      ...(failed || run.error ? [failureSection(data)] : []),
      graphSection(data),
      ...(timeline?.firings.length ? [timelineSection(data)] : []),
      ...(run.stages.length ? [stageSection(data)] : []),
      ...(quantiles.length ? [latencySection(data)] : []),
      machineSection(data),
      ...(run.outputs.length ? [outputSection(data)] : []),
    ],
  };
};
