#include "tests/cts/onesided/rig.h"
#include "tests/support/chosen_row.h"

namespace woa::cts {
namespace {

test::Rows<Way>& ways() {
  static test::Rows<Way> all("WOA_CTS_WAY");
  return all;
}

}  // namespace

RegisteredWay::RegisteredWay(std::string_view name, const Way& way) { ways().add(name, way); }

const Way& way() { return ways().chosen(); }

}  // namespace woa::cts
