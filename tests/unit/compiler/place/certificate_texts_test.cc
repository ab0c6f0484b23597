// A certificate that was made by hand names nothing that a terminal would take for commands, in memory or in a file.
#include <functional>
#include <string>
#include <vector>

#include "compiler/certificate/certificate.h"
#include "tests/support/catch.h"
#include "tests/unit/runtime/plan/sample_plan.h"

namespace woa {
namespace {

struct CertificateText {
  const char* place;
  std::function<std::string&(CertifiedPlan&)> of;
};

CertifiedPlan plan_with_certificate() {
  CertifiedPlan plan(test::sample_plan());
  Certificate& certificate = plan.certificate.emplace();
  certificate.costs.cores["package"] = 8;
  certificate.costs.components = {{"host", 1, {}, {}}, {"gpu:0", 1, {{"memory", 1}}, "package"}};
  certificate.costs.stages = {StageCosts(), StageCosts()};
  return plan;
}

const std::vector<CertificateText>& certificate_texts() {
  static const std::vector<CertificateText> all{
      {"certificate.goal.model", [](CertifiedPlan& p) -> std::string& { return p.certificate->goal.model; }},
      {"certificate.goal.objective", [](CertifiedPlan& p) -> std::string& { return p.certificate->goal.objective; }},
      {"certificate.costs_hash", [](CertifiedPlan& p) -> std::string& { return p.certificate->costs_hash; }},
      {"certificate.status", [](CertifiedPlan& p) -> std::string& { return p.certificate->status; }},
      {"certificate.method", [](CertifiedPlan& p) -> std::string& { return p.certificate->method; }},
      {"certificate.prediction.bottleneck",
       [](CertifiedPlan& p) -> std::string& { return p.certificate->prediction.bottleneck; }},
      {"certificate.costs.components[1].controller",
       [](CertifiedPlan& p) -> std::string& { return p.certificate->costs.components[1].controller; }},
      {"certificate.costs.components[1].cores",
       [](CertifiedPlan& p) -> std::string& { return p.certificate->costs.components[1].cores; }},
      {"certificate.costs.stages[1].core",
       [](CertifiedPlan& p) -> std::string& { return p.certificate->costs.stages[1].core; }}};
  return all;
}

void refuse_certificate(const CertifiedPlan& plan, const std::string& place) {
  const Status status = validate(plan);
  const std::string file = serialize(plan);
  CHECK(parse_certified_plan(std::as_bytes(std::span(file))).status().message() == status.message());
  INFO("expected: " << place << "\nfound: " << status.message());
  CHECK(status.code() == Code::kInvalid);
  CHECK(status.message().starts_with("plan: " + place + " has a control character"));
  for (const char c : status.message()) CHECK(static_cast<unsigned char>(c) >= 0x20);
}

TEST_CASE("no text of a certificate that is shown may have control characters") {
  REQUIRE(validate(plan_with_certificate()).ok());
  for (const CertificateText& text : certificate_texts()) {
    CertifiedPlan plan = plan_with_certificate();
    text.of(plan) += "\x1b[2J";
    refuse_certificate(plan, text.place);
  }
  CertifiedPlan keys = plan_with_certificate();
  keys.certificate->costs.components[1].resources["a\nb"] = 1;
  refuse_certificate(keys, "certificate.costs.components[1].resources[0].key");
  keys = plan_with_certificate();
  keys.certificate->costs.cores["\x7f"] = 1;
  refuse_certificate(keys, "certificate.costs.cores[1].key");
}

}  // namespace
}  // namespace woa
