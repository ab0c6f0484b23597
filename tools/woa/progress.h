// A progress bar on a terminal, for runs of more than a second.
#pragma once

#include <cstdint>
#include <string>

namespace woa::tools {

class Progress {
 public:
  // `enabled`: only if stderr is a terminal.
  Progress(std::uint64_t total, bool enabled);
  ~Progress();  // clears the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void update(std::uint64_t done);

 private:
  std::uint64_t total_, started_ns_, drawn_ns_ = 0;
  bool enabled_;
};

}  // namespace woa::tools
