// woa explain GRAPH|PLAN: which way the payloads of each edge go, why, and what that takes. woa explain CODE: the page
// of a problem. woa explain KERNEL|KERNEL.YAML: what a kernel takes and gives.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "compiler/compiler.h"
#include "library/certificate_report.h"
#include "library/cores.h"
#include "library/local_run.h"
#include "library/option_values.h"
#include "library/plan_options.h"
#include "library/run_report.h"
#include "runtime/base/quantities.h"
#include "runtime/base/text.h"
#include "runtime/call_models/call_model.h"
#include "tools/woa/columns.h"
#include "tools/woa/commands.h"
#include "tools/woa/diagnostics.h"
#include "tools/woa/drawing.h"
#include "tools/woa/explanation.h"
#include "tools/woa/failure.h"
#include "tools/woa/kernel_page.h"
#include "tools/woa/load_plan.h"
#include "tools/woa/placement_explanation.h"
#include "tools/woa/progress.h"

namespace woa::tools {
namespace {

using nlohmann::json;

// The code with the fewest edits; among equals, the one nearest in number.
std::string nearest_code(const std::string& code) {
  const auto number = [](const std::string& text) { return std::strtol(text.c_str() + 1, nullptr, 10); };
  std::vector<std::string> codes(problem::kAll.begin(), problem::kAll.end());
  std::stable_sort(codes.begin(), codes.end(), [&](const std::string& a, const std::string& b) {
    return std::labs(number(a) - number(code)) < std::labs(number(b) - number(code));
  });
  const std::string near = nearest(code, codes);
  return near.empty() ? codes.front() : near;
}

// The code that digits alone may mean, if no file has that name; else empty.
std::string code_without_letter(const std::string& digits) {
  constexpr std::size_t kDigits = 4;
  std::error_code error;
  if (digits.empty() || digits.size() > kDigits || digits.find_first_not_of("0123456789") != std::string::npos ||
      std::filesystem::exists(digits, error))
    return {};
  const std::string code = "E" + std::string(kDigits - digits.size(), '0') + digits;
  return problem_page(code) ? code : std::string();
}

// The page of `code`, of any case; if there is none, the nearest code on stderr. Returns the exit code.
int explain_code(std::string code, bool as_json) {
  if (!code.empty()) code[0] = 'E';
  const auto page = problem_page(code);
  if (!page) {
    return fail({Code::kInvalid, "there is no code " + code + "; did you mean " + nearest_code(code) +
                                     "? all codes: docs/diagnostics.md"},
                kUsage, as_json);
  }
  if (as_json) {
    print_json({{"ok", true}, {"code", code}, {"title", page->title}, {"text", page->text}});
  } else {
    std::printf("%s: %s\n\n%s\n", code.c_str(), std::string(page->title).c_str(), std::string(page->text).c_str());
  }
  return kDone;
}

constexpr const char* kAboutExplain =
    "CODE (such as E0401) prints that error's page. The name of a KERNEL that `woa devices` lists, or the path of a\n"
    "kernel.yaml, prints its ports, parameters, variants and what it may run on. Anything else is the path of a graph "
    "or\n"
    "a plan; write ./E0401 or ./copy for a file of such a name. WOA_KERNEL_PATH names folders with kernels of your "
    "own.\n"
    "\n"
    "Nothing runs. METHOD is how payloads travel, by their size:\n"
    "\n"
    "  inline        behind the header, in the header's own place of the ring: one transfer of cache lines instead of\n"
    "                two, for a copy at either end; it pays for small payloads\n"
    "  in place      in a block that was reserved before the kernel ran, which writes into it what the consumer reads\n"
    "  by reference  in the block that the writer was given, and passes on: the host, for a call (call model "
    "rpc-hub),\n"
    "                or a kernel that writes over its input (`in_place` in its kernel.yaml)\n"
    "  on-card       the device passes it from kernel to kernel by itself: no packet, no block\n"
    "\n"
    "The inline limit is the machine file's (`woa calibrate` measures it), or 64 B. LIVE are the blocks that one "
    "instance\n"
    "needs so that nothing deadlocks (docs/liveness.md; with `+` fewer may do, with `?` it is claimed, not proved):\n"
    "younger instances never get them.\n"
    "USED are those that the edge has. RESERVED are their addresses; only what payloads fill takes memory. RING is "
    "the\n"
    "memory of the edge's places in the header ring.\n"
    "WAITS is how the thread of each controller would wait here: with a core of its own it spins before it yields.\n"
    "\n"
    "For a placed plan it also prints, for each stage and link, the range of costs within which the placement stays\n"
    "best (docs/placement.md).\n"
    "--dot and --svg draw stages, where they are, and what goes over the edges.\n"
    "\n"
    "  woa explain E0401\n"
    "  woa explain resize_bilinear\n"
    "  woa explain graphs/user-kernel/threshold/kernel.yaml\n"
    "  woa explain graphs/hello.yaml\n"
    "  woa explain graphs/hello.yaml --model rpc-hub\n"
    "  woa explain hello.plan --json\n"
    "  woa explain hello.plan --svg hello.svg";

constexpr const char* kWhat = "GRAPH|PLAN|CODE|KERNEL";

struct ExplainArguments {
  GraphOptions graph;
  DrawingOptions drawing;
  std::string processes = "per-controller";
  Cores cores;
  std::uint64_t reasons_limit_ns = 2'000'000'000;
  std::vector<std::string> of_graphs;  // options given that apply to graphs only
};

json to_json(const EdgeExplanation& edge) {
  json methods = json::array(), staged = json::array();
  for (const MethodRange& range : edge.methods) {
    methods.push_back({{"method", std::string(to_string(range.method))},
                       {"from_bytes", range.from_bytes},
                       {"to_bytes", range.to_bytes}});
  }
  for (const Staging& staging : edge.staged) {
    staged.push_back({{"controller", staging.controller},
                      {"backend", staging.backend},
                      {"direction", staging.to_device ? "to device" : "from device"},
                      {"text", staging.text}});
  }
  return {{"from", edge.from},
          {"to", edge.to},
          {"transport", edge.transport},
          {"lane", edge.lane},
          {"publishes", edge.publishes},
          {"methods", std::move(methods)},
          {"why", edge.why},
          {"payload_bytes", edge.payload_bytes},
          {"live", edge.live},
          {"least", edge.least},
          {"claimed", edge.claimed},
          {"used", edge.used},
          {"block_bytes", edge.block_bytes},
          {"memory_bytes", edge.memory_bytes},
          {"ring_bytes", edge.ring_bytes},
          {"staged", std::move(staged)}};
}

void print_json_of(const CertifiedPlan& plan, const std::vector<EdgeExplanation>& edges,
                   const std::vector<WaitExplanation>& waits, const Result<PlacementReasons>& reasons) {
  json list = json::array(), threads = json::array();
  for (const EdgeExplanation& edge : edges) list.push_back(to_json(edge));
  for (const WaitExplanation& wait : waits)
    threads.push_back({{"controller", wait.controller}, {"spins", wait.spins}, {"why", wait.why}});
  json object{{"ok", true},
              {"graph", plan.graph},
              {"model", plan.model},
              {"window", plan.window},
              {"modelled", modelled_stages(plan)},
              {"edges", std::move(list)},
              {"notes", explain_replicas(plan)},
              {"waits", std::move(threads)}};
  if (plan.certificate) object["certificate"] = woa::to_json(*plan.certificate);
  if (plan.certificate)
    object["placement"] = reasons.ok() ? tools::to_json(plan, *reasons) : json{{"error", error_json(reasons.status())}};
  print_json(object);
}

void print_verdict(const CertifiedPlan& plan) {
  const bool raised = plan.raises_window && std::ranges::any_of(plan.controllers, [](const ControllerPlan& controller) {
                        return controller.workers == kAllWorkers;
                      });
  std::printf("%s: %s, model %s, window %u%s\n", plan.graph.c_str(), counted(plan.edges.size(), "edge").c_str(),
              plan.model.c_str(), plan.window, raised ? " (a run raises it with its workers)" : "");
  std::printf("%s\n\n", plan.certificate ? summary(*plan.certificate).c_str()
                                         : "no placement reasons: compile with --profile to get them");
}

void print_reasons(const CertifiedPlan& plan, const Result<PlacementReasons>& reasons) {
  if (!plan.certificate) return;
  if (reasons.ok()) return print_placement_reasons(plan, *reasons);
  std::printf("\n%s\n", reasons.status().message().c_str());
}

std::string name_of(const EdgeExplanation& edge) { return edge.from + " -> " + edge.to; }

std::string live_text(const EdgeExplanation& edge) {
  return std::to_string(edge.live) + (edge.least ? "" : "+") + (edge.claimed ? "?" : "");
}

std::string memory_text(const EdgeExplanation& edge) {
  if (edge.memory_bytes == 0) return "-";
  return std::to_string(edge.used) + " x " + bytes_text(edge.block_bytes);
}

void print_table(const std::vector<EdgeExplanation>& edges) {
  std::vector<Cells> rows{{"EDGE", "TRANSPORT", "METHOD", "LIVE", "USED", "RESERVED", "RING"}};
  for (const EdgeExplanation& edge : edges) {
    rows.push_back({name_of(edge), edge.transport + (edge.lane.empty() ? "" : ", lane " + edge.lane),
                    methods_text(edge.methods), live_text(edge), std::to_string(edge.used), memory_text(edge),
                    edge.ring_bytes == 0 ? "-" : bytes_text(edge.ring_bytes)});
  }
  const std::vector<std::string> lines = in_columns(rows);
  std::printf("%s\n", lines.front().c_str());
  for (std::size_t e = 0; e < edges.size(); ++e) {
    std::printf("%s\n    %s\n", lines[e + 1].c_str(), edges[e].why.c_str());
    for (const Staging& staging : edges[e].staged) std::printf("    %s\n", staging.text.c_str());
  }
}

void print_waits(const std::vector<WaitExplanation>& waits) {
  std::vector<Cells> rows{{"CONTROLLER", "WAITS"}};
  for (const WaitExplanation& wait : waits)
    rows.push_back({wait.controller, (wait.spins ? "spins, yields, sleeps: " : "yields, sleeps: ") + wait.why});
  std::printf("\n");
  for (const std::string& line : in_columns(rows)) std::printf("%s\n", line.c_str());
}

Result<PlacementReasons> find_reasons(const CertifiedPlan& plan, std::chrono::milliseconds limit) {
  if (!plan.certificate) return PlacementReasons();
  const Waiting waiting("looking for what could be elsewhere", limit);
  return explain_placement(plan, limit);
}

// Refuses options of graphs for `what`, such as "a kernel.yaml". `instead`: what else may have been meant.
std::optional<int> refuse_graph_options(const ExplainArguments& arguments, const std::string& what,
                                        const std::string& instead = {}) {
  if (arguments.of_graphs.empty()) return std::nullopt;
  return fail({Code::kInvalid, arguments.of_graphs.front() + ": '" + arguments.graph.file.native() + "' is " + what +
                                   ", which takes --json alone" + instead},
              kUsage, arguments.graph.json);
}

// The page of the kernel.yaml at `file`, or its errors: the exit code. Nothing: it is a graph or a plan.
std::optional<int> explain_kernel_file(const ExplainArguments& arguments) {
  const auto found = read_kernel_file(arguments.graph.file);
  if (!found) return std::nullopt;
  if (const auto refused = refuse_graph_options(arguments, "a kernel.yaml")) return refused;
  print_diagnostics(found->diagnostics);
  if (found->kernel) return explain_kernel(*found->kernel, arguments.graph.json);
  if (arguments.graph.json) print_json({{"ok", false}, {"diagnostics", tools::to_json(found->diagnostics)}});
  return kFailed;
}

// Answers if `file` is a code, a kernel, or no file but nearly one of these: the exit code. Nothing: a graph or a plan.
std::optional<int> explain_name(const ExplainArguments& arguments) {
  const std::string& given = arguments.graph.file.native();
  const std::string instead = "; write ./" + given + " for a file of that name";
  if (is_problem_code(given)) {
    const auto refused = refuse_graph_options(arguments, "the code of a problem", instead);
    return refused ? *refused : explain_code(given, arguments.graph.json);
  }
  if (given.find_first_of("./") != std::string::npos) return explain_kernel_file(arguments);
  if (const auto kernel = find_kernel(given)) {
    const auto refused = refuse_graph_options(arguments, "the name of a kernel", instead);
    return refused ? *refused : explain_kernel(*kernel, arguments.graph.json);
  }
  std::error_code error;
  if (std::filesystem::exists(given, error)) return explain_kernel_file(arguments);
  std::string meant;
  if (const std::string code = code_without_letter(given); !code.empty()) meant = "the code " + code;
  if (const std::string kernel = nearest_kernel(given); meant.empty() && !kernel.empty())
    meant = "the kernel " + kernel;
  if (meant.empty()) return std::nullopt;
  return fail({Code::kInvalid, "there is no file '" + given + "'; did you mean " + meant + "?"}, kUsage,
              arguments.graph.json);
}

int explain(const ExplainArguments& arguments) {
  if (const auto done = explain_name(arguments)) return *done;
  GraphOptions graph = arguments.graph;
  graph.transport = transport_of(arguments.processes);
  graph.written_files = drawn_files(arguments.drawing);
  const Loaded loaded = load(graph);
  if (!loaded.plan) return loaded.exit_code;
  auto calls = rewrite(*loaded.plan, loaded.plan->model);
  if (!calls.ok()) return fail(calls.status(), kFailed, arguments.graph.json);
  const CertifiedPlan plan = with_proofs(std::move(*calls), *loaded.plan);
  const Layout layout = make_layout(plan);
  const std::vector<EdgeExplanation> edges = explain_edges(plan, layout, graph.transport);
  if (const Status known = check_controllers(arguments.cores, {&plan}); !known.ok())
    return fail(known, kUsage, graph.json);
  const std::vector<WaitExplanation> waits = explain_waits(plan, processors_of(arguments.cores, plan));
  const auto limit =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::nanoseconds(arguments.reasons_limit_ns));
  const auto reasons = find_reasons(*loaded.plan, limit);
  if (!reasons.ok() && reasons.status().code() == Code::kInvalid)  // a false certificate: print nothing that it says
    return fail(reasons.status().with_context(graph.file.string()), kFailed, graph.json);
  if (const Status drawn = draw(plan, arguments.drawing); !drawn.ok())
    return fail(drawn, kFailed, arguments.graph.json);
  if (graph.json) {
    print_json_of(plan, edges, waits, reasons);
  } else {
    print_verdict(plan);
    print_table(edges);
    print_waits(waits);
    for (const std::string& sentence : explain_replicas(plan)) std::printf("\n%s\n", sentence.c_str());
    print_reasons(plan, reasons);
  }
  return kDone;
}

}  // namespace

