#include "library/plan_object.h"

#include <algorithm>
#include <utility>

#include "library/answer.h"
#include "library/certificate_report.h"
#include "library/option_names.h"
#include "library/options.h"
#include "runtime/call_models/call_model.h"

namespace woa {
namespace {

using nlohmann::json;

template <class Ports>
json ports_json(const Ports& ports) {
  json list = json::array();
  for (const auto& port : ports)
    list.push_back({{"name", port.name}, {"type", to_string(port.type)}, {"max_bytes", port.type.max_bytes}});
  return list;
}

json controllers_json(const Plan& plan) {
  json list = json::array();
  for (const ControllerPlan& controller : plan.controllers)
    list.push_back({{"name", controller.name},
                    {"kind", std::string(to_string(controller.kind))},
                    {"backend", controller.backend}});
  return list;
}

json stages_json(const Plan& plan) {
  json list = json::array();
  for (const StagePlan& stage : plan.stages)
    if (stage.role == StageRole::kKernel)
      list.push_back({{"name", stage.name},
                      {"kernel", stage.kernel},
                      {"isolated", stage.isolated},
                      {"limit_ns", stage.limit_ns},
                      {"variant", stage.variant.kind},
                      {"controller", plan.controllers[stage.controller].name}});
  return list;
}

// How many instances the buffers hold at once, whatever these do: at most the window.
std::uint32_t overlap(const Plan& plan) {
  std::uint32_t most = plan.window;
  for (const EdgePlan& edge : plan.edges)
    if (!edge.count) most = std::min(most, edge.blocks / edge.min_blocks);
  return most;
}

void tell(Diagnostic diagnostic, woa_on_diagnostic on_diagnostic, void* user) {
  diagnostic.text = by_option_names(diagnostic.text);
  diagnostic.fix = by_option_names(diagnostic.fix);
  for (SourceMessage& note : diagnostic.notes) note.text = by_option_names(note.text);
  std::vector<woa_diagnostic> notes;
  for (const SourceMessage& note : diagnostic.notes)
    notes.push_back(
        {WOA_ERROR, "", note.file.c_str(), note.line, note.column, note.length, note.text.c_str(), "", "", nullptr, 0});
  const std::string shown = format(diagnostic, false);
  const woa_diagnostic told{diagnostic.severity == Severity::kError ? WOA_ERROR : WOA_WARNING,
                            diagnostic.code.c_str(),
                            diagnostic.file.c_str(),
                            diagnostic.line,
                            diagnostic.column,
                            diagnostic.length,
                            diagnostic.text.c_str(),
                            diagnostic.fix.c_str(),
                            shown.c_str(),
                            notes.data(),
                            notes.size()};
  on_diagnostic(user, &told);
}

Result<std::unique_ptr<woa_plan>> compile(const PlanOptions& options, woa_on_diagnostic on_diagnostic, void* user) {
  LoadedPlan loaded = load_plan(options);
  if (on_diagnostic != nullptr)
    for (const Diagnostic& diagnostic : loaded.diagnostics) tell(diagnostic, on_diagnostic, user);
  if (!loaded.plan) return loaded.graph_has_errors() ? summary_of(loaded.diagnostics) : loaded.status;
  WOA_ASSIGN_OR_RETURN(auto calls, plan_for_here(*loaded.plan, loaded.plan->model));
  auto made = std::make_unique<woa_plan>();
  made->calls = with_proofs(std::move(calls), *loaded.plan);
  made->plan = std::move(*loaded.plan);
  made->graph_hash = std::move(loaded.facts.hash);
  made->read = std::move(loaded.read);
  return made;
}

const PortType* port_of(const Plan& plan, woa_direction direction, std::uint32_t index, const std::string*& name) {
  const auto of = [&](const auto& ports) -> const PortType* {
    if (index >= ports.size()) return nullptr;
    name = &ports[index].name;
    return &ports[index].type;
  };
  return direction == WOA_IN ? of(plan.stages[kSourceStage].outputs) : of(plan.stages[kSinkStage].inputs);
}

}  // namespace

json to_json(const woa_plan& made) {
  const CertifiedPlan& plan = made.plan;
  json placement = json::object();
  for (const StagePlan& stage : plan.stages)
    if (stage.role == StageRole::kKernel) placement[stage.name] = plan.controllers[stage.controller].name;
  json files = json::array();
  for (const ReadFile& file : made.read) files.push_back({{"reason", file.reason}, {"path", file.path.string()}});
  json object{{"graph", plan.graph},
              {"model", plan.model},
              {"window", made.calls.window},
              {"overlap", overlap(made.calls)},
              {"deadline_ns", plan.timeout_ns},
              {"placement", std::move(placement)},
              {"modelled", modelled_stages(plan)},
              {"inputs", ports_json(plan.stages[kSourceStage].outputs)},
              {"outputs", ports_json(plan.stages[kSinkStage].inputs)},
              {"controllers", controllers_json(plan)},
              {"stages", stages_json(plan)},
              {"files", std::move(files)}};
  if (!made.graph_hash.empty()) object["graph_hash"] = made.graph_hash;
  if (plan.certificate) {
    object["certificate"] = to_json(*plan.certificate);
    object["summary"] = summary(*plan.certificate);
  }
  return object;
}

}  // namespace woa

