// Function kernels that the runtime's tests share; test_node serves them in processes of their own.
#pragma once

#include <chrono>
#include <random>
#include <string>
#include <thread>

#include "tests/support/function_backend.h"

namespace woa::test {

// Text of 16 bytes, for ports of a fixed size.
inline constexpr std::size_t kPaddedBytes = 16;
inline std::string padded(std::string text) {
  text.resize(kPaddedBytes, '.');
  return text;
}
inline std::string without_padding(const std::string& text) { return text.substr(0, text.find('.')); }
inline void write_padded(Firing& firing, std::uint32_t port, const std::string& text) {
  write(firing, port, padded(text));
  firing.outputs[port].dims[0] = kPaddedBytes;
}

inline const Functions& functions() {
  static const Functions all{
      {"copy", [](Firing& f, const StagePlan&) { write(f, 0, read(f, 0)); }},
      {"append", [](Firing& f, const StagePlan& s) { write(f, 0, read(f, 0) + s.name); }},
      {"copy_padded", [](Firing& f, const StagePlan&) { write_padded(f, 0, read(f, 0)); }},
      {"append_padded",
       [](Firing& f, const StagePlan& s) { write_padded(f, 0, without_padding(read(f, 0)) + s.name); }},
      {"join", [](Firing& f, const StagePlan&) { write(f, 0, read(f, 0) + "+" + read(f, 1)); }},
      {"odd_even", [](Firing& f, const StagePlan&) { write(f, std::stoi(read(f, 0)) % 2 == 0 ? 0 : 1, read(f, 0)); }},
      // "n" counts down to 0; out0 again, out1 done
      {"count_down",
       [](Firing& f, const StagePlan&) {
         const int n = std::stoi(read(f, 0));
         write(f, n > 0 ? 0 : 1, n > 0 ? std::to_string(n - 1) : "tag" + std::to_string(f.tag));
       }},
      {"add_held",
       [](Firing& f, const StagePlan&) {
         const int n = std::stoi(read(f, 0));
         write(f, n < 100 ? 0 : 1, n < 100 ? std::to_string(n + std::stoi(read(f, 1))) : read(f, 0));
       }},
      {"fail_3",
       [](Firing& f, const StagePlan&) {
         if (read(f, 0) == "3") {
           f.code = Code::kKernelFailed;
           f.message = "three is refused";
           return;
         }
         write(f, 0, read(f, 0));
       }},
      {"silent", [](Firing&, const StagePlan&) {}},
      // writes an optional output only if the number is even
      {"if_even",
       [](Firing& f, const StagePlan&) {
         if (std::stoi(read(f, 0)) % 2 == 0) write(f, 0, read(f, 0));
       }},
      {"or_none", [](Firing& f, const StagePlan&) { write(f, 0, f.inputs[0].absent ? "none" : read(f, 0)); }},
      {"slow",
       [](Firing& f, const StagePlan&) {
         std::this_thread::sleep_for(std::chrono::milliseconds(20)), write(f, 0, read(f, 0));
       }},
      {"jitter",
       [](Firing& f, const StagePlan&) {
         thread_local std::mt19937 random{std::random_device{}()};
         std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
         write(f, 0, read(f, 0));
       }},
      {"log_instance", [](Firing& f, const StagePlan&) { write(f, 0, std::to_string(f.instance)); }},
  };
  return all;
}

}  // namespace woa::test
