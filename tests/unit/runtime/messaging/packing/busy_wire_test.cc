// A message whose last packet found no room on the wire.
#include "tests/cts/packing/rig.h"
#include "tests/unit/runtime/messaging/onesided/busy_transport.h"

namespace woa::cts {

TEST_CASE("what finds no room on the wire is tried again by poll()") {
  OpenRig rig(link_spec(), std::make_shared<Link>(std::make_unique<test::BusyTransport>()));
  REQUIRE(rig.packer->begin() == Outcome::kOk);
  REQUIRE(rig.packer->end() == Outcome::kOk);
  REQUIRE(rig.unpacker->begin() == Outcome::kBackPressured);  // it waits for room
  rig.packer->poll();
  REQUIRE(rig.unpacker->begin() == Outcome::kOk);
  REQUIRE(rig.unpacker->end() == Outcome::kOk);
}

}  // namespace woa::cts
