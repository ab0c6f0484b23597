// A progress bar on a terminal, for runs of more than a second.
#pragma once

#include <cstdint>
#include <string>

namespace woa::tools {

class Progress {
 public:
  // Of so many `units`. Nothing is drawn if stderr is no terminal.
  Progress(std::uint64_t total, std::string units);
  ~Progress();  // clears the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void update(std::uint64_t done);

 private:
  std::uint64_t total_, started_ns_, drawn_ns_ = 0;
  std::string units_;
  bool enabled_;
};

}  // namespace woa::tools
