// What `woa run` reads and writes: --in and --out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/base/status.h"
#include "runtime/node/host_backend.h"
#include "runtime/plan/plan.h"
#include "tools/woa/kept_files.h"

namespace woa::tools {

// The files behind one graph input: one that serves every instance, or a folder's, in name order.
class InputFiles {
 public:
  // NAME=FILE|DIR for each graph input of `plan`. kInvalid: an input without a file, a name that is no input, a
  // repeated name, folders of different sizes. kNotFound: no such file, an empty folder. kUnavailable: what is there
  // cannot be read again for each instance (a pipe, a device), or not at all.
  static Result<InputFiles> open(const Plan& plan, const std::vector<std::string>& arguments);
  // As many as a folder has files, or 1.
  [[nodiscard]] std::uint64_t default_instances() const noexcept { return default_instances_; }
  // Reads the payload of `instance` straight into `room`. kTooLarge names the file and the declared bound.
  Result<std::uint64_t> read(std::uint32_t input, std::uint64_t instance, std::span<std::byte> room) const;
  // All of them, with their options.
  [[nodiscard]] std::vector<ReadFile> files() const;

 private:
  std::vector<std::string> names_;                         // of the inputs
  std::vector<std::vector<std::filesystem::path>> files_;  // by input
  std::uint64_t default_instances_ = 1;
};

// The files that these --out name, as far as they can be read.
std::vector<WrittenFile> named_outputs(const std::vector<std::string>& arguments);

// SHA-256 over the outputs of a run in instance order, and the files they go to.
class OutputFiles {
 public:
  struct Summary {
    std::string name;
    std::uint64_t bytes = 0;
    std::uint64_t absent = 0;  // instances that left it out
    std::string sha256;        // empty if this build has no OpenSSL
  };

  // NAME=FILE (all instances one after another) or NAME=DIR/%i.ext (a file each). Nothing is created yet. kInvalid: a
  // name that is no output. kNotFound: the folder to write to does not exist.
  static Result<OutputFiles> open(const Plan& plan, const std::vector<std::string>& arguments);
  OutputFiles(OutputFiles&&) noexcept;
  ~OutputFiles();
  // Empties the files that take all instances; once, when the run has started. kUnavailable with the system's reason.
  Status begin();
  // One instance's outputs, in any order of instances; a failed instance has none, and an absent output neither bytes
  // nor a file. Copies only what comes too early.
  Status add(std::uint64_t instance, std::span<const GraphOutput> outputs);
  // After the last instance.
  std::vector<Summary> finish();

 private:
  struct Output;
  OutputFiles();
  struct Early {
    std::vector<std::byte> payload;
    bool absent = false;
  };
  Status write(std::uint64_t instance, std::span<const GraphOutput> outputs);
  std::vector<std::unique_ptr<Output>> outputs_;
  std::uint64_t next_ = 0;
  std::map<std::uint64_t, std::vector<Early>> early_;  // empty vector: failed
};

}  // namespace woa::tools
