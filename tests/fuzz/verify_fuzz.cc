// Any bytes as the body of a plan, whose certificate is verified with its hash made right: it is refused with a reason,
// or what it says is true, where there are few enough placements to try them all.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

#include "compiler/compiler.h"
#include "compiler/place/cost_table.h"
#include "runtime/packet/crc32c.h"
#include "runtime/plan/plan_file.h"
#include "tests/unit/compiler/place/is_true.h"

namespace {

bool few_placements(const woa::CostTable& costs) {
  constexpr double kMost = 5'000;
  return std::pow(static_cast<double>(costs.components.size()), static_cast<double>(costs.stages.size())) <= kMost;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> body = std::as_bytes(std::span(data, size));
  const std::uint32_t header[]{woa::kPlanVersion, static_cast<std::uint32_t>(size), woa::crc32c(body)};
  std::string file = "WOAPLAN\n";
  file.append(reinterpret_cast<const char*>(header), sizeof header);
  file.append(reinterpret_cast<const char*>(data), size);
  woa::Result<woa::CertifiedPlan> plan = woa::parse_certified_plan(std::as_bytes(std::span(file)));
  if (!plan.ok() || !plan->certificate) return 0;
  plan->certificate->costs_hash = woa::hash_of(plan->certificate->costs);
  const woa::Status status = woa::verify_certificate(*plan);
  if (!status.ok() && status.message().empty()) std::abort();
  if (status.ok() && few_placements(plan->certificate->costs) && !woa::test::is_true(*plan)) std::abort();
  return 0;
}
