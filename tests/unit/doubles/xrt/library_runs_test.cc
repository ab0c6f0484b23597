// Runs: data, waiting, callbacks, overlap, and how they fail.
#include <sys/wait.h>

#include "tests/unit/doubles/xrt/library_rig.h"

namespace woa::xrt {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// A rig that gives everything back at the end.
template <class Body>
void require_passes(const std::string& words, Body&& body) {
  REQUIRE_PASSES(words, [&] {
    Rig rig;
    NEED(rig.load());
    body(rig);
    rig.end();
    return 0;
  });
}

// The time from the start of `count` runs, all under way at once, to the end of the last.
steady_clock::duration time_of(Rig& rig, std::size_t count) {
  const auto from = steady_clock::now();
  for (std::uint32_t k = 0; k < count; ++k) NEED(rig.start(k, k));
  for (std::uint32_t k = 0; k < count; ++k) NEED(Rig::await(rig.slots[k]));
  return steady_clock::now() - from;
}

}  // namespace

TEST_CASE("firings go through the card, with delays of any seed and with none") {
  for (const char* const words : {"seed=0", "", "seed=2", "seed=3", "delay_us=300,transfer_us=50"})
    require_passes(words, [](Rig& rig) { NEED(rig.fire(20)); });
}

TEST_CASE("a run waits, and says where it is") {
  require_passes("delay_us=200000,seed=0", [](Rig& rig) {
    const Rig::Slot& slot = rig.slots[0];
    NEED(rig.run_state(slot.run) == kCompleted && rig.run_state(rig.slots[1].run) == kNew);
    NEED(rig.start(0, 0) && rig.run_state(slot.run) == kRunning);
    NEED(rig.run_wait(slot.run, 10) == kTimeout && rig.run_state(slot.run) == kRunning);
    NEED(rig.run_wait(slot.run, 0) == kCompleted && rig.run_state(slot.run) == kCompleted);
    NEED(rig.finish(0, 0, 1));
  });
}

TEST_CASE("the state of a run may be old after its end, once") {
  require_passes("", [](Rig& rig) {
    unsigned old = 0;
    for (std::uint32_t k = 0; k < 20; ++k) {
      NEED(rig.start(0, 0) && rig.run_wait(rig.slots[0].run, 10000) == kCompleted);
      const int state = rig.run_state(rig.slots[0].run);
      NEED(state == kCompleted || state == kRunning);
      old += state == kRunning;
      NEED(rig.run_state(rig.slots[0].run) == kCompleted && rig.finish(0, 0, k + 1));
    }
    NEED(old > 0 && old < 20);
  });
}

TEST_CASE("a seed gives the same draws again") {
  const auto draws = [](const std::string& words) {  // a bit for each old state
    return run_with(words,
                    [] {
                      Rig rig;
                      NEED(rig.load());
                      int bits = 0;
                      for (std::uint32_t k = 0; k < 7; ++k) {
                        NEED(rig.start(0, 0) && rig.run_wait(rig.slots[0].run, 10000) == kCompleted);
                        bits = 2 * bits + (rig.run_state(rig.slots[0].run) == kRunning);
                        NEED(Rig::await(rig.slots[0]));
                      }
                      return bits;
                    })
        .exit_code();
  };
  const int first = draws("seed=1");
  REQUIRE((first >= 0 && first == draws("seed=1")));
  REQUIRE(!(first == draws("seed=2") && first == draws("seed=3")));
  REQUIRE(draws("seed=0") == 0);
}

TEST_CASE("a callback is for the end alone") {
  require_passes("", [](Rig& rig) {
    RunHandle run = rig.run_open(rig.kernel);
    NEED(rig.run_callback(run, kError, &Rig::Slot::ended, nullptr) != 0 && errno == EINVAL);
    NEED(rig.run_close(run) == 0);
  });
}

