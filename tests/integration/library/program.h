// A C program that compiles graphs and submits texts to their runs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "woa/woa.h"

namespace program {

inline constexpr std::uint64_t kLimit_ns = 10'000'000'000;  // ten times what a user would call a hang

inline std::string message() { return woa_message(); }

// A plan of a graph's text.
struct Compiled {
  woa_plan* plan = nullptr;
  explicit Compiled(const std::string& graph, std::vector<woa_option> options = {}) {
    const woa_status status =
        woa_compile("graph.yaml", graph.c_str(), options.data(), options.size(), nullptr, nullptr, &plan);
    INFO(message());
    REQUIRE(status == WOA_OK);
  }
  ~Compiled() { woa_plan_free(plan); }
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;
};

// Instances that a program submits, and how they ended.
struct Program {
  woa_run* run = nullptr;
  std::map<std::uint64_t, std::string> texts, failures;
  std::map<std::uint64_t, woa_status> statuses;
  std::map<std::uint64_t, const woa_input*> kept;
  bool keep = false;

  Program(const woa_plan* plan, std::vector<woa_option> options) {
    const woa_run_setup setup{sizeof setup, options.data(), options.size(), complete, this, nullptr};
    // Not by REQUIRE, nor in complete(): Catch2 serves one thread.
    if (woa_run_start(plan, &setup, &run) != WOA_OK) throw std::runtime_error(message());
  }
  ~Program() { woa_run_free(run); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  static woa_taken complete(void* user, const woa_completion* done) {
    Program& self = *static_cast<Program*>(user);
    self.statuses[done->instance] = done->status;
    if (done->status != WOA_OK) {
      self.failures[done->instance] = std::string(done->stage) + ": " + done->message;
      return WOA_DONE;
    }
    if (done->output_count != 1) return WOA_DONE;  // and the text is missing
    self.texts[done->instance].assign(reinterpret_cast<const char*>(done->outputs[0].data), done->outputs[0].bytes);
    return self.keep ? WOA_KEEP : WOA_DONE;
  }
  // `user` is the text.
  static woa_status fill(void* user, std::uint64_t, std::uint32_t, woa_output* room, woa_error* error) {
    const std::string& text = *static_cast<std::string*>(user);
    if (text == "refuse") return woa_fail(error, WOA_UNAVAILABLE, "the file is gone");
    std::memcpy(room->data, text.data(), std::min<std::uint64_t>(text.size(), room->capacity));
    room->bytes = text.size();
    return WOA_OK;
  }
  [[nodiscard]] std::uint64_t submitted() const {
    woa_statistics statistics{};
    statistics.size = sizeof statistics;
    return woa_run_statistics(run, &statistics) == WOA_OK ? statistics.submitted : 0;
  }
  woa_status submit(std::string& text, std::uint64_t deadline_ns = 0) {
    return woa_run_submit(run, fill, &text, deadline_ns, nullptr);
  }
};

}  // namespace program
