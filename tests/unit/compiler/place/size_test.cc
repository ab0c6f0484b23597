// Graphs of hundreds and thousands of stages are placed, and what is said of them is true; how long it takes is for
// `woa bench compile` to say.
#include <span>
#include <string>

#include "bench/micro/random_graph.h"
#include "runtime/base/sanitizers.h"
#include "runtime/plan/plan_file.h"
#include "tests/support/catch.h"

namespace woa {
namespace {

#if defined(WOA_ADDRESS_SANITIZER) || defined(WOA_THREAD_SANITIZER)
constexpr std::uint32_t kMany = 6'000;
#else
constexpr std::uint32_t kMany = 10'000;
#endif

struct Size {
  std::uint32_t stages, seeds;
};

// Places by costs; the returned plan has been written to a file and read again.
CertifiedPlan place(std::uint32_t stages, std::uint32_t seed, const std::string& objective,
                    std::chrono::milliseconds limit) {
  bench::RandomGraph random(stages, 3, seed);
  REQUIRE(random.write().message() == "");
  CompileOptions options;
  options.machine = random.machine();
  const Compilation known = compile_file(random.graph(), options);
  REQUIRE(known.plan.has_value());
  REQUIRE(random.write_profile(known.facts.hash).message() == "");
  options.profile = random.profile();
  options.goal.objective = objective;
  options.placement_limit = limit;
  const Compilation placed = compile_file(random.graph(), options);
  REQUIRE(placed.plan.has_value());
  const std::string file = serialize(*placed.plan);
  Result<CertifiedPlan> read = parse_certified_plan(std::as_bytes(std::span(file)));
  REQUIRE(read.ok());
  return std::move(*read);
}

TEST_CASE("150 and 400 stages on three controllers are proved") {
  for (const Size size : {Size{150, 5}, Size{400, 3}})
    for (std::uint32_t seed = 1; seed <= size.seeds; ++seed) {
      INFO(size.stages << " stages, seed " << seed);
      const CertifiedPlan plan = place(size.stages, seed, "latency", std::chrono::minutes(2));
      CHECK(plan.certificate->status == "proved");
      CHECK(verify_certificate(plan).message() == "");
      CHECK(verify_liveness(plan).message() == "");
    }
}

TEST_CASE("what is said of 150 stages whose largest load counts is true") {
  const CertifiedPlan plan = place(150, 1, "throughput", std::chrono::seconds(2));
  CHECK(verify_certificate(plan).message() == "");
  CHECK(plan.certificate->bound_ps > 0);
}

// Near enough, the search ends by itself.
TEST_CASE("10,000 stages are placed within 2 % of a bound that is verified, whatever time there is") {
  const CertifiedPlan plan = place(kMany, 1, "latency", std::chrono::hours(24));
  const Certificate& certificate = *plan.certificate;
  INFO(certificate.status << ": " << certificate.value_ps << ", at least " << certificate.bound_ps);
  CHECK(verify_certificate(plan).message() == "");
  CHECK(static_cast<double>(certificate.value_ps) <= 1.02 * static_cast<double>(certificate.bound_ps));
  CertifiedPlan better = plan;
  better.certificate->bound_ps = certificate.value_ps;
  better.certificate->status = "proved";
  if (certificate.status != "proved") CHECK(verify_certificate(better).code() == Code::kInvalid);
}

}  // namespace
}  // namespace woa
