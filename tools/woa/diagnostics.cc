#include "tools/woa/diagnostics.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "tools/woa/failure.h"

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
    diagnostic.file = printable_lines(diagnostic.file);  // texts and lines have been looked through
    for (SourceMessage& note : diagnostic.notes) note.file = printable_lines(note.file);
    std::fprintf(stderr, "%s\n", format(diagnostic, color).c_str());
  }
}

nlohmann::json to_json(const std::vector<Diagnostic>& diagnostics) {
  nlohmann::json list = nlohmann::json::array();
  for (const Diagnostic& diagnostic : diagnostics) {
    nlohmann::json object = message_json(diagnostic);
    object["code"] = diagnostic.code;
    object["severity"] = "error";
    object["fix"] = diagnostic.fix;
    nlohmann::json& notes = object["notes"] = nlohmann::json::array();
    for (const SourceMessage& note : diagnostic.notes) notes.push_back(message_json(note));
    list.push_back(std::move(object));
  }
  return list;
}

}  // namespace woa::tools
