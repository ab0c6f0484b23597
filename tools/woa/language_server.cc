#include "tools/woa/language_server.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "compiler/compiler.h"
#include "runtime/base/file.h"
#include "runtime/base/text.h"
#include "tools/woa/commands.h"
#include "tools/woa/file_uri.h"

namespace woa::tools {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr int kInvalidRequest = -32600, kUnknownMethod = -32601, kBadParams = -32602;  // JSON-RPC 2.0
constexpr int kNotInitialized = -32002;                                                // Language Server Protocol

json response(const json& id, json result) { return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}}; }
json failure(const json& id, int code, const std::string& text) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", text}}}};
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

// The code units of UTF-16 that the first `characters` characters of a line of UTF-8 take.
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

// Drops the byte order mark, which the compiler's columns do not count.
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
    if (!message.is_object() || !message.contains("method")) {
      const bool response = message.is_object() && (message.contains("result") || message.contains("error"));
      if (!id.is_null() && !response) send_(failure(id, kInvalidRequest, "a request names a method"));
      return;
    }
    const std::string method = message.at("method").get<std::string>();
    const json params = message.value("params", json::object());
    if (method == "exit") {
      ended_ = phase_ == Phase::kShutDown ? kDone : kFailed;
    } else if (!id.is_null()) {
      send_(answer(method, id, params));
    } else if (phase_ == Phase::kRunning) {
      notify(method, params);
    }
  } catch (const json::exception&) {  // the message breaks the protocol
    if (!id.is_null()) send_(failure(id, kBadParams, "the message has not the form of its method"));
  }
}

json LanguageServer::answer(const std::string& method, const json& id, const json& params) {
  if (phase_ == Phase::kShutDown) return failure(id, kInvalidRequest, "after `shutdown` only `exit` may come");
  if (method == "initialize") {
    if (phase_ != Phase::kNew) return failure(id, kInvalidRequest, "`initialize` comes once");
    json result = initialize(params);
    phase_ = Phase::kRunning;
    return response(id, std::move(result));
  }
  if (phase_ == Phase::kNew) return failure(id, kNotInitialized, "`initialize` must come first");
  if (method != "shutdown") return failure(id, kUnknownMethod, "woa has no method '" + method + "'");
  phase_ = Phase::kShutDown;
  return response(id, nullptr);
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
  if (method == "workspace/didChangeWatchedFiles") return mark_all();
  if (!method.starts_with("textDocument/did")) return;
  const json& document = params.at("textDocument");
  const std::string uri = document.at("uri").get<std::string>();
  if (method == "textDocument/didOpen") {
    put(uri, document, document.at("text"));
  } else if (method == "textDocument/didChange") {
    if (const json& changes = params.at("contentChanges"); !changes.empty())
      put(uri, document, changes.back().at("text"));
  } else if (method == "textDocument/didSave") {
    mark_all();  // a file may be new that other documents name
  } else if (method == "textDocument/didClose") {
    forget(uri);
  }
}

void LanguageServer::put(const std::string& uri, const json& document, const json& text) {
  const std::optional<fs::path> path = path_of(uri);
  Document now{unmarked(text.get<std::string>()), document.value("version", json()), {}};
  if (path) now.identity = file_identity(*path);
  if (path) options_.unsaved[now.identity] = now.text;
  mark_readers(now.identity);
  documents_[uri] = std::move(now);
  changed_.insert(uri);
}

void LanguageServer::forget(const std::string& uri) {
  const auto document = documents_.find(uri);
  if (document == documents_.end()) return;
  options_.unsaved.erase(document->second.identity);
  mark_readers(document->second.identity);
  documents_.erase(document);
  changed_.erase(uri);
  std::set<std::string> concerned;
  for (const auto& [file, problems] : found_[uri].problems) concerned.insert(file);
  found_.erase(uri);
  publish(concerned);
}

// Marks the open documents that were checked with this file's text.
void LanguageServer::mark_readers(const fs::path& file) {
  for (const auto& [uri, found] : found_)
    if (found.read.contains(file)) changed_.insert(uri);
}

