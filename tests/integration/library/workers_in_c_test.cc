// A cpu controller with several workers, as kernels of the program see it.
#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/integration/library/program.h"
#include "tests/support/catch.h"
#include "woa/woa.h"

namespace program {
namespace {

constexpr std::size_t kWorkers = 3;

// Who runs, of all kernels that are registered with it.
struct Watch {
  std::atomic<int> inside{0}, most{0}, calls{0};
  int wanted = 0;  // calls that are to be inside at once: each waits for the others
  std::chrono::milliseconds takes{0};
  std::mutex mutex;
  std::vector<std::thread::id> ran;  // by call
};

woa_status watched(void* self, const woa_firing*, const woa_input* ins, woa_output* outs, woa_error* error) {
  Watch& watch = *static_cast<Watch*>(self);
  ++watch.calls;
  const int inside = ++watch.inside;
  for (int most = watch.most; inside > most && !watch.most.compare_exchange_weak(most, inside);) {
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(kLimit_ns);
  while (watch.most < watch.wanted && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  if (watch.takes.count() != 0) std::this_thread::sleep_for(watch.takes);
  {
    const std::lock_guard lock(watch.mutex);
    watch.ran.push_back(std::this_thread::get_id());
  }
  --watch.inside;
  const woa_status claimed = woa_claim(&outs[0], "data", ins[0].bytes, error);
  if (claimed == WOA_OK) std::memcpy(outs[0].data, ins[0].data, ins[0].bytes);
  return claimed;
}

void watch_by(const std::string& name, Watch& watch, const std::string& more = "") {
  constexpr woa_kernel kernel{WOA_KERNEL_HEAD, .create = nullptr, .destroy = nullptr, .size = nullptr,
                              .run = watched,  .retire = nullptr, .state_bytes = 0};
  const std::string description = "woa_kernel: 1\nname: " + name +
                                  "\nin: {data: {type: bytes}}\nout: {data: {type: bytes, max: 64}}\n" + more +
                                  "variants: {cpu: {}}\n";
  const woa_status registered = woa_kernel_register(description.c_str(), &kernel, &watch);
  INFO(message());
  REQUIRE(registered == WOA_OK);
}

const std::string kWorkersText = std::to_string(kWorkers);

// A graph of kernels in a row, all on a controller with workers.
Compiled in_a_row(const std::vector<std::string>& kernels,
                  const std::vector<woa_option>& options = {{"workers", kWorkersText.c_str()}, {"window", "16"}}) {
  std::string graph = "woa: 1\ngraph: row\ninputs: {x: {type: bytes, max: 64}}\nstages:\n", from = "x";
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    graph += "  s" + std::to_string(k) + ": {kernel: " + kernels[k] + ", in: {data: " + from + "}}\n";
    from = "s" + std::to_string(k) + ".data";
  }
  return Compiled(graph + "outputs: {y: " + from + "}\n", options);
}

void run_all(const Compiled& compiled, std::size_t instances) {
  Program program(compiled.plan, {});
  std::string text = "text";
  for (std::size_t k = 0; k < instances;) {
    if (program.submit(text) == WOA_OK) {
      ++k;
    } else {
      REQUIRE(woa_run_work(program.run, kLimit_ns) == WOA_OK);
    }
  }
  REQUIRE(woa_run_finish(program.run, nullptr) == WOA_OK);
  CHECK(program.texts.size() == instances);
  CHECK(program.texts[instances - 1] == "text");
}

}  // namespace

TEST_CASE("as many firings run at once as there are workers, of one stage or of several") {
  for (const std::vector<std::string>& kernels : {std::vector<std::string>{"meets"}, {"meets", "meets", "meets"}}) {
    Watch watch;
    watch.wanted = kWorkers;
    watch_by("meets", watch);
    run_all(in_a_row(kernels), 10);
    CHECK(watch.most == kWorkers);
    CHECK(watch.calls == static_cast<int>(10 * kernels.size()));
  }
}

TEST_CASE("of a serial kernel one firing runs at a time, whichever stages it serves; others run beside it") {
  Watch alone, beside;
  alone.takes = beside.takes = std::chrono::milliseconds(2);
  watch_by("alone", alone, "serial: true\n");
  watch_by("beside", beside);
  run_all(in_a_row({"alone", "beside", "alone"}), 30);
  CHECK(alone.most == 1);
  CHECK(alone.calls == 60);
  CHECK(beside.calls == 30);
}

TEST_CASE("brief firings run in the controller's thread once they have been measured") {
  // Firings of a busy machine may look long throughout a run: another run shows it then.
  bool one_thread_ran_most = false;
  for (int k = 0; k < 10 && !one_thread_ran_most; ++k) {
    Watch watch;
    watch_by("brief", watch);
    run_all(in_a_row({"brief"}), 20'000);
    REQUIRE(watch.ran.size() == 20'000);
    one_thread_ran_most = std::ranges::count(watch.ran, watch.ran.back()) > 10'000;
  }
  CHECK(one_thread_ran_most);
}

TEST_CASE("a firing that waits for a worker until its deadline is over does not run") {
  Watch watch;
  watch.takes = std::chrono::milliseconds(500);
  watch_by("slow", watch);
  const Compiled compiled = in_a_row({"slow"});
  Program program(compiled.plan, {});
  std::string text = "text";
  for (int k = 0; k < 12; ++k) REQUIRE(program.submit(text, 100'000'000) == WOA_OK);
  REQUIRE(woa_run_finish(program.run, nullptr) == WOA_OK);
  for (const auto& [instance, status] : program.statuses) CHECK(status == WOA_DEADLINE_EXCEEDED);
  CHECK(program.statuses.size() == 12);
  CHECK(watch.calls <= static_cast<int>(kWorkers));
}

TEST_CASE("instances that fail before their source fires leave their places to later ones") {
  Watch watch;
  watch.takes = std::chrono::milliseconds(3);
  watch_by("blocks", watch);
  const Compiled compiled = in_a_row({"blocks"}, {{"workers", "1"}, {"window", "4"}, {"buffers", "least"}});
  Program program(compiled.plan, {});
  std::string text = "text";
  constexpr std::uint64_t kInstances = 200, kPatient = 4;  // one in so many has no deadline
  for (std::uint64_t k = 0; k < kInstances;) {
    if (program.submit(text, k % kPatient == 0 ? 0 : 1'000'000) == WOA_OK) {
      ++k;
    } else {
      REQUIRE(woa_run_work(program.run, kLimit_ns) == WOA_OK);
    }
  }
  REQUIRE(woa_run_finish(program.run, nullptr) == WOA_OK);
  for (std::uint64_t k = 0; k < kInstances; k += kPatient) CHECK(program.texts[k] == "text");
  CHECK(program.statuses.size() == kInstances);
  CHECK(watch.calls <= static_cast<int>(kInstances));
}

}  // namespace program
