#include "bench/mibench/baseline/program.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "runtime/base/file.h"

namespace woa::mibench {
namespace {

constexpr std::uint64_t kLargestFile = std::uint64_t{1} << 30;
constexpr std::uint64_t kLeastSampleNs = 1'000'000;  // loops shorter than that are repeated
constexpr int kSamples = 15;

struct Arguments {
  Files files;
  int repeat = 1;
  bool json = false;
};

// Splits NAME=VALUE options. Throws CLI::ValidationError without `=`, or for a name that `known` (if any) lacks.
template <class Value>
void take(const char* option, const std::vector<std::string>& texts, std::map<std::string, Value>& values,
          bool only_known) {
  for (const std::string& text : texts) {
    const std::size_t at = text.find('=');
    if (at == 0 || at == std::string::npos) throw CLI::ValidationError(option, "`" + text + "` is not NAME=VALUE");
    const std::string name = text.substr(0, at);
    if (only_known && !values.contains(name)) throw CLI::ValidationError(option, "there is no `" + name + "`");
    values[name] = text.substr(at + 1);
  }
}

std::filesystem::path kernels_of(const char* program) {
  if (const char* path = std::getenv("WOA_KERNEL_PATH"); path != nullptr && *path != '\0')
    return std::string(path).substr(0, std::string(path).find(':'));
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  return (error ? std::filesystem::path(program) : self).parent_path() / "kernels";
}

Arguments read_arguments(int argc, char** argv, const Usage& usage, CLI::App& app) {
  Arguments all;
  std::vector<std::string> in, out, set;
  app.add_option("--in", in, "NAME=FILE: an input");
  app.add_option("--out", out, "NAME=FILE: an output");
  app.add_option("--set", set, "NAME=VALUE: a parameter of the program");
  app.add_option("--repeat", all.repeat, "Repetitions")->check(CLI::Range(1, 1'000'000));
  app.add_flag("--json", all.json, "Print one JSON object on stdout");
  app.parse(argc, argv);
  for (const std::string& name : usage.inputs) all.files.in[name];
  all.files.settings = usage.settings;
  take("--in", in, all.files.in, true);
  take("--out", out, all.files.out, false);
  take("--set", set, all.files.settings, true);
  for (const auto& [name, path] : all.files.in)
    if (path.empty()) throw CLI::ValidationError("--in", "input `" + name + "` is missing: add --in " + name + "=FILE");
  all.files.kernels = kernels_of(argv[0]);
  return all;
}

double median(std::vector<double> samples) {
  std::ranges::nth_element(samples, samples.begin() + kSamples / 2);
  return samples[kSamples / 2];
}

double time_of(const std::function<void()>& work, std::uint64_t calls) {
  const std::uint64_t start_ns = now_ns();
  for (std::uint64_t k = 0; k < calls; ++k) work();
  return static_cast<double>(now_ns() - start_ns) * 1e-9 / static_cast<double>(calls);
}

// Both in turns, so that both meet the same processor.
nlohmann::json measure(const HotLoop& loop) {
  loop.kernel();
  loop.plain();
  if (!loop.same()) fail("loop " + loop.name + ": the kernel and the plain loop have different results");
  const double once_s = std::max(time_of(loop.plain, 1), 1e-9);
  const auto calls = static_cast<std::uint64_t>(std::max(1.0, static_cast<double>(kLeastSampleNs) * 1e-9 / once_s));
  std::vector<double> kernel, plain;
  for (int k = 0; k < kSamples; ++k) {
    kernel.push_back(time_of(loop.kernel, calls));
    plain.push_back(time_of(loop.plain, calls));
  }
  return {{"name", loop.name}, {"kernel_s", median(kernel)}, {"plain_s", median(plain)}};
}

void run_all(const Arguments& arguments, const MakeProgram& make) {
  const auto program = make(arguments.files);
  nlohmann::json report{{"total_s", nlohmann::json::array()},
                        {"system_s", nlohmann::json::array()},
                        {"input_output_s", nlohmann::json::array()},
                        {"loops", nlohmann::json::array()}};
  for (int k = 0; k < arguments.repeat; ++k) {
    Repetition repetition(arguments.files);
    program->run(repetition);
    report["total_s"].push_back(repetition.total_s());
    report["system_s"].push_back(repetition.system_s());
    report["input_output_s"].push_back(repetition.input_output_s());
  }
  if (!arguments.json) return;
  for (const HotLoop& loop : program->loops()) report["loops"].push_back(measure(loop));
  std::printf("%s\n", report.dump().c_str());
}

}  // namespace

void Repetition::note(std::uint64_t start_ns) {
  const std::uint64_t ns = now_ns() - start_ns;
  system_ns_ += ns;
  input_output_ns_ += ns;
}

std::string Repetition::read(const std::string& name) {
  const std::uint64_t start_ns = now_ns();
  const std::filesystem::path& path = files_.in.at(name);
  auto text = read_regular_file(path, kLargestFile);
  if (!text.ok()) fail("--in " + name + ": " + path.string() + ": " + text.status().message());
  note(start_ns);
  return std::move(*text);
}

void Repetition::read_by(Stage& stage, const std::string& name) {
  const std::string file = read(name);
  system([&] {
    stage.give(0, bytes_of(file), file.size());
    stage.fire();
  });
}

void Repetition::write(const std::string& name, const woa_output& token) {
  const auto place = files_.out.find(name);
  if (place == files_.out.end()) return;
  const std::uint64_t start_ns = now_ns();
  const std::string_view text(reinterpret_cast<const char*>(token.data), token.bytes);
  if (const Status status = write_file(place->second, text); !status.ok())
    fail("--out " + name + ": " + status.message());
  note(start_ns);
}

int run_baseline(int argc, char** argv, const Usage& usage, const MakeProgram& make) {
  CLI::App app("The CPU-only program beside a task graph of MiBench");
  try {
    run_all(read_arguments(argc, argv, usage, app), make);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return 0;
}

}  // namespace woa::mibench
