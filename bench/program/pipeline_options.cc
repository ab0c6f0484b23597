#include "bench/program/pipeline_options.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "library/option_values.h"
#include "runtime/plan/plan.h"

namespace woa::tools {
namespace {

// Accepts four digits.
std::string check_cores(const std::string& text) {
  const bool digits = text.size() == bench::PipelineCores{}.size() &&
                      std::ranges::all_of(text, [](char digit) { return digit >= '0' && digit <= '9'; });
  return digits ? "" : "'" + text + "' is not four digits: the processor of the source and of each worker, as in 0101";
}

bench::PipelineCores cores_of(const std::string& text) {
  bench::PipelineCores cores{};
  std::ranges::transform(text, cores.begin(), [](char digit) { return static_cast<std::size_t>(digit - '0'); });
  return cores;
}

void add_cores(CLI::App& command, bench::PipelineOptions& chosen) {
  command
      .add_option_function<std::vector<std::string>>(
          "--cores",
          [&chosen](const std::vector<std::string>& texts) {
            chosen.cores.clear();
            std::ranges::transform(texts, std::back_inserter(chosen.cores), cores_of);
          },
          "Processors (0 to 9) of the source and of each worker; several, or a list with commas")
      ->check(check_cores)
      ->delimiter(',')
      ->option_text("DIGITS,... [0101]");
}

void add_beside(CLI::App& command, bench::PipelineOptions& chosen) {
  constexpr std::uint64_t kMostLoops = 1024, kMostNice = 19, kMostWorkers = 16;
  CLI::Option* beside = command
                            .add_option("--beside", chosen.beside,
                                        "Busy loops of other programs that run meanwhile; ours wait as any run")
                            ->transform(within(0, kMostLoops))
                            ->excludes("--cores");
  command.add_option("--beside-nice", chosen.nicer, "How much nicer they are than this program")
      ->transform(within(0, kMostNice))
      ->needs(beside)
      ->option_text("UINT [0]");
  command.add_option("--workers", chosen.workers, "Workers in a row, with --beside")
      ->transform(within(1, kMostWorkers))
      ->needs(beside)
      ->option_text("UINT [3]");
}

}  // namespace

void add_pipeline_options(CLI::App& command, bench::PipelineOptions& chosen) {
  command.add_option("--size", chosen.sizes, "Bytes of an item, with KiB, MiB or GiB; several, or a list with commas")
      ->transform(bytes(2, std::uint64_t{1} << 30))
      ->delimiter(',')
      ->option_text("SIZE,... [64,64KiB,4MiB]");
  command.add_option("--window", chosen.windows, "Items under way at most; several, or a list with commas")
      ->transform(within(1, kMaxWindow))
      ->delimiter(',')
      ->option_text("N,... [1,8]");
  add_cores(command, chosen);
  add_beside(command, chosen);
}

}  // namespace woa::tools