void LanguageServer::mark_all() {
  for (const auto& [uri, document] : documents_) changed_.insert(uri);
}

void LanguageServer::check() {
  std::set<std::string> concerned;
  for (const std::string& uri : changed_) {
    Found now = find_problems(uri);
    for (const Problems* each : {&found_[uri].problems, &now.problems})
      for (const auto& [file, list] : *each) concerned.insert(file);
    concerned.insert(uri);
    found_[uri] = std::move(now);
  }
  changed_.clear();
  publish(concerned);
}

LanguageServer::Found LanguageServer::find_problems(const std::string& uri) const {
  Found found;
  const CheckedText checked = check_text(documents_.at(uri).text, path_of(uri).value_or(uri), options_);
  for (const std::string& file : checked.files) found.read.insert(file_identity(file));
  for (const Diagnostic& diagnostic : checked.diagnostics) {
    const json place = location(diagnostic);
    json problem = {{"range", place.at("range")},
                    {"severity", diagnostic.severity == Severity::kError ? 1 : 2},  // DiagnosticSeverity
                    {"code", diagnostic.code},
                    {"source", "woa"},
                    {"message", diagnostic.text + (diagnostic.fix.empty() ? "" : "\nfix: " + diagnostic.fix)}};
    for (const SourceMessage& note : diagnostic.notes)
      problem["relatedInformation"].push_back({{"location", location(note)}, {"message", note.text}});
    found.problems[place.at("uri").get<std::string>()].push_back(std::move(problem));
  }
  return found;
}

// The URI as the client writes it, if the file is open.
std::string LanguageServer::uri_of(const std::string& file) const {
  const fs::path identity = file_identity(file);
  for (const auto& [uri, document] : documents_)
    if (uri == file || document.identity == identity) return uri;
  return file_uri(file);
}

json LanguageServer::location(const SourceMessage& message) const {
  const std::string uri = uri_of(message.file);
  std::uint32_t line = 0, begin = 0, end = 0;
  if (message.line != 0) {
    line = message.line - 1, begin = message.column - 1, end = begin + message.length;
    if (!counts_characters_) {
      const auto open = documents_.find(uri);
      const std::string text = open != documents_.end() ? open->second.text : read(message.file);
      const std::string_view quoted = line_of(text, message.line);
      begin = in_utf16(quoted, begin), end = in_utf16(quoted, end);
    }
  }
  return {
      {"uri", uri},
      {"range", {{"start", {{"line", line}, {"character", begin}}}, {"end", {{"line", line}, {"character", end}}}}}};
}

// Each problem once, also if several graphs include the file: then with the notes of all of them.
json LanguageServer::problems_in(const std::string& uri) const {
  json all = json::array();
  for (const auto& [document, found] : found_) {
    const auto here = found.problems.find(uri);
    if (here == found.problems.end()) continue;
    for (const json& problem : here->second) {
      const auto same = std::ranges::find_if(all, [&](const json& other) {
        return std::ranges::all_of(std::array{"range", "code", "message"},
                                   [&](const char* key) { return other.at(key) == problem.at(key); });
      });
      if (same == all.end()) {
        all.push_back(problem);
        continue;
      }
      for (const json& note : problem.value("relatedInformation", json::array())) {
        json& notes = (*same)["relatedInformation"];
        if (std::ranges::find(notes, note) == notes.end()) notes.push_back(note);
      }
    }
  }
  return all;
}

void LanguageServer::publish(const std::set<std::string>& uris) {
  for (const std::string& uri : uris) {
    json params = {{"uri", uri}, {"diagnostics", problems_in(uri)}};
    const auto open = documents_.find(uri);
    if (open != documents_.end() && open->second.version.is_number_integer()) params["version"] = open->second.version;
    send_({{"jsonrpc", "2.0"}, {"method", "textDocument/publishDiagnostics"}, {"params", std::move(params)}});
  }
}

}  // namespace woa::tools
