// Our declarations, handles, alignments and order of calls, at XRT's own library.
#include <atomic>
#include <cstdio>
#include <thread>

#include "runtime/base/clock.h"
#include "tests/unit/controllers/fpga/xrt/noop_rig.h"

namespace woa::test {

TEST_CASE("the library is known by its file and its version") {
  const NoopRig rig;
  const auto& library = open_xrt();
  CHECK(library->file.filename() == "libxrt_coreutil.so." + library->version);
  CHECK(library->stand_in == "no-op shim of XRT");
  const auto& devices = probe_xrt_devices();
  REQUIRE(devices.ok());
  REQUIRE(devices->size() == 1);
  CHECK(devices->front().simulated);
}

TEST_CASE("XRT reads the xclbin as our reader does") {
  const NoopRig rig;
  const xrt::Library& xrt = rig.xrt();
  std::array<unsigned char, 16> uuid{};
  REQUIRE(xrt.xclbin_uuid(rig.device(), uuid.data()) == 0);
  CHECK(uuid == rig.xclbin().uuid);
  for (int argument = 0; argument < 4; ++argument)
    CHECK(rig.xclbin().banks_of(0, static_cast<std::uint32_t>(argument)) ==
          std::vector{static_cast<std::uint32_t>(xrt.kernel_group(rig.kernel(), argument))});
  const std::array offsets{wact::kArgumentAtCommand,     wact::kArgumentAtInput,        wact::kArgumentAtOutput,
                           wact::kArgumentAtResult,      wact::kArgumentAtCommandBytes, wact::kArgumentAtInputBytes,
                           wact::kArgumentAtOutputBytes, wact::kArgumentAtResultBytes};
  for (int argument = 0; argument < 7; ++argument)
    CHECK(xrt.kernel_offset(rig.kernel(), argument) == offsets[static_cast<std::size_t>(argument)]);
  CHECK(xrt.kernel_open(rig.device(), uuid.data(), "other") == nullptr);
  CHECK(xrt.kernel_open(rig.device(), uuid.data(), "woa_wact:{woa_wact_9}") == nullptr);
}

TEST_CASE("the kernel's units are shared or one user's, not both") {
  const NoopRig rig;
  CHECK(rig.xrt().kernel_open_exclusive(rig.device(), rig.xclbin().uuid.data(), "woa_wact:{woa_wact_1}") == nullptr);
  const auto second = rig.xrt().kernel_open(rig.device(), rig.xclbin().uuid.data(), "woa_wact:{woa_wact_1}");
  CHECK(second != nullptr);
  CHECK(rig.xrt().kernel_close(second) == 0);
}

TEST_CASE("buffers over the host's memory begin with a page, their parts with a line") {
  const NoopRig rig;
  const xrt::Library& xrt = rig.xrt();
  constexpr std::size_t kBytes = 1 << 16;
  auto* const memory =
      static_cast<std::byte*>(::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  REQUIRE(static_cast<void*>(memory) != MAP_FAILED);
  CHECK(xrt.buffer_user(rig.device(), memory + 64, 4096, 0, rig.group()) == nullptr);
  const xrt::BufferHandle whole = xrt.buffer_user(rig.device(), memory, kBytes, 0, rig.group());
  REQUIRE(whole != nullptr);
  CHECK(xrt.buffer_size(whole) == kBytes);
  CHECK(xrt.buffer_map(whole) == memory);
  for (const std::size_t offset : {64U, 128U, 4032U, 4096U, 8192U + 64U}) {
    const xrt::BufferHandle part = xrt.buffer_part(whole, 192, offset);
    INFO(offset);
    REQUIRE(part != nullptr);
    CHECK(xrt.buffer_size(part) == 192);
    CHECK(xrt.buffer_map(part) == memory + offset);
    CHECK(xrt.buffer_address(part) - xrt.buffer_address(whole) == offset);
    CHECK(xrt.buffer_sync(part, xrt::kToDevice, 192, 0) == 0);
    CHECK(xrt.buffer_sync(part, xrt::kFromDevice, 64, 128) == 0);
    CHECK(xrt.buffer_free(part) == 0);
  }
  CHECK(xrt.buffer_free(whole) == 0);
  ::munmap(memory, kBytes);
}

TEST_CASE("a buffer of the library's own has memory of the host") {
  const NoopRig rig;
  auto* const memory = static_cast<std::byte*>(rig.xrt().buffer_map(rig.buffer(0)));
  REQUIRE(memory != nullptr);
  memory[kBufferBytes - 1] = std::byte{7};
  CHECK(rig.xrt().buffer_size(rig.buffer(0)) == kBufferBytes);
  CHECK(rig.xrt().buffer_sync(rig.buffer(0), xrt::kToDevice, kBufferBytes, 0) == 0);
  CHECK(rig.xrt().buffer_map(rig.buffer(0)) == memory);
}

TEST_CASE("a run is started again and again, and its callback comes once each time") {
  NoopRig rig;
  const xrt::Library& xrt = rig.xrt();
  const xrt::RunHandle run = rig.run();
  struct Seen {
    std::atomic<int> calls{0}, wrong{0};
    xrt::RunHandle run;
    std::thread::id starter;
  } seen{.run = run, .starter = std::this_thread::get_id()};
  REQUIRE(xrt.run_callback(
              run, xrt::kCompleted,
              [](xrt::RunHandle of, int state, void* user) {
                auto& told = *static_cast<Seen*>(user);
                if (of != told.run || state != xrt::kCompleted || std::this_thread::get_id() == told.starter)
                  ++told.wrong;
                ++told.calls;
                told.calls.notify_one();
              },
              &seen) == 0);
  for (int round = 1; round <= 100; ++round) {
    REQUIRE(xrt.run_set_argument(run, 1, rig.buffer(round % 2 == 0 ? 0 : 1)) == 0);
    REQUIRE(xrt.run_set_argument(run, 4, static_cast<std::uint32_t>(round)) == 0);
    REQUIRE(xrt.run_start(run) == 0);
    REQUIRE(xrt.run_wait(run, 1000) == xrt::kCompleted);
    while (seen.calls < round) seen.calls.wait(round - 1);
  }
  CHECK(seen.calls == 100);
  CHECK(seen.wrong == 0);
}

TEST_CASE("runs in flight") {
  constexpr std::size_t kRuns = 8;
  constexpr int kRounds = 200;
  NoopRig rig;
  const xrt::Library& xrt = rig.xrt();
  std::vector<xrt::RunHandle> runs;
  for (std::size_t k = 0; k < kRuns; ++k) runs.push_back(rig.run());
  for (const std::size_t in_flight : {std::size_t{1}, kRuns}) {
    int failed = 0;
    const std::uint64_t begin = now_ns();
    for (int round = 0; round < kRounds; ++round) {
      for (std::size_t k = 0; k < in_flight; ++k) failed += xrt.run_start(runs[k]) != 0;
      for (std::size_t k = 0; k < in_flight; ++k) failed += xrt.run_wait(runs[k], 1000) != xrt::kCompleted;
    }
    const double us = static_cast<double>(now_ns() - begin) / 1e3 / kRounds / static_cast<double>(in_flight);
    CHECK(failed == 0);
    const char* const delay = std::getenv("WOA_NOOP_DELAY_US");
    std::printf("no-op shim, delay %s us: %zu in flight, %.2f us a run (start and wait)\n",
                delay == nullptr ? "0" : delay, in_flight, us);
    if (delay != nullptr && in_flight == 1) CHECK(us >= static_cast<double>(*parse_digits(delay)));
  }
}

}  // namespace woa::test
