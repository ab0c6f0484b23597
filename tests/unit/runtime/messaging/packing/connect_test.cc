// Links whose ends have replicas of memory: what connects, what is refused, and who is woken.
#include "tests/cts/packing/rig.h"
#include "tests/support/says.h"

namespace woa::cts {
namespace {

using test::says;

packing::Link allocate(AnyTransport transport, const LinkSpec& spec = link_spec()) {
  return need(packing::allocate_link(transport, spec, "link"));
}

}  // namespace

TEST_CASE("what is no description of a link of this spec is refused, and nothing is connected") {
  Wire &here = *usual_sides()->producer.wire(), &there = *usual_sides()->consumer.wire();
  const packing::Link mine = allocate(here), other = allocate(there);
  const std::string whole = other.description();
  REQUIRE(whole.size() <= 3 << 10);
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes)
    REQUIRE(says(mine.connect(here, std::string_view(whole).substr(0, bytes)), Code::kInvalid, "do not describe 3"));
  for (const std::string& wrong : {whole + "x", whole + whole, std::string(whole.size(), '\xff')})
    REQUIRE(says(mine.connect(here, wrong), Code::kInvalid, "do not describe 3 segments"));
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x40);
    const packing::Link fresh = allocate(here);
    REQUIRE(fresh.connect(here, damaged).code() == Code::kInvalid);
  }
  REQUIRE(mine.connect(here, whole).ok());
  REQUIRE(says(mine.connect(here, whole), Code::kInvalid, "already"));
}

TEST_CASE("the link of another spec is not connected") {
  Wire &here = *usual_sides()->producer.wire(), &there = *usual_sides()->consumer.wire();
  for (const LinkSpec& spec : {LinkSpec{4, 128, 4}, LinkSpec{8, 64, 4}, LinkSpec{2, 256, 4}})
    REQUIRE(allocate(here, {4, 64, 4}).connect(here, allocate(there, spec).description()).code() == Code::kInvalid);
}

TEST_CASE("an end is not opened before its link is connected") {
  Wire& here = *usual_sides()->producer.wire();
  const packing::Link mine = allocate(here);
  REQUIRE(says(Packer::open(here, link_spec(), mine).status(), Code::kInvalid, "connect it"));
  REQUIRE(says(Unpacker::open(here, link_spec(), mine).status(), Code::kInvalid, "connect it"));
}

TEST_CASE("an end's own doorbell is rung by what arrives for it") {
  const Rig rig;
  DoorbellLine packer_bell, unpacker_bell;
  ChannelEnd at_packer, at_unpacker;
  at_packer.own = Doorbell(&packer_bell), at_unpacker.own = Doorbell(&unpacker_bell);
  const auto packer = need(Packer::open(rig.sides->producer, rig.spec, rig.ends.packer, at_packer));
  const auto unpacker = need(Unpacker::open(rig.sides->consumer, rig.spec, rig.ends.unpacker, at_unpacker));
  Doorbell(&unpacker_bell).prepare();
  std::vector<Item> items{item(20, SendMode::kSafer, ReceiveMode::kExpress)};
  REQUIRE(packer->begin() == Outcome::kOk);
  REQUIRE(pack(*packer, items[0]) == Outcome::kOk);
  REQUIRE(in_time([&] { return unpacker_bell.rings == 1; }));
  Doorbell(&packer_bell).prepare();
  Script sender, receiver;
  sender.then([&] { return packer->end(); });
  add_message(receiver, *unpacker, items);
  REQUIRE(run_both(sender, receiver));
  REQUIRE(receiver.last() == Outcome::kOk);
  REQUIRE(in_time([&] { return packer_bell.rings == 1; }));
}

}  // namespace woa::cts