using woa::Code;
using woa::Status;

woa_status woa_options(const char* of, char** json) {
  return woa::guarded([&]() -> Status {
    WOA_RETURN_IF_ERROR(woa::need(of, "name of options"));
    WOA_RETURN_IF_ERROR(woa::need(json, "place for the text"));
    CLI::App app;
    app.set_help_flag();
    woa::PlanOptions plan;
    woa::StartOptions start;
    const std::string name = of;
    if (name == "compile") {
      woa::add_compile_options(app, plan);
    } else if (name == "run") {
      woa::add_start_options(app, start);
    } else {
      return {Code::kNotFound, "there are no options of '" + name + "'; name 'compile' or 'run'"};
    }
    return woa::give(woa::list_options(app), json);
  });
}

woa_status woa_compile(const char* file, const char* text, const woa_option* options, size_t option_count,
                       woa_on_diagnostic on_diagnostic, void* user, woa_plan** plan) {
  return woa::guarded([&]() -> Status {
    WOA_RETURN_IF_ERROR(woa::need(plan, "place for the plan"));
    *plan = nullptr;
    if (file == nullptr) return {Code::kInvalid, "a graph needs a file, or with a text a name"};
    CLI::App app;
    app.set_help_flag();
    woa::PlanOptions given;
    woa::add_compile_options(app, given);
    WOA_RETURN_IF_ERROR(woa::parse_options(app, {options, option_count}));
    given.file = file;
    if (text != nullptr) given.text = text;
    auto made = woa::compile(given, on_diagnostic, user);
    if (made.ok()) *plan = made->release();
    return made.status();
  });
}

woa_status woa_plan_write(const woa_plan* plan, const char* file) {
  return woa::guarded([&]() -> Status {
    WOA_RETURN_IF_ERROR(woa::need(plan, "plan"));
    WOA_RETURN_IF_ERROR(woa::need(file, "file"));
    return write_plan(plan->plan, file);
  });
}

woa_status woa_plan_text(const woa_plan* plan, const char* form, char** text) {
  return woa::guarded([&]() -> Status {
    WOA_RETURN_IF_ERROR(woa::need(plan, "plan"));
    WOA_RETURN_IF_ERROR(woa::need(form, "form"));
    WOA_RETURN_IF_ERROR(woa::need(text, "place for the text"));
    const std::string name = form;
    if (name == "dot") return woa::give(to_dot(plan->calls), text);
    if (name == "json") return woa::give(woa::to_json(*plan), text);
    return {Code::kNotFound, "a plan has no text of form '" + name + "'; name 'json' or 'dot'"};
  });
}

woa_status woa_plan_port(const woa_plan* plan, woa_direction direction, uint32_t index, woa_port* port) {
  return woa::guarded([&]() -> Status {
    WOA_RETURN_IF_ERROR(woa::need(plan, "plan"));
    WOA_RETURN_IF_ERROR(woa::need(port, "place for the port"));
    if (direction != WOA_IN && direction != WOA_OUT)
      return {Code::kInvalid, "direction " + std::to_string(direction) + " is none; expected WOA_IN or WOA_OUT"};
    const std::string* name = nullptr;
    const woa::PortType* const type = woa::port_of(plan->plan, direction, index, name);
    if (type == nullptr)
      return {Code::kNotFound, std::string("the graph has no ") + (direction == WOA_IN ? "input" : "output") +
                                   " number " + std::to_string(index)};
    *port = {};
    port->name = name->c_str();
    port->element = type->element.c_str();
    port->rank = static_cast<uint32_t>(type->dims.size());
    for (size_t d = 0; d < type->dims.size(); ++d)
      port->dims[d] = {type->dims[d].name.c_str(), type->dims[d].size, type->dims[d].max};
    port->max_bytes = type->max_bytes;
    return {};
  });
}

void woa_plan_free(woa_plan* plan) { delete plan; }

woa_status woa_page(const char* code, char** markdown) {
  return woa::guarded([&]() -> Status {
    WOA_RETURN_IF_ERROR(woa::need(code, "code"));
    WOA_RETURN_IF_ERROR(woa::need(markdown, "place for the text"));
    const auto page = woa::problem_page(code);
    if (!page) return {Code::kNotFound, "there is no problem '" + std::string(code) + "'"};
    return woa::give("# " + std::string(code) + ": " + std::string(page->title) + "\n\n" + std::string(page->text),
                     markdown);
  });
}
