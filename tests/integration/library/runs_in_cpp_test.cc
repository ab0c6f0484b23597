// woa.hpp: futures, exceptions and spans.
#include <numeric>

#include "tests/integration/library/graphs.h"
#include "tests/support/catch.h"
#include "woa/woa.hpp"

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
