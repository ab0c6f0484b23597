// The node's output stream, damaged beat by beat: reported as data loss, and never written beyond the block.
#include "controllers/fpga/verilator/wact_stream.h"

#include "controllers/fpga/generated/wact_interface.h"
#include "tests/support/catch.h"
#include "tests/unit/controllers/fpga/fpga_fixture.h"

namespace woa::test {
namespace {

using Stream = std::vector<WactOutput>;

// A packet as it leaves: `data` behind the header, for the first route alone.
void append(Stream& beats, const ActivationPacket& header, const Bytes& data, bool further) {
  BeatSource source(header, std::as_bytes(std::span(data).first(further ? 0 : data.size())));
  for (; !source.done(); source.advance()) {
    WactOutput& beat = beats.emplace_back();
    beat.m_tdata = source.beat();
    beat.m_tlast = source.last();
    beat.m_tuser = further ? std::uint8_t{wact::kUserFurtherRoute} : std::uint8_t{0};
  }
}

// A copy stage with two routes and small blocks.
struct Bench {
  FpgaPlan plan;
  std::uint32_t stage = plan.add_stage("copy", port_type("bytes", {}, 120));
  std::optional<WactTables> tables;
  std::optional<WactFiring> firing;

  Bench() {
    plan.add_edge(stage, kSinkStage, 1);
    plan.add_edge(stage, 2, 3);
    tables.emplace(*WactTables::make(plan.plan, plan.loaded, {8, 16, 8, {"copy"}}));
    firing.emplace(*tables);
  }
  void finish(TestFiring& shot, const Stream& beats, std::uint64_t completion) {
    REQUIRE(firing->begin(shot.firing));
    BeatSink sink(*firing);
    for (const WactOutput& beat : beats) sink.take(beat);
    if (!sink.whole()) firing->damage("a packet has no end");
    firing->completion(completion, true);
    firing->finish();
  }
};

// False: the firing may not notice, since the damage is in a payload, which has no checksum.
bool mutate(std::mt19937& random, Stream& beats) {
  const std::size_t at = below(random, static_cast<std::uint32_t>(beats.size()));
  const auto here = beats.begin() + static_cast<std::ptrdiff_t>(at);
  const bool in_payload = at >= kHeaderBeats && at + kHeaderBeats < beats.size();
  switch (below(random, 6)) {
    case 0: here->m_tdata ^= std::uint64_t{1} << below(random, 64); return !in_payload;
    case 1: beats.erase(here); return true;
    case 2: beats.insert(here, *here); return true;
    case 3: here->m_tlast = !here->m_tlast; return true;
    case 4: {  // a stream that runs on
      WactOutput more = *here;
      more.m_tlast = false;
      beats.insert(here, 1 + below(random, 300), more);
      return true;
    }
    default: {  // the mark of the beat that ends a packet counts
      here->m_tuser ^= static_cast<std::uint8_t>(1u << below(random, 2));
      return here->m_tlast;
    }
  }
}

TEST_CASE("a stream without damage is a firing's answer") {
  Bench bench;
  for (std::size_t size = 0; size <= 120; ++size) {
    const Bytes data(size, static_cast<std::uint8_t>(size));
    TestFiring shot(bench.plan.plan, token(bench.stage, size), data, 128);
    Stream beats;
    for (const std::uint32_t e : {0u, 1u})
      append(beats, expected(bench.plan.plan, e, shot.header, 1, size, TestFiring::landing(e)), data, e > 0);
    bench.finish(shot, beats, std::uint64_t{1} << 32);
    REQUIRE(shot.firing.code == Code::kOk);
    REQUIRE(shot.output() == data);
  }
}

TEST_CASE("damaged streams are data loss, and stay within the block") {
  Bench bench;
  std::mt19937 random(29);
  std::size_t lost = 0;
  for (int turn = 0; turn < 20'000; ++turn) {
    const std::size_t size = below(random, 121);
    const Bytes data = random_bytes(random, size);
    TestFiring shot(bench.plan.plan, token(bench.stage, size), data, 128 + 64);
    std::ranges::fill(shot.block, std::byte{0xa5});
    shot.firing.outputs[0].data += 32;  // the block stands between two guards
    const bool fails = random() % 4 == 0;
    const Bytes text(below(random, 193), 't');
    Stream beats;
    for (const std::uint32_t e : {0u, 1u}) {
      const auto header =
          fails ? expected_poison(bench.plan.plan, e, shot.header, 1, Code::kTooLarge, bench.stage, text.size())
                : expected(bench.plan.plan, e, shot.header, 1, size, TestFiring::landing(e));
      append(beats, header, fails ? text : data, e > 0);
    }
    const bool damaged = mutate(random, beats);
    bench.finish(shot, beats, (std::uint64_t{1} << 32) | (fails ? 1u << 8 : 0u));
    INFO("turn " << turn << ": " << shot.firing.message);
    if (damaged) REQUIRE(shot.firing.lost);
    if (shot.firing.lost) REQUIRE(shot.firing.code == Code::kDataLoss);
    lost += shot.firing.lost ? 1 : 0;
    const auto is_guard = [](std::byte b) { return b == std::byte{0xa5}; };
    REQUIRE(std::all_of(shot.block.begin(), shot.block.begin() + 32, is_guard));
    REQUIRE(std::all_of(shot.block.end() - 32, shot.block.end(), is_guard));
  }
  REQUIRE(lost > 15'000);
}

TEST_CASE("a packet that the node takes back is forgotten, and its refusal is the firing's answer") {
  Bench bench;
  const Bytes data(40, 1);
  TestFiring shot(bench.plan.plan, token(bench.stage, data.size()), data, 128);
  Stream beats;
  append(beats, expected(bench.plan.plan, 0, shot.header, 1, data.size(), TestFiring::landing(0)), data, false);
  beats.pop_back();
  beats.back().m_tlast = true;
  beats.back().m_tuser = wact::kUserVoid;
  bench.finish(shot, beats, wact::kRejectLength);
  REQUIRE(shot.firing.lost);
  REQUIRE(shot.firing.message.starts_with("the packet node refused "));
  REQUIRE(shot.firing.message.ends_with(": length"));
}

}  // namespace
}  // namespace woa::test
