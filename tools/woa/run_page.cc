#include "tools/woa/run_page.h"

#include <cstdint>
#include <string>
#include <vector>

#include "library/environment.h"
#include "runtime/base/file.h"

namespace woa::tools {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMostTemplateBytes = 16 << 20;
constexpr const char* kEmptyReport = R"({"REPORT": null})";  // in tools/report/page.html

std::filesystem::path template_file() { return data_folder("report") / "page.html"; }

// A kernel's error may have any bytes; those that are no UTF-8 become U+FFFD.
std::string dump(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

std::string text_of(const json& value) { return value.is_string() ? value.get<std::string>() : dump(value); }

// The values of `keys` of each of `entries`.
json table(const std::string& title, const json& entries, const std::vector<std::string>& keys) {
  json rows = json::array();
  for (const json& entry : entries) {
    json row = json::array();
    for (const std::string& key : keys) row.push_back(text_of(entry.value(key, json())));
    rows.push_back(row);
  }
  return {{"title", title}, {"columns", keys}, {"rows", rows}};
}

// A bar for each of `entries`, which `label` names.
template <typename Label>
json chart(const std::string& title, const std::string& unit, const json& entries, const std::string& key,
           const Label& label) {
  json labels = json::array(), values = json::array();
  for (const json& entry : entries) labels.push_back(label(entry)), values.push_back(entry.value(key, json()));
  return {{"kind", "bars"}, {"title", title},   {"unit", unit},
          {"log", false},   {"labels", labels}, {"series", {{{"name", unit}, {"values", values}}}}};
}

json document(const json& run) {
  const auto name = [](const json& entry) { return entry["name"]; };
  const auto ends = [](const json& edge) { return text_of(edge["from"]) + " to " + text_of(edge["to"]); };
  json facts = json::array();
  for (const char* key : {"graph", "model", "processes", "instances", "window", "wall_s", "throughput_per_s",
                          "latency_us", "messages", "payload_bytes"})
    facts.push_back({key, text_of(run[key])});
  const json busy = {chart("Busy time of controllers", "seconds", run["controllers"], "busy_s", name),
                     chart("Time of a firing", "microseconds", run["stages"], "mean_us", name)};
  const json sent = {chart("Messages of edges", "messages", run["edges"], "messages", ends),
                     chart("Payload of edges", "bytes", run["edges"], "payload_bytes", ends)};
  const json tables = {
      table("Controllers", run["controllers"], {"name", "kind", "device", "simulated", "firings", "busy_s"}),
      table("Stages", run["stages"], {"name", "kernel", "variant", "controller", "firings", "mean_us"}),
      table("Edges", run["edges"], {"from", "to", "transport", "method", "messages", "payload_bytes", "copied_bytes"}),
      table("Outputs", run["outputs"], {"name", "bytes", "absent", "sha256"}),
      table("Failures", run["failures"], {"instance", "stage", "code", "message"})};
  const json none = json::array();
  return {{"title", "Run of " + text_of(run["graph"])},
          {"facts", facts},
          {"sections",
           {{{"title", "Controllers and stages"}, {"text", ""}, {"charts", busy}, {"tables", none}},
            {{"title", "Edges"}, {"text", ""}, {"charts", sent}, {"tables", none}},
            {{"title", "Tables"}, {"text", ""}, {"charts", none}, {"tables", tables}}}}};
}

// A text of the report must not end the element that it stands in.
std::string embedded(const json& report) {
  std::string out;
  for (const char letter : dump(report)) {
    if (letter == '<') {
      out += "\\u003c";
    } else {
      out += letter;
    }
  }
  return out;
}

}  // namespace

Status check_page(const std::filesystem::path& file) {
  if (!std::filesystem::exists(template_file()))
    return {Code::kUnavailable, template_file().string() + " is not built; install python3 and build again"};
  return check_writable(file);
}

Status write_page(const json& run, const std::filesystem::path& file) {
  auto page = read_regular_file(template_file(), kMostTemplateBytes);
  if (!page.ok()) return page.status().with_context(template_file().string());
  std::string text = *std::move(page);
  const std::size_t at = text.find(kEmptyReport);
  if (at == std::string::npos)
    return {Code::kDataLoss, template_file().string() + " has no place for a report; build again"};
  text.replace(at, std::string(kEmptyReport).size(), embedded(document(run)));
  return write_file(file, text);
}

}  // namespace woa::tools
