#include "tools/woa/language_server.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>

#include "compiler/parse/yaml_tree.h"
#include "runtime/base/regular_file.h"
#include "runtime/base/text.h"
#include "tools/woa/commands.h"
#include "tools/woa/file_uri.h"

namespace woa::tools {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr int kUnknownMethod = -32601, kBadParams = -32602;  // JSON-RPC 2.0

json response(const json& id, json result) { return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}}; }
json failure(const json& id, int code, const std::string& text) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", text}}}};
}

// Does a line begin with this key?
bool has_key(const std::string& text, const std::string& key) {
  return text.starts_with(key + ":") || text.find("\n" + key + ":") != std::string::npos;
}

// The line with this number, from 1.
std::string_view line_of(std::string_view text, std::uint32_t number) {
  for (; number > 1; --number) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  return text.substr(0, text.find('\n'));
}

// How many code units of UTF-16 so many characters at the begin of a line of UTF-8 take.
std::uint32_t in_utf16(std::string_view line, std::uint32_t characters) {
  std::uint32_t units = 0;
  for (const char c : line) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0U) == 0x80) continue;
    if (characters-- == 0) return units;
    units += byte >= 0xF0 ? 2 : 1;
  }
  return units + characters;
}

// As the compiler counts its columns.
std::string unmarked(std::string text) {
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  return text;
}

std::string read(const fs::path& path) {
  Result<std::string> text = read_regular_file(path, kMaxYamlBytes);
  return text.ok() ? unmarked(std::move(*text)) : std::string();
}

}  // namespace

void LanguageServer::take(const json& message) {
  const json id = message.is_object() ? message.value("id", json()) : json();
  try {
    const std::string method = message.at("method").get<std::string>();
    const json params = message.value("params", json::object());
    if (method == "exit") {
      ended_ = shut_down_ ? kDone : kFailed;
    } else if (id.is_null()) {
      notify(method, params);
    } else if (method == "initialize") {
      send_(response(id, initialize(params)));
    } else if (method == "shutdown") {
      shut_down_ = true;
      send_(response(id, nullptr));
    } else {
      send_(failure(id, kUnknownMethod, "woa has no method '" + method + "'"));
    }
  } catch (const json::exception&) {  // not the form that the protocol gives it
    if (!id.is_null()) send_(failure(id, kBadParams, "the message has not the form of its method"));
  }
}

json LanguageServer::initialize(const json& params) {
  const json encodings = params.value(json::json_pointer("/capabilities/general/positionEncodings"), json::array());
  counts_characters_ = std::ranges::find(encodings, json("utf-32")) != encodings.end();
  const json sync = {{"openClose", true}, {"change", 1}, {"save", true}};  // 1: the whole text
  return {
      {"capabilities", {{"textDocumentSync", sync}, {"positionEncoding", counts_characters_ ? "utf-32" : "utf-16"}}},
      {"serverInfo", {{"name", "woa"}, {"version", WOA_VERSION}}}};
}

void LanguageServer::notify(const std::string& method, const json& params) {
  if (!method.starts_with("textDocument/did")) return;
  const std::string uri = params.at("textDocument").at("uri").get<std::string>();
  if (method == "textDocument/didOpen") {
    documents_[uri] = unmarked(params.at("textDocument").at("text").get<std::string>());
    changed_.insert(uri);
  } else if (method == "textDocument/didChange") {
    if (const json& changes = params.at("contentChanges"); !changes.empty())
      documents_[uri] = unmarked(changes.back().at("text").get<std::string>());
    changed_.insert(uri);
  } else if (method == "textDocument/didSave") {  // others may include it, or name its kernel
    for (const auto& [open, text] : documents_) changed_.insert(open);
  } else if (method == "textDocument/didClose") {
    forget(uri);
  }
}

void LanguageServer::forget(const std::string& uri) {
  documents_.erase(uri);
  changed_.erase(uri);
  std::set<std::string> concerned;
  for (const auto& [file, problems] : found_[uri]) concerned.insert(file);
  found_.erase(uri);
  publish(concerned);
}

void LanguageServer::check() {
  std::set<std::string> concerned;
  for (const std::string& uri : changed_) {
    Problems problems = problems_of(uri);
    for (const auto* each : {&found_[uri], &problems})
      for (const auto& [file, list] : *each) concerned.insert(file);
    concerned.insert(uri);
    found_[uri] = std::move(problems);
  }
  changed_.clear();
  publish(concerned);
}

// Nothing for a file of neither kind: who includes it checks it.
std::vector<Diagnostic> LanguageServer::diagnostics_of(const std::string& uri) const {
  const std::string& text = documents_.at(uri);
  const fs::path path = path_of(uri).value_or(uri);
  if (has_key(text, "woa_machine")) return read_machine_file(path).diagnostics;  // as it was saved
  if (!has_key(text, "woa") || !has_key(text, "graph")) return {};
  return compile_text(text, path.string(), path.parent_path(), options_).diagnostics;
}

LanguageServer::Problems LanguageServer::problems_of(const std::string& uri) const {
  Problems problems;
  for (const Diagnostic& diagnostic : diagnostics_of(uri)) {
    const json place = location(diagnostic);
    json problem = {{"range", place.at("range")},
                    {"severity", 1},
                    {"code", diagnostic.code},
                    {"source", "woa"},
                    {"message", diagnostic.text + (diagnostic.fix.empty() ? "" : "\nfix: " + diagnostic.fix)}};
    for (const SourceMessage& note : diagnostic.notes)
      problem["relatedInformation"].push_back({{"location", location(note)}, {"message", note.text}});
    problems[place.at("uri").get<std::string>()].push_back(std::move(problem));
  }
  return problems;
}

// As the client writes it, if it is open.
std::string LanguageServer::uri_of(const std::string& file) const {
  const std::string uri = file_uri(file);
  for (const auto& [open, text] : documents_) {
    const auto path = path_of(open);
    if (open == file || (path && file_uri(*path) == uri)) return open;
  }
  return uri;
}

json LanguageServer::location(const SourceMessage& message) const {
  const std::string uri = uri_of(message.file);
  std::uint32_t line = 0, begin = 0, end = 0;
  if (message.line != 0) {
    line = message.line - 1, begin = message.column - 1, end = begin + message.length;
    if (!counts_characters_) {
      const auto open = documents_.find(uri);
      const std::string text = open != documents_.end() ? open->second : read(message.file);
      const std::string_view quoted = line_of(text, message.line);
      begin = in_utf16(quoted, begin), end = in_utf16(quoted, end);
    }
  }
  return {
      {"uri", uri},
      {"range", {{"start", {{"line", line}, {"character", begin}}}, {"end", {{"line", line}, {"character", end}}}}}};
}

void LanguageServer::publish(const std::set<std::string>& uris) {
  for (const std::string& uri : uris) {
    json all = json::array();
    for (const auto& [document, problems] : found_)
      if (const auto here = problems.find(uri); here != problems.end())
        std::ranges::copy(here->second, std::back_inserter(all));
    send_({{"jsonrpc", "2.0"},
           {"method", "textDocument/publishDiagnostics"},
           {"params", {{"uri", uri}, {"diagnostics", std::move(all)}}}});
  }
}

}  // namespace woa::tools
