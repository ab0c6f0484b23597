// What the compiler says of graphs and machine files while they are edited: the Language Server Protocol, version 3.17.
//
// Diagnostics only. Completion comes from compiler/schema, by way of a server for YAML.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/compiler.h"

namespace woa::tools {

class LanguageServer {
 public:
  // `send` gets each message for the client, within the calls below.
  LanguageServer(CompileOptions options, std::function<void(const nlohmann::json&)> send)
      : options_(std::move(options)), send_(std::move(send)) {}

  // A message of the client. Requests are answered at once; what documents have become is looked at by check().
  void take(const nlohmann::json& message);
  // Whether a document has changed since check().
  [[nodiscard]] bool has_changes() const noexcept { return !changed_.empty(); }
  // Compiles what has changed, and publishes the problems of each file that is concerned.
  void check();
  // The exit code, once the client has asked for it.
  [[nodiscard]] std::optional<int> ended() const noexcept { return ended_; }

 private:
  using Problems = std::map<std::string, std::vector<nlohmann::json>>;  // by URI of the file that they are in

  [[nodiscard]] nlohmann::json initialize(const nlohmann::json& params);
  void notify(const std::string& method, const nlohmann::json& params);
  void forget(const std::string& uri);
  [[nodiscard]] Problems problems_of(const std::string& uri) const;
  [[nodiscard]] std::vector<Diagnostic> diagnostics_of(const std::string& uri) const;
  [[nodiscard]] std::string uri_of(const std::string& file) const;
  [[nodiscard]] nlohmann::json location(const SourceMessage& message) const;
  void publish(const std::set<std::string>& uris);

  CompileOptions options_;
  std::function<void(const nlohmann::json&)> send_;
  std::map<std::string, std::string> documents_;  // open ones: URI -> text
  std::set<std::string> changed_;                 // of these
  std::map<std::string, Problems> found_;         // by document that was compiled
  bool counts_characters_ = false;                // positions are in UTF-32, else in UTF-16
  bool shut_down_ = false;
  std::optional<int> ended_;
};

}  // namespace woa::tools
