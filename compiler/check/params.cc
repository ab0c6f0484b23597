#include "compiler/check/params.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "compiler/parse/files.h"

namespace woa {
namespace {

// The position of `value` among `choices`; -1: there are none, or it is not one of them.
std::int32_t position(const std::vector<std::string>& choices, const std::string& value) {
  const auto found = std::find(choices.begin(), choices.end(), value);
  return found == choices.end() ? -1 : static_cast<std::int32_t>(found - choices.begin());
}

class ParamSetter {
 public:
  ParamSetter(Graph& graph, const GraphFile& file, Report& report) : graph_(graph), file_(file), report_(report) {}

  void read_command_line(const std::map<std::string, std::string>& values) {
    if (values.empty()) return;
    const Place place{report_.add_source(std::string(kCommandLine), ""), 0, 0, 1};
    std::unordered_map<std::string, std::uint32_t> stages;
    for (std::uint32_t s = kSinkStage + 1; s < graph_.stages.size(); ++s) stages.emplace(graph_.stages[s].name, s);
    for (const auto& [target, value] : values) {
      const std::size_t dot = target.find('.');
      if (dot == std::string::npos) {
        report_.error(problem::kParamTarget, place, cat("--param ", quote(target), " names no stage"),
                      "write `--param STAGE.NAME=VALUE`");
        continue;
      }
      const auto stage = stages.find(target.substr(0, dot));
      if (stage == stages.end()) {
        const auto kernels = std::vector<GraphStage>(graph_.stages.begin() + 2, graph_.stages.end());
        report_unknown(report_, problem::kParamTarget, place,
                       cat("--param ", quote(target), ": there is no stage ", quote(target.substr(0, dot))),
                       target.substr(0, dot), kernels, "stages");
        continue;
      }
      given_[stage->second].push_back({target.substr(dot + 1), place, place, value, false});
    }
  }

  void set_all() {
    for (std::uint32_t s = kSinkStage + 1; s < graph_.stages.size(); ++s) {
      if (graph_.stages[s].kernel != nullptr) set(s);
    }
  }

 private:
  // All values for a stage, the command line's first.
  std::vector<ParamUse> values_of(std::uint32_t s) {
    std::vector<ParamUse> values;
    if (const auto given = given_.find(s); given != given_.end()) values = given->second;
    const std::vector<ParamUse>& own = graph_.stages[s].decl->params;
    values.insert(values.end(), own.begin(), own.end());
    return values;
  }

  void set(std::uint32_t s) {
    GraphStage& stage = graph_.stages[s];
    const std::vector<ParamUse> values = values_of(s);
    std::vector<std::string> meant;  // nearest known name of each unknown one, or empty: not also reported as missing
    for (const ParamUse& use : values) {
      const auto& known = stage.kernel->params;
      if (std::any_of(known.begin(), known.end(), [&](const ParamDecl& p) { return p.name == use.name; })) continue;
      meant.push_back(report_unknown(report_, problem::kUnknownParam, use.name_place,
                                     cat("kernel ", quote(stage.kernel->name), " of stage ", quote(stage.name),
                                         " has no parameter ", quote(use.name)),
                                     use.name, known, "parameters"));
    }
    for (const ParamUse& use : values) refuse_secret(*stage.kernel, use);
    for (const ParamDecl& decl : stage.kernel->params) {
      const auto use =
          std::find_if(values.begin(), values.end(), [&](const ParamUse& u) { return u.name == decl.name; });
      const bool misspelt =
          std::any_of(meant.begin(), meant.end(), [&](const std::string& m) { return m == decl.name || m.empty(); });
      if (use != values.end() || !misspelt) set_one(stage, decl, use == values.end() ? nullptr : &*use);
    }
  }

  void refuse_secret(const KernelDecl& kernel, const ParamUse& use) {
    for (const ParamDecl& decl : kernel.params) {
      if (!decl.secret || decl.name != use.name) continue;
      report_.hide_line(use.name_place);
      report_.hide_line(use.place);
      report_.error(
          problem::kSecretParam, use.name_place,
          cat("parameter ", quote(decl.name), " is secret: it can stand neither in a graph nor on a command line"),
          cat("remove it and set the environment variable `", decl.env, "` where the kernel runs"));
    }
  }

  void set_one(GraphStage& stage, const ParamDecl& decl, const ParamUse* use) {
    ParamPlan param{decl.name, "", decl.type, decl.env};
    if (decl.secret) {
      // its value never passes through here
    } else if (use != nullptr && !use->value) {
      return;  // reported as unreadable
    } else if (use == nullptr && !decl.value) {
      if (!stage.decl->params_complete) return;
      report_.error(problem::kMissingParam, stage.place,
                    cat("stage ", quote(stage.name), " needs parameter ", quote(decl.name), " (", to_string(decl.type),
                        ") of kernel ", quote(stage.kernel->name)),
                    cat("add `", decl.name, ": VALUE` to its `params`, or give `--param ", stage.name, ".", decl.name,
                        "=VALUE`"));
    } else {
      const std::string& given = use == nullptr ? *decl.value : *use->value;
      check(decl, use, given);
      if (decl.type == ParamType::kString) param.choice = position(decl.choices, given);
      param.value = normal_value(decl.type, given).value_or(given);  // an ill-typed value is reported
      if (param.type == ParamType::kFile && !param.value.empty()) {
        param.value = absolute_path(folder_of(use) / param.value);
        report_.add_named(stage.place.source, param.value);
      }
    }
    stage.params.push_back(std::move(param));
  }

  // The folder that the path of a file is relative to: the graph's for a kernel's default, the working directory for a
  // value from the command line, else that of the file that states the path.
  [[nodiscard]] std::filesystem::path folder_of(const ParamUse* use) const {
    if (use == nullptr) return file_.folders.at(file_.source);
    return use->in_graph ? file_.folders.at(use->place.source) : std::filesystem::path();
  }

  void check(const ParamDecl& decl, const ParamUse* use, const std::string& value) {
    if (use == nullptr) return;  // defaults were checked with the kernel
    if (const auto fault = check_param(decl, value)) {
      report_.error(fault->code, use->place, fault->text,
                    cat(accepted_form(decl, use->passed ? "" : decl.name + (use->in_graph ? ": " : "=")),
                        decl.value ? cat(", or leave it out for the default ", quote(*decl.value)) : ""));
    }
  }

  Graph& graph_;
  const GraphFile& file_;
  Report& report_;
  std::unordered_map<std::uint32_t, std::vector<ParamUse>> given_;
};

}  // namespace

void set_params(Graph& graph, const std::map<std::string, std::string>& command_line, const GraphFile& file,
                Report& report) {
  ParamSetter setter(graph, file, report);
  setter.read_command_line(command_line);
  setter.set_all();
}

}  // namespace woa