void add_explain(CLI::App& app, Action& action) {
  CLI::App& command = *app.add_subcommand("explain", "Explain a plan's payload routes, an error code, or a kernel");
  command.footer(kAboutExplain);
  auto arguments = std::make_shared<ExplainArguments>();
  add_graph_options(command, arguments->graph, kWhat);
  command.get_option(kWhat)->description(
      "Graph (YAML), compiled plan, code of a problem, name of a kernel, or kernel.yaml");
  add_nodes_option(command, arguments->graph);
  add_flow_options(command, arguments->graph);
  add_placement_options(command, arguments->graph);
  add_model_option(command, arguments->graph);
  command
      .add_option("--processes", arguments->processes,
                  "As for `woa run`: one is explained over loopback, per-controller over shm")
      ->check(one_of({"one", "per-controller"}))
      ->capture_default_str();
  add_cores_option(command, arguments->cores, "As for `woa run`: the processors that controllers are pinned to");
  command
      .add_option("--reasons-limit", arguments->reasons_limit_ns,
                  "Time limit of the sensitivity analysis (default: 2s)")
      ->transform(duration_ns());
  add_drawing_options(command, arguments->drawing);
  command.callback([arguments, &command, &action] {
    for (const CLI::Option* option : command.get_options())
      if (option->count() > 0 && !option->get_positional() && option->get_name() != "--json")
        arguments->of_graphs.push_back(option->get_name());
    action = [arguments] { return explain(*arguments); };
  });
}

}  // namespace woa::tools
