#include "tools/woa/diagnostics.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "compiler/compiler.h"
#include "runtime/base/file.h"
#include "tools/woa/failure.h"
#include "tools/woa/file_uri.h"

namespace woa::tools {
namespace {

bool wants_color() {
  const char* no_color = std::getenv("NO_COLOR");
  return ::isatty(STDERR_FILENO) == 1 && (no_color == nullptr || *no_color == '\0');
}

nlohmann::json message_json(const SourceMessage& message) {
  return {{"file", message.file},
          {"line", message.line},
          {"column", message.column},
          {"length", message.length},
          {"text", message.text}};
}

}  // namespace

void print_diagnostics(const std::vector<Diagnostic>& diagnostics) {
  const bool color = wants_color();
  for (Diagnostic diagnostic : diagnostics) {
    diagnostic.file = printable_lines(diagnostic.file);  // texts and lines are printable already
    for (SourceMessage& note : diagnostic.notes) note.file = printable_lines(note.file);
    std::fprintf(stderr, "%s\n", format(diagnostic, color).c_str());
  }
}

nlohmann::json to_json(const std::vector<Diagnostic>& diagnostics) {
  nlohmann::json list = nlohmann::json::array();
  for (const Diagnostic& diagnostic : diagnostics) {
    nlohmann::json object = message_json(diagnostic);
    object["code"] = diagnostic.code;
    object["severity"] = to_string(diagnostic.severity);
    object["fix"] = diagnostic.fix;
    nlohmann::json& notes = object["notes"] = nlohmann::json::array();
    for (const SourceMessage& note : diagnostic.notes) notes.push_back(message_json(note));
    list.push_back(std::move(object));
  }
  return list;
}

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr const char* kSchema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
constexpr const char* kBase = "PWD";

json artifact_location(const std::string& file) {
  const fs::path path = fs::path(file).lexically_normal();
  const bool below = !path.empty() && path.is_relative() && *path.begin() != "..";
  if (!below) return {{"uri", file_uri(path)}};
  return {{"uri", uri_path(path.string())}, {"uriBaseId", kBase}};
}

json physical_location(const SourceMessage& message) {
  json location = {{"artifactLocation", artifact_location(message.file)}};
  if (message.line != 0) {
    location["region"] = {{"startLine", message.line},
                          {"startColumn", message.column},
                          {"endColumn", message.column + message.length}};  // the first column after it
  }
  return location;
}

json to_rule(const std::string& code) {
  json rule = {{"id", code}};
  if (const auto page = problem_page(code)) {
    rule["shortDescription"] = {{"text", page->title}};
    rule["help"] = {{"text", page->text}, {"markdown", page->text}};
  }
  return rule;
}

json to_result(const Diagnostic& diagnostic, std::size_t rule) {
  const std::string fix = diagnostic.fix.empty() ? "" : "\nFix: " + diagnostic.fix;
  json result = {{"ruleId", diagnostic.code},
                 {"ruleIndex", rule},
                 {"level", to_string(diagnostic.severity)},
                 {"message", {{"text", diagnostic.text + fix}}}};
  if (diagnostic.file != kCommandLine) {
    result["locations"] = json::array({{{"physicalLocation", physical_location(diagnostic)}}});
  }
  for (const SourceMessage& note : diagnostic.notes) {
    result["relatedLocations"].push_back(
        {{"physicalLocation", physical_location(note)}, {"message", {{"text", note.text}}}});
  }
  return result;
}

}  // namespace

json to_sarif(const std::vector<Diagnostic>& diagnostics) {
  std::vector<std::string> codes;
  json rules = json::array(), results = json::array();
  for (const Diagnostic& diagnostic : diagnostics) {
    const auto known = std::find(codes.begin(), codes.end(), diagnostic.code);
    const auto rule = static_cast<std::size_t>(known - codes.begin());
    if (known == codes.end()) {
      codes.push_back(diagnostic.code);
      rules.push_back(to_rule(diagnostic.code));
    }
    results.push_back(to_result(diagnostic, rule));
  }
  const json driver = {{"name", "woa"}, {"version", WOA_VERSION}, {"rules", std::move(rules)}};
  const json run = {{"tool", {{"driver", driver}}},
                    {"columnKind", "unicodeCodePoints"},
                    {"originalUriBaseIds", {{kBase, {{"uri", file_uri("./")}}}}},
                    {"invocations", json::array({{{"executionSuccessful", true}}})},  // everything was checked
                    {"results", std::move(results)}};
  return {{"$schema", kSchema}, {"version", "2.1.0"}, {"runs", json::array({run})}};
}

Status write_sarif(const std::vector<Diagnostic>& diagnostics, const fs::path& path) {
  return write_file(path, to_sarif(diagnostics).dump(2, ' ', false, json::error_handler_t::replace) + "\n");
}

}  // namespace woa::tools
