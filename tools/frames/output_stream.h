// An output of the graph that goes to a pipe.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/status.h"
#include "runtime/base/unique_fd.h"

namespace woa::tools {

// Collects what is written, and blocks while its reader is too slow. One thread. From the first on, this process
// ignores SIGPIPE: a reader that has gone is an error that is reported.
class OutputStream {
 public:
  // True for "-" and a named pipe. What is open already (/dev/stdout) and devices are written as files are.
  static bool writes(const std::string& path);
  // kInvalid: `path` is "-", and stdout cannot be written.
  static Status check(const std::string& path);
  // `path`: one that it writes. `given_up`: asked while it blocks, if the run was interrupted; what is left is not
  // written then.
  OutputStream(std::string path, std::function<bool()> given_up);
  // False: a named pipe has no reader yet. kUnavailable with the system's reason.
  Result<bool> open();
  // kUnavailable: the reader has gone, or the system's reason. kCancelled: given up.
  Status write(std::span<const std::byte> bytes);
  Status write(std::string_view text) { return write(std::as_bytes(std::span(text))); }
  // Writes what was collected.
  Status flush();

 private:
  Status send(std::span<const std::byte> bytes);
  [[nodiscard]] Status failed(int error) const;

  std::string path_;
  std::function<bool()> given_up_;
  UniqueFd fd_;
  bool blocks_ = true;  // the descriptor, which other processes may share
  std::vector<std::byte> collected_;
};

}  // namespace woa::tools
