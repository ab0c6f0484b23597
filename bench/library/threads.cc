// Threads of a program that submit to one run and wait, each for its own instance: instances a second, and the 99th
// percentile of a thread's wait as a multiple of what is fair, threads / rate.
//
//     bench_threads [WINDOW...]      each with 1 to 256 threads; 4 and 64 by default
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "woa/woa.hpp"

namespace {

using Clock = std::chrono::steady_clock;
constexpr double kSeconds = 1;
const std::string kGraph =
    "woa: 1\ngraph: threads\ninputs: {x: {type: bytes, max: 64}}\nstages:\n"
    "  a: {kernel: invert, in: {data: x}, on: \"cpu:0\"}\n  b: {kernel: invert, in: {data: a.data}, on: \"cpu:1\"}\n"
    "outputs: {y: b.data}\n";

// Seconds of each wait of one thread.
std::vector<double> submit_and_wait(woa::Run& run, const std::atomic<bool>& stop) {
  const std::string text(64, 'x');
  std::vector<double> waits;
  while (!stop) {
    const Clock::time_point began = Clock::now();
    (void)run.submit([&](woa::Room& room) { room.write(text); }).get();
    waits.push_back(std::chrono::duration<double>(Clock::now() - began).count());
  }
  return waits;
}

void measure(const std::string& window, std::size_t count) {
  woa::Run run(woa::Plan::from_text(kGraph, "threads.yaml", {{"window", window}}), {{"processes", "one"}});
  std::atomic<bool> stop{false};
  std::vector<std::vector<double>> waits(count);
  std::vector<std::jthread> threads;
  const Clock::time_point began = Clock::now();
  for (std::vector<double>& own : waits) threads.emplace_back([&] { own = submit_and_wait(run, stop); });
  std::this_thread::sleep_for(std::chrono::duration<double>(kSeconds));
  stop = true;
  threads.clear();
  const double wall = std::chrono::duration<double>(Clock::now() - began).count();
  std::vector<double> all;
  for (const std::vector<double>& own : waits) all.insert(all.end(), own.begin(), own.end());
  std::ranges::sort(all);
  const double rate = static_cast<double>(all.size()) / wall, p99 = all[all.size() * 99 / 100];
  std::printf("window %3s  %3zu threads  %8.0f /s  p99 %6.2f x threads / rate\n", window.c_str(), count, rate,
              p99 * rate / static_cast<double>(count));
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<std::string> windows(arguments + 1, arguments + count);
  if (windows.empty()) windows = {"4", "64"};
  try {
    for (const std::string& window : windows)
      for (std::size_t threads = 1; threads <= 256; threads *= 4) measure(window, threads);
  } catch (const woa::Error& error) {
    std::fprintf(stderr, "bench_threads: %s\n", error.what());
    return 1;
  }
  return 0;
}
