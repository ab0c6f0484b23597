// A line on a terminal for what cannot say how far it is: what is waited for, since when, and how long it may take.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace woa::tools {

// Shown from the first second on, and only if stderr is a terminal.
class Waiting {
 public:
  // `limit`: what it was given, which it may overrun a little; 0 if nothing bounds it.
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
