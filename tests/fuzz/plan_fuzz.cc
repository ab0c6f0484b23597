// Any bytes as a plan file, and any bytes as its body behind a header that is right: parsed or refused, and what is
// parsed is what would be written; what can be run can be verified.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>

#include "compiler/compiler.h"
#include "runtime/controller/layout.h"
#include "runtime/packet/crc32c.h"
#include "runtime/plan/plan_file.h"

namespace {

void parse(std::span<const std::byte> bytes) {
  const woa::Result<woa::CertifiedPlan> plan = woa::parse_certified_plan(bytes);
  if (!plan.ok()) {
    if (plan.status().message().empty()) std::abort();
    return;
  }
  const std::string again = woa::serialize(*plan);
  // A valid plan can be laid out without looking again (its size is bounded by validate()).
  if (woa::validate(*plan).ok()) {
    (void)woa::make_layout(*plan);
    (void)woa::verify_liveness(*plan);
    (void)woa::verify_certificate(*plan);
  }
  if (again.size() != bytes.size() || std::memcmp(again.data(), bytes.data(), bytes.size()) != 0) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  parse(bytes);
  const std::uint32_t header[]{woa::kPlanVersion, static_cast<std::uint32_t>(size), woa::crc32c(bytes)};
  std::string file = "WOAPLAN\n";
  file.append(reinterpret_cast<const char*>(header), sizeof header);
  file.append(reinterpret_cast<const char*>(data), size);
  parse(std::as_bytes(std::span(file)));
  return 0;
}
