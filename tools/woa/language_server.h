// The Language Server Protocol, version 3.17: shows in an editor the compiler's diagnostics of graphs, libraries,
// kernel.yaml, machine files and profiles. Open documents are read from the editor, also if another file names them.
//
// Diagnostics only. Completion comes from compiler/schema, through a server for YAML.
#pragma once

#include <cstdint>
#include <filesystem>
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

  // Takes a message of the client. Requests are answered at once; changed documents wait for check().
  void take(const nlohmann::json& message);
  // True if a document has changed since check().
  [[nodiscard]] bool has_changes() const noexcept { return !changed_.empty(); }
  // Compiles the changed documents, and publishes the problems of each file concerned.
  void check();
  // The exit code, once the client has asked for it.
  [[nodiscard]] std::optional<int> ended() const noexcept { return ended_; }

 private:
  using Problems = std::map<std::string, std::vector<nlohmann::json>>;  // by URI of the file that they are in
  struct Document {
    std::string text;
    nlohmann::json version;          // the client's number; null: it gave none
    std::filesystem::path identity;  // file_identity(); empty: it has no file
  };
  struct Found {
    Problems problems;
    std::set<std::filesystem::path> read;  // file_identity() of the files that were looked at
  };
  enum class Phase : std::uint8_t { kNew, kRunning, kShutDown };

  [[nodiscard]] nlohmann::json answer(const std::string& method, const nlohmann::json& id,
                                      const nlohmann::json& params);
  [[nodiscard]] nlohmann::json initialize(const nlohmann::json& params);
  void notify(const std::string& method, const nlohmann::json& params);
  void put(const std::string& uri, const nlohmann::json& document, const nlohmann::json& text);
  void forget(const std::string& uri);
  void mark_readers(const std::filesystem::path& file);
  void mark_all();
  [[nodiscard]] Found find_problems(const std::string& uri) const;
  [[nodiscard]] std::string uri_of(const std::string& file) const;
  [[nodiscard]] nlohmann::json location(const SourceMessage& message) const;
  [[nodiscard]] nlohmann::json problems_in(const std::string& uri) const;
  void publish(const std::set<std::string>& uris);

  CompileOptions options_;
  std::function<void(const nlohmann::json&)> send_;
  std::map<std::string, Document> documents_;  // open ones, by URI
  std::set<std::string> changed_;              // changed ones, by URI
  std::map<std::string, Found> found_;         // by URI of the document that was checked
  bool counts_characters_ = false;             // positions are in UTF-32, else in UTF-16
  Phase phase_ = Phase::kNew;
  std::optional<int> ended_;
};

}  // namespace woa::tools
