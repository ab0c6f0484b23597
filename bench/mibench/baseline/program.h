// Shared by the sequential programs of MiBench: options, files, stopwatches, and the report.
//
//   baseline_NAME --in NAME=FILE ... --out NAME=FILE ... [--set NAME=VALUE ...] [--repeat N] [--json]
//
// With --json it prints
//   {"total_s": [...], "system_s": [...], "input_output_s": [...], "loops": [{"name", "kernel_s", "plain_s"}]}
// with a number for each repetition. `system_s` is the time of input, output and stages that need system calls;
// `input_output_s` is the time of input and output. A loop has the median time of a hot stage's kernel and of the plain
// C loop beside it, both on the data of this run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/mibench/baseline/stage.h"
#include "runtime/base/clock.h"

namespace woa::mibench {

// The files and settings of the command line.
struct Files {
  std::map<std::string, std::filesystem::path> in, out;
  std::map<std::string, std::string> settings;  // by --set, behind the program's own
  std::filesystem::path kernels;                // the folder of built kernels
};

// One repetition: reads, computes, writes, and notes the times.
class Repetition {
 public:
  explicit Repetition(const Files& files) : files_(files), start_ns_(now_ns()) {}

  // The whole file of input `name`, or fail().
  std::string read(const std::string& name);
  // Fires `stage`, which needs system calls, with the file of input `name`.
  void read_by(Stage& stage, const std::string& name);
  // Writes the file of output `name`, or fail(). Nothing without --out for it.
  void write(const std::string& name, const woa_output& token);
  // Runs a stage that needs system calls.
  template <class Work>
  void system(Work&& work) {
    const std::uint64_t start_ns = now_ns();
    work();
    system_ns_ += now_ns() - start_ns;
  }

  [[nodiscard]] double total_s() const { return seconds(now_ns() - start_ns_); }
  [[nodiscard]] double system_s() const { return seconds(system_ns_); }
  [[nodiscard]] double input_output_s() const { return seconds(input_output_ns_); }

 private:
  static double seconds(std::uint64_t ns) { return static_cast<double>(ns) * 1e-9; }
  void note(std::uint64_t start_ns);

  const Files& files_;
  std::uint64_t start_ns_, system_ns_ = 0, input_output_ns_ = 0;
};

// A hot stage: the kernel, called as the program calls it, beside the plain loop, on the same data.
struct HotLoop {
  std::string name;
  std::function<void()> kernel, plain;
  std::function<bool()> same;  // true if the last calls of both have the same result
};

class Program {
 public:
  virtual ~Program() = default;
  // May be called many times.
  virtual void run(Repetition& repetition) = 0;
  // The hot stages, on data that the last run() left.
  virtual std::vector<HotLoop> loops() = 0;
};

struct Usage {
  std::vector<std::string> inputs;              // each needs --in
  std::map<std::string, std::string> settings;  // names and defaults of --set
};
using MakeProgram = std::function<std::unique_ptr<Program>(const Files&)>;

// The whole main(): exit code 2 for bad usage, 1 with a message on stderr for a failure. Kernels are taken from the
// folder `kernels` beside the program, or from the first folder of WOA_KERNEL_PATH.
int run_baseline(int argc, char** argv, const Usage& usage, const MakeProgram& make);
template <class Made>
int run_baseline(int argc, char** argv, const Usage& usage) {
  return run_baseline(argc, argv, usage, [](const Files& files) { return std::make_unique<Made>(files); });
}

// The bytes of a text, as kernels take them.
inline const std::uint8_t* bytes_of(std::string_view text) {
  return reinterpret_cast<const std::uint8_t*>(text.data());
}

}  // namespace woa::mibench
