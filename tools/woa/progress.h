// Progress on a terminal, for work of more than a second: a bar if the end is known, else the time.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace woa::tools {

class Progress {
 public:
  // A bar over `total` items, named `units`. Nothing is drawn if stderr is no terminal.
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

// The time that some work takes: shown from the first second on, and only if stderr is a terminal.
class Waiting {
 public:
  // `limit`: the work's time limit, which it may overrun a little; 0 if nothing bounds it.
  explicit Waiting(std::string what, std::chrono::nanoseconds limit = {});
  ~Waiting();  // clears the line
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  void show(const std::stop_token& stop, const std::string& what, std::chrono::seconds limit);

  std::mutex mutex_;
  std::condition_variable_any stopped_;
  std::jthread thread_;  // last: it uses the others
};

}  // namespace woa::tools
