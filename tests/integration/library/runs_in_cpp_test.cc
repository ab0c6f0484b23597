// woa.hpp: futures, exceptions and spans.
#include <atomic>
#include <cstdlib>
#include <new>
#include <numeric>

#include "tests/integration/library/graphs.h"
#include "tests/support/catch.h"
#include "woa/woa.hpp"

namespace {
std::atomic<std::size_t> no_memory_for{0};  // allocations of exactly so many bytes fail
}  // namespace

void* operator new(std::size_t bytes) {
  void* const memory = bytes != 0 && bytes == no_memory_for ? nullptr : std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return std::malloc(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace program {

TEST_CASE("futures have outputs in place, or throw what the stage said") {
  for (const char* processes : {"one", "per-controller"}) {
    const woa::Plan plan = woa::Plan::from_text(kSlow);
    woa::Run run(plan, {{"processes", processes}});
    auto good = run.submit([](woa::Room& room) { room.write("good"); });
    auto bad = run.submit([](woa::Room& room) { room.write("Fail"); });
    auto thrown = run.submit([](woa::Room&) { throw std::runtime_error("no such file"); });
    auto large = run.submit([](woa::Room& room) { room.write(std::string(65, 'x')); });
    CHECK(good.get().text(0) == "good");
    const auto why = [](std::future<woa::Outputs>& result) -> std::string {
      try {
        (void)result.get();
      } catch (const woa::Error& error) {
        return std::string(woa_status_name(error.status())) + ": " + error.what();
      }
      return "no error";
    };
    CHECK(why(bad).starts_with("kernel_failed: stage 's': "));
    CHECK(why(thrown) == "invalid: stage 'source': input 'x': no such file");
    CHECK(why(large) == "too_large: stage 'source': input 'x': 65 bytes given, but there is room for 64");
    CHECK(run.finish().find("\"instances\":4") != std::string::npos);
  }
}

TEST_CASE("more futures than the window has places may be open") {
  const woa::Plan plan = woa::Plan::from_text(kCopies, "copies.yaml", {{"window", "2"}});
  woa::Run run(plan);
  std::vector<std::future<woa::Outputs>> results;
  for (int k = 0; k < 100; ++k) results.push_back(run.submit([k](woa::Room& room) { room.write(std::to_string(k)); }));
  for (int k = 0; k < 100; ++k) CHECK(results[static_cast<std::size_t>(k)].get().text(0) == std::to_string(k));
}

TEST_CASE("a callback borrows outputs, and back-pressure is an answer") {
  const woa::Plan plan = woa::Plan::from_text(kSlow, "slow.yaml", {{"window", "1"}});
  woa::Run run(plan);
  std::string ended;
  const auto end = [&ended](std::uint64_t instance, const woa::Outputs* outputs, const woa::Error* error) {
    ended += std::to_string(instance) + (error != nullptr ? " failed;" : " " + std::string(outputs->text(0)) + ";");
  };
  REQUIRE(run.try_submit([](woa::Room& room) { room.write("x"); }, end));
  CHECK(!run.try_submit([](woa::Room& room) { room.write("y"); }, end));
  run.wait();
  while (!run.try_submit([](woa::Room& room) { room.write("F"); }, end)) run.wait();
  run.drain();
  CHECK(ended == "0 x;1 failed;");
}

TEST_CASE("what a callback throws is thrown by the next call that waits, and an empty callback is allowed") {
  woa::Run run(woa::Plan::from_text(kCopies));
  const woa::Fill fill = [](woa::Room& room) { room.write("x"); };
  const auto submit = [&](const woa::OnEnd& on_end) {
    while (!run.try_submit(fill, on_end)) run.wait();
  };
  const woa::OnEnd throws = [](std::uint64_t instance, const woa::Outputs*, const woa::Error*) {
    throw std::runtime_error("no place for " + std::to_string(instance));
  };
  submit({});
  run.drain();
  submit(throws);
  CHECK_THROWS_WITH(run.drain(), "no place for 1");
  run.drain();
  submit(throws);
  const auto wait = [&run] {
    for (;;) run.wait();  // a free place in the window ends it, too
  };
  CHECK_THROWS_WITH(wait(), "no place for 2");
  submit(throws);
  CHECK_THROWS_WITH((void)run.finish(), "no place for 3");
  CHECK(run.finish().find("\"instances\":4") != std::string::npos);
}

TEST_CASE("without memory for copies of the outputs the future says so, and the run goes on") {
  constexpr std::size_t kOdd = 40'009;
  woa::Run run(woa::Plan::from_text(
      "woa: 1\ngraph: big\ninputs: {x: {type: bytes, max: 64KiB}}\nstages: {a: {kernel: copy, in: {data: x}}}\n"
      "outputs: {y: a.data}\n"));
  const auto submit = [&run] { return run.submit([](woa::Room& room) { room.used(kOdd); }).get().data(0).size(); };
  CHECK(submit() == kOdd);
  no_memory_for = kOdd;
  woa_status status = WOA_OK;
  try {
    (void)submit();
  } catch (const woa::Error& error) {
    status = error.status();
  }
  no_memory_for = 0;
  CHECK(status == WOA_EXHAUSTED);
  CHECK(submit() == kOdd);
}

TEST_CASE("a status that no fill may answer becomes one that says the resource is missing") {
  woa::Run run(woa::Plan::from_text(kCopies));
  const auto why = [&run](woa_status status) -> std::string {
    auto result = run.submit([status](woa::Room&) { throw woa::Error(status, "no row 7"); });
    try {
      (void)result.get();
    } catch (const woa::Error& error) {
      return std::string(woa_status_name(error.status())) + ": " + error.what();
    }
    return "no error";
  };
  CHECK(why(WOA_TOO_LARGE) == "too_large: stage 'source': input 'x': no row 7");
  for (const woa_status status : {WOA_NOT_FOUND, WOA_CANCELLED, WOA_TIMED_OUT, WOA_OK})
    CHECK(why(status) == "unavailable: stage 'source': input 'x': no row 7");
}

TEST_CASE("a run that is closed breaks no promise") {
  std::future<woa::Outputs> result;
  {
    const woa::Plan plan = woa::Plan::from_text(kSlow);
    woa::Run run(plan);
    result = run.submit([](woa::Room& room) { room.write("x"); });
  }
  CHECK_THROWS_AS(result.get(), woa::Error);
}

TEST_CASE("a graph's problems are in the exception") {
  try {
    (void)woa::Plan::from_text("woa: 1\ngraph: g\n", "mine.yaml");
    FAIL("it compiled");
  } catch (const woa::Error& error) {
    CHECK(error.status() == WOA_INVALID);
    REQUIRE(!error.diagnostics().empty());
    CHECK(error.diagnostics()[0].file == "mine.yaml");
    CHECK(std::string(error.what()).find(error.diagnostics()[0].text) != std::string::npos);
  }
}

TEST_CASE("arrays are spans of their elements, with dimensions") {
  const woa::Plan plan = woa::Plan::from_text(kImage);
  REQUIRE(plan.inputs().size() == 1);
  CHECK(plan.inputs()[0].dims[1].name == "width");
  woa::Run run(plan);
  const woa::Outputs outputs = run.submit([](woa::Room& room) {
                                    std::fill_n(room.all<std::uint8_t>().begin(), 3 * 4 * 3, std::uint8_t{9});
                                    room.dim(0, 3), room.dim(1, 4), room.used(36);
                                  })
                                   .get();
  CHECK(outputs.dims(0)[0] == 3);
  CHECK(outputs.dims(0)[1] == 4);
  REQUIRE(outputs.data<std::uint8_t>(0).size() == 36);
  CHECK(outputs.data<std::uint8_t>(0)[0] == 9);
}

}  // namespace program