TEST_CASE("runs overlap, and so do transfers of several threads") {
  // One after the other they take four seconds: busy processors may add almost two to those that overlap.
  require_passes("delay_us=2000000,seed=0", [](Rig& rig) { NEED(time_of(rig, 2) < milliseconds(3900)); });
  require_passes("transfer_us=2000000,seed=0", [](Rig& rig) {
    const auto from = steady_clock::now();
    std::thread other([&] { NEED(rig.buffer_sync(rig.inputs[0], kToDevice, 64, 0) == 0); });
    NEED(rig.buffer_sync(rig.inputs[1], kToDevice, 64, 0) == 0);
    NEED(steady_clock::now() - from >= milliseconds(2000));
    other.join();
    NEED(steady_clock::now() - from < milliseconds(3900));
  });
}

TEST_CASE("a run ends in error, and those around it do not") {
  require_passes("fail=run_error@3", [](Rig& rig) {  // the tables are the first one
    NEED(rig.start(0, 0) && rig.start(1, 1));
    NEED(rig.finish(0, 0, 1) && Rig::await(rig.slots[1], kError));
    NEED(rig.run_wait(rig.slots[1].run, 1000) == kError);
    NEED(rig.start(0, 0) && rig.finish(0, 0, 2));
  });
}

TEST_CASE("a run is not taken") {
  require_passes("fail=start@2", [](Rig& rig) {
    NEED(!rig.start(0, 0) && errno == EIO);
    NEED(rig.start(0, 0) && rig.finish(0, 0, 1));
  });
}

TEST_CASE("a header comes to the card with a wrong bit: its run has no packet, and the next one counts on") {
  require_passes("fail=damaged@2", [](Rig& rig) {
    const Rig::Slot& slot = rig.slots[0];
    NEED(rig.start(0, 0) && Rig::await(slot));
    NEED(rig.buffer_sync(slot.result, kFromDevice, wact::kLineBytes, 0) == 0 && Rig::is_done(slot, 0));
    NEED(slot.result_words[wact::kDirectoryPackets] == 0 && slot.result_words[wact::kDirectoryCompletions] == 1);
    NEED(rig.start(0, 0) && rig.finish(0, 0, 1));
  });
}

TEST_CASE("a unit hangs: the runs from there on never end, and nothing is a leak") {
  const Ended ended = run_with("fail=hung@3", [] {
    Rig rig;
    NEED(rig.load() && rig.start(0, 0) && rig.finish(0, 0, 1));
    NEED(rig.start(0, 0) && rig.start(1, 1));
    NEED(rig.run_wait(rig.slots[0].run, 300) == kTimeout && rig.run_wait(rig.slots[1].run, 10) == kTimeout);
    NEED(rig.slots[0].state.load() == 0 && rig.slots[1].state.load() == 0);
    NEED(rig.kernel_close(rig.kernel) == 0 && rig.device_close(rig.device) == 0);
    std::exit(0);
    return 1;
  });
  INFO(ended.log);
  REQUIRE(ended.status == 0);
}

TEST_CASE("a slow run ends late") {
  require_passes("fail=slow@2,slow_us=2000000", [](Rig& rig) {
    NEED(rig.start(0, 0) && rig.run_wait(rig.slots[0].run, 300) == kTimeout);
    NEED(rig.run_wait(rig.slots[0].run, 5000) == kCompleted && rig.finish(0, 0, 1));
  });
}

TEST_CASE("a lost card answers no run and no call") {
  require_passes("fail=lost@3", [](Rig& rig) {
    NEED(rig.start(0, 0) && rig.finish(0, 0, 1) && rig.start(1, 1));
    NEED(Rig::await(rig.slots[1], kNoResponse));
    NEED(rig.run_wait(rig.slots[1].run, 0) == kNoResponse);
    NEED(rig.run_start(rig.slots[0].run) != 0 && errno == ENODEV);
    NEED(rig.buffer_sync(rig.whole, kFromDevice, 64, 0) != 0 && errno == ENODEV);
    NEED(rig.buffer_alloc(rig.device, 64, 0, 0) == nullptr && errno == ENODEV);
    NEED(rig.kernel_open(rig.device, rig.uuid.data(), "woa_wact") == nullptr && errno == ENODEV);
  });
}

}  // namespace woa::xrt
