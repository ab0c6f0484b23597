// Requests of firings, and answers: sorted into the firing, or reported as damaged.
#include "controllers/fpga/wact_packets.h"

#include "controllers/fpga/generated/wact_interface.h"
#include "runtime/packet/activation_packet.h"
#include "tests/support/catch.h"
#include "tests/unit/controllers/fpga/fpga_fixture.h"

namespace woa::test {
namespace {

const NodeLimits kLimits{64, 256, 64, {"copy", "invert", "sharpen3x3"}};

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

std::uint64_t done(std::uint32_t entry, std::uint32_t cycles, std::uint32_t fault = 0, std::uint32_t rejection = 0) {
  return rejection | fault << 8 | std::uint64_t{entry} << 16 | std::uint64_t{cycles} << 32;
}

// The packets that a node sends for a firing.
struct Answer {
  struct Packet {
    ActivationPacket header;
    std::uint64_t written = 0;
    std::string message;
  };
  std::vector<Packet> packets;
  std::vector<std::uint64_t> completions;
  std::size_t last = 0;  // the completion with TLAST

  void deliver(WactFiring& way) const {
    for (const Packet& each : packets) way.packet(each.header, each.written, bytes_of(each.message));
    for (std::size_t c = 0; c < completions.size(); ++c) way.completion(completions[c], c == last);
  }
};

// Stage `copies` with three routes behind two others in the tables, and what the node answers.
struct Bench {
  FpgaPlan plan;
  std::uint32_t copies = 0;
  std::optional<WactTables> tables;
  std::optional<WactFiring> way;

  Bench() {
    plan.add_edge(plan.add_stage("invert", port_type("bytes")), 2, 0);
    copies = plan.add_stage("copy", port_type("u8", {0, 4}, 1 << 10));
    plan.add_edge(copies, 2, 1, 0xffff, 0x10000);
    plan.add_edge(copies, kSinkStage, 0);
    plan.add_edge(copies, 2, 7);
    tables.emplace(*WactTables::make(plan.plan, plan.loaded, kLimits));
    way.emplace(*tables);
  }
  TestFiring firing(const Bytes& in) const { return {plan.plan, token(copies, in.size(), 9, 0x123456), in, 2048}; }
  Answer answer(const TestFiring& shot, std::uint64_t bytes, std::uint32_t cycles = 40) const {
    Answer answer{{}, {done(1, cycles)}};
    for (const std::uint32_t e : {1u, 2u, 3u})
      answer.packets.push_back({expected(plan.plan, e, shot.header, e, bytes, TestFiring::landing(e)), 0, {}});
    answer.packets[0].written = bytes;
    return answer;
  }
  Answer poisoned(const TestFiring& shot, Code code, std::uint32_t origin, const std::string& message) const {
    Answer answer{{}, {done(1, 0, origin == copies ? 1 : 0)}};
    for (const std::uint32_t e : {1u, 2u, 3u})
      answer.packets.push_back({expected_poison(plan.plan, e, shot.header, e, code, origin, message.size()), 0, {}});
    answer.packets[0].message = message;
    return answer;
  }
  void finish(TestFiring& shot, const Answer& answer) {
    REQUIRE(way->begin(shot.firing));
    answer.deliver(*way);
    way->finish();
  }
};

TEST_CASE("a firing's request is its packet, its payload with dimensions, and a landing beat a route") {
  Bench bench;
  const Bytes in = payload({3}, Bytes(12, 5));
  TestFiring shot = bench.firing(in);
  std::ranges::reverse(shot.firing.routes);  // the controller's order is its own
  REQUIRE(bench.way->begin(shot.firing));
  REQUIRE(same(bench.way->header(), shot.header));
  REQUIRE(std::ranges::equal(bench.way->payload(), std::as_bytes(std::span(in))));
  REQUIRE(bench.way->block().data() == shot.block.data());
  REQUIRE(bench.way->block().size() == 64 + (1 << 10));
  std::vector<std::uint64_t> landings;
  for (const std::uint32_t e : {1u, 2u, 3u})
    landings.push_back(1 | std::uint64_t{TestFiring::landing(e).region} << 16 |
                       std::uint64_t{TestFiring::landing(e).offset} << 32);
  REQUIRE(std::ranges::equal(bench.way->landings(), landings));
}

TEST_CASE("poison's request is addressed to the stage and sealed; its message is no longer than there is") {
  Bench bench;
  ActivationPacket bare;
  bare.kind = static_cast<std::uint8_t>(PacketKind::kPoison);
  bare.status = static_cast<std::uint8_t>(Code::kCancelled);
  bare.origin = 42;
  bare.instance = 6;
  bare.stage = bench.copies;
  bare.payload_bytes = 9;
  TestFiring shot(bench.plan.plan, bare, {'l', 'a', 't', 'e'}, 0);
  shot.firing.poison_header.stage = 0;
  REQUIRE(bench.way->begin(shot.firing));
  REQUIRE(same(bench.way->header(), poison(bench.copies, Code::kCancelled, 42, 4, 6)));
  REQUIRE(std::ranges::equal(bench.way->payload(), bytes_of("late")));
  REQUIRE(bench.way->block().empty());
  REQUIRE(bench.way->landings().size() == 3);
}

// A stage of two inputs alone, and its firings.
struct PairBench {
  FpgaPlan plan;
  std::uint32_t joins = 0;
  std::optional<WactTables> tables;
  std::optional<WactFiring> way;

  PairBench() {
    joins = plan.add_pair_stage("join2", port_type("bytes"), port_type("bytes"), port_type("bytes"));
    plan.add_edge(joins, kSinkStage);
    tables.emplace(*WactTables::make(plan.plan, plan.loaded, {64, 256, 64, {"join2"}, 4}));
    way.emplace(*tables);
  }
  TestFiring firing(std::size_t first, std::size_t second) const {
    return {plan.plan, token(joins, first, 9, 0x123456), Bytes(first, 1), 256, Bytes(second, 2)};
  }
  // Begins, answers and finishes the firing.
  void finish(TestFiring& shot, const std::vector<std::uint64_t>& completions, std::uint64_t bytes) {
    REQUIRE(way->begin(shot.firing));
    if (bytes != 0) way->packet(expected(plan.plan, 0, shot.header, 1, bytes, TestFiring::landing(0)), bytes, {});
    for (const std::uint64_t beat : completions) {
      REQUIRE(!way->ended());
      way->completion(beat, true);
    }
    way->finish();
  }
};

TEST_CASE("a firing of two inputs has two requests, the smaller payload first") {
  PairBench bench;
  for (const auto& [first, second] : {std::pair{20, 10}, std::pair{10, 20}, std::pair{10, 10}, std::pair{5, 0}}) {
    TestFiring shot = bench.firing(static_cast<std::size_t>(first), static_cast<std::size_t>(second));
    REQUIRE(bench.way->begin(shot.firing));
    const auto requests = bench.way->requests();
    REQUIRE(requests.size() == 2);
    const WactRequest &own = requests[second < first ? 1 : 0], &made = requests[second < first ? 0 : 1];
    REQUIRE(same(own.header, shot.header));
    REQUIRE(std::ranges::equal(own.payload, std::as_bytes(std::span(shot.in))));
    REQUIRE(std::ranges::equal(made.payload, std::as_bytes(std::span(shot.second))));
    REQUIRE(check(made.header) == Rejection::kNone);
    REQUIRE(made.header.port == 1);
    REQUIRE(made.header.stage == bench.joins);
    REQUIRE(made.header.instance == 9);
    REQUIRE(made.header.tag == 0x123456);
    REQUIRE(made.header.deadline == shot.header.deadline);
    REQUIRE(made.header.payload_bytes == shot.second.size());
  }
  TestFiring passes(bench.plan.plan, poison(bench.joins, Code::kCancelled, 42, 4), {'l', 'a', 't', 'e'}, 0);
  REQUIRE(bench.way->begin(passes.firing));
  REQUIRE(bench.way->requests().size() == 1);
}

TEST_CASE("the first of two requests is held, and the second brings the result") {
  PairBench bench;
  TestFiring shot = bench.firing(20, 10);
  bench.finish(shot, {done(0, 0, 0, wact::kRejectHeld), done(0, 33)}, 30);
  INFO(shot.firing.message);
  REQUIRE(shot.firing.code == Code::kOk);
  REQUIRE(shot.firing.cycles == 33);
  REQUIRE(shot.firing.outputs[0].bytes == 30);
  REQUIRE(shot.firing.input_memory[0].copied_bytes == 20);
  REQUIRE(shot.firing.input_memory[1].copied_bytes == 10);
}

TEST_CASE("a refusal of either of two requests loses the firing") {
  PairBench bench;
  const auto refused = [&](const std::vector<std::uint64_t>& completions, const std::string& reason,
                           std::size_t request = 0) {
    TestFiring shot = bench.firing(20, 10);
    bench.finish(shot, completions, 0);
    REQUIRE((shot.firing.lost && shot.firing.code == Code::kDataLoss));
    INFO(shot.firing.message);
    REQUIRE(shot.firing.message.ends_with(reason));
    REQUIRE(shot.firing.message.find(to_string(bench.way->requests()[request].header)) != std::string::npos);
  };
  const std::uint64_t held = done(0, 0, 0, wact::kRejectHeld);
  refused({done(0, 0, 0, wact::kRejectPlaces), held}, ": places");
  refused({done(0, 0, 0, wact::kRejectTwice), done(0, 33)}, ": twice");
  refused({held, done(0, 0, 0, wact::kRejectLength)}, ": length", 1);
  refused({held, held}, ": held", 1);
  refused({done(0, 33), done(0, 33)}, "more completions came than the chain has stages");
}

TEST_CASE("an activation fills in headers, sizes and cycles") {
  Bench bench;
  TestFiring shot = bench.firing(payload({3}, Bytes(12)));
  std::ranges::reverse(shot.firing.routes);
  const Answer answer = bench.answer(shot, 64 + 12, 41);
  bench.finish(shot, answer);
  REQUIRE(shot.firing.code == Code::kOk);
  REQUIRE(!shot.firing.lost);
  for (const std::size_t r : {0u, 1u, 2u}) REQUIRE(same(shot.firing.routes[2 - r].header, answer.packets[r].header));
  REQUIRE(shot.firing.outputs[0].bytes == 12);
  REQUIRE(shot.firing.outputs[0].written == 1);
  REQUIRE(shot.firing.input_memory[0].copied_bytes == 76);
  REQUIRE(shot.firing.output_memory[0].copied_bytes == 76);
  REQUIRE(shot.firing.cycles == 41);
}

TEST_CASE("the node's poison fails the firing with its status and message; forwarded poison does not") {
  Bench bench;
  TestFiring fails = bench.firing(payload({3}, Bytes(12)));
  bench.finish(fails, bench.poisoned(fails, Code::kTooLarge, bench.copies, "result exceeds"));
  REQUIRE(fails.firing.code == Code::kTooLarge);
  REQUIRE(fails.firing.message == "result exceeds");
  REQUIRE(!fails.firing.lost);
  REQUIRE(fails.firing.outputs[0].written == 0);
  TestFiring passes(bench.plan.plan, poison(bench.copies, Code::kCancelled, 42, 4), {'l', 'a', 't', 'e'}, 0);
  bench.finish(passes, bench.poisoned(passes, Code::kCancelled, 42, "late"));
  REQUIRE(passes.firing.code == Code::kOk);
  REQUIRE(passes.firing.message == "late");
  REQUIRE(passes.firing.routes[1].header.origin == 42);
}

TEST_CASE("a firing that fits no loaded stage is lost at once") {
  Bench bench;
  const auto refused = [&](auto&& change) {
    TestFiring shot = bench.firing(payload({3}, Bytes(12)));
    change(shot.firing);
    REQUIRE(!bench.way->begin(shot.firing));
    REQUIRE(shot.firing.lost);
    REQUIRE(shot.firing.code == Code::kInternal);
    REQUIRE(shot.firing.message == "the firing does not fit a stage that was loaded into this packet node");
  };
  refused([](Firing& firing) { firing.stage = 2; });
  refused([](Firing& firing) { firing.routes.pop_back(); });
  refused([](Firing& firing) { firing.routes[1].edge = 0; });
  refused([](Firing& firing) { firing.packet = nullptr; });
  refused([](Firing& firing) { firing.outputs = {}; });
  Firing other;
  Firing* const joined[] = {&other};
  refused([&](Firing& firing) { firing.joined = joined; });
}

TEST_CASE("a packet that the node refused is data loss, with its reason") {
  Bench bench;
  const auto reason = [&](std::uint32_t rejection) {
    TestFiring shot = bench.firing(payload({3}, Bytes(12)));
    bench.finish(shot, {{}, {done(0, 0, 0, rejection)}});
    REQUIRE(shot.firing.lost);
    REQUIRE(shot.firing.code == Code::kDataLoss);
    const std::string start = "the packet node refused " + to_string(shot.header) + ": ";
    REQUIRE(shot.firing.message.starts_with(start));
    return shot.firing.message.substr(start.size());
  };
  REQUIRE(reason(wact::kRejectLength) == "length");
  REQUIRE(reason(wact::kRejectUse) == "use");
  REQUIRE(reason(wact::kRejectStage) == "stage");
  REQUIRE(reason(wact::kRejectLanding) == "landing");
  REQUIRE(reason(5) == to_string(Rejection::kHeaderCrc));
}

// Delivers the answer after `change`, and returns the end of the message of its loss.
std::string damage(Bench& bench, auto&& change, const Bytes& in = payload({3}, Bytes(12)), bool poisoned = false) {
  TestFiring shot = bench.firing(in);
  Answer answer =
      poisoned ? bench.poisoned(shot, Code::kTooLarge, bench.copies, "text") : bench.answer(shot, in.size());
  change(answer);
  bench.finish(shot, answer);
  REQUIRE(shot.firing.lost);
  REQUIRE(shot.firing.code == Code::kDataLoss);
  REQUIRE(shot.firing.outputs[0].written == 0);
  const std::string start = "the packet node's answer to " + to_string(shot.header) + " is damaged: ";
  REQUIRE(shot.firing.message.starts_with(start));
  return shot.firing.message.substr(start.size());
}

TEST_CASE("every way to damage an answer is told") {
  Bench bench;
  const auto header = [](auto&& change) {
    return [change](Answer& answer) {
      change(answer.packets[1].header);
      answer.packets[1].header = with_crc(answer.packets[1].header);
    };
  };
  const auto told = [&](const char* what, auto&& change, bool poisoned = false) {
    REQUIRE(damage(bench, change, payload({3}, Bytes(12)), poisoned) == what);
  };
  const char* const route = "a header is of another firing or route";
  const char* const disagree = "headers of one firing disagree";
  const char* const size = "a payload is larger or smaller than its header says";
  const char* const kind = "a header has another kind, status or origin than the firing can have";
  const char* const completion = "a completion is of another stage, or disagrees with the packets";
  told("a header breaks a rule of docs/packet.md", [](Answer& answer) { answer.packets[2].header.tag ^= 4; });
  told(route, [](Answer& answer) { std::swap(answer.packets[1], answer.packets[2]); });
  told(route, header([](auto& packet) { packet.port ^= 1; }));
  told(route, header([](auto& packet) { packet.instance ^= 1; }));
  told(disagree, header([](auto& packet) { packet.payload_bytes += 1; }));
  told(disagree, header([](auto& packet) { packet.origin += 1; }));
  told(kind, header([](auto& packet) {
         packet.kind = static_cast<std::uint8_t>(PacketKind::kEnd);
         packet.device = 0, packet.region = 0, packet.offset = 0, packet.payload_bytes = 0;
       }));
  told(size, [](Answer& answer) { answer.packets[0].written -= 1; });
  told(size, [](Answer& answer) { answer.packets[1].written = answer.packets[0].written; });
  told(
      size, [](Answer& answer) { answer.packets[0].message += '.'; }, true);
  told("fewer packets came than the stage has routes", [](Answer& answer) { answer.packets.pop_back(); });
  told("more packets came than the stage has routes",
       [](Answer& answer) { answer.packets.push_back(answer.packets[2]); });
  told("completions are missing", [](Answer& answer) { answer.completions.clear(); });
  told("completions are missing", [](Answer& answer) { answer.last = 1; });
  told("more completions came than the chain has stages",
       [](Answer& answer) { answer.completions.push_back(done(1, 1)); });
  told(completion, [](Answer& answer) { answer.completions[0] = done(0, 1); });
  told(completion, [](Answer& answer) { answer.completions[0] = done(1, 1, 3); });
  told(
      completion, [](Answer& answer) { answer.completions[0] = done(1, 0); }, true);
  told(
      "poison names a stage that did not run",
      [&](Answer& answer) {
        for (auto& each : answer.packets) each.header.origin = 77, each.header = with_crc(each.header);
        answer.completions[0] = done(1, 0);
      },
      true);
  told("a payload is shorter than its dimensions", [](Answer& answer) {
    for (auto& each : answer.packets) each.header.payload_bytes = 63, each.header = with_crc(each.header);
    answer.packets[0].written = 63;
  });
  TestFiring broken = bench.firing(payload({3}, Bytes(12)));
  REQUIRE(bench.way->begin(broken.firing));
  bench.way->damage("the first of two");
  bench.way->damage("the second");
  bench.answer(broken, 76).deliver(*bench.way);
  bench.way->finish();
  REQUIRE(broken.firing.lost);
  REQUIRE(broken.firing.message.ends_with("is damaged: the first of two"));
  TestFiring after = bench.firing(payload({3}, Bytes(12)));  // nothing of it stays
  bench.finish(after, bench.answer(after, 76));
  REQUIRE(after.firing.code == Code::kOk);
}

TEST_CASE("payloads beyond their room are damage, whatever the header says") {
  Bench bench;
  const std::uint64_t most = 64 + (1 << 10);
  const auto with_size = [](std::uint64_t bytes) {
    return [bytes](Answer& answer) {
      for (auto& each : answer.packets) each.header.payload_bytes = bytes, each.header = with_crc(each.header);
      answer.packets[0].written = bytes;
    };
  };
  const char* const size = "a payload is larger or smaller than its header says";
  REQUIRE(damage(bench, with_size(most + 1)) == size);
  REQUIRE(damage(bench, with_size(kMaxPayloadBytes)) == size);
  REQUIRE(damage(
              bench,
              [&](Answer& answer) {
                with_size(257)(answer);
                answer.packets[0].written = 0;
                answer.packets[0].message = std::string(257, 'x');
              },
              payload({3}, Bytes(12)), true) == size);
}

// copy, invert and sharpen3x3 in a chain; the first stands second in the stage table.
struct ChainBench {
  FpgaPlan plan;
  std::uint32_t first, second, third;
  std::optional<WactTables> tables;
  std::optional<WactFiring> way;

  ChainBench() {
    second = plan.add_stage("invert", port_type("u8", {0, 0, 1}));
    first = plan.add_stage("copy", port_type("bytes"), port_type("u8", {0, 0, 1}));
    third = plan.add_stage("sharpen3x3", port_type("u8", {0, 0, 1}));
    plan.join(first, second);
    plan.join(second, third);
    plan.add_edge(third, kSinkStage, 1);
    tables.emplace(*WactTables::make(plan.plan, plan.loaded, kLimits));
    way.emplace(*tables);
  }
  // `header` comes with the payload or message; the faults and cycles are those of the chain's stages, in order.
  void finish(TestFiring& shot, const ActivationPacket& header, const std::string& message,
              std::array<std::uint32_t, 3> faults, std::array<std::uint32_t, 3> cycles) {
    REQUIRE(way->begin(shot.firing));
    way->packet(header, message.empty() ? header.payload_bytes : 0, bytes_of(message));
    const std::uint32_t entries[] = {1, 0, 2};
    for (std::size_t link = 0; link < 3; ++link)
      way->completion(done(entries[link], cycles[link], faults[link]), link == 2);
    way->finish();
  }
};

TEST_CASE("a chain's firings get their cycles, and the first one the result") {
  ChainBench bench;
  const Bytes in(100, 1);
  TestFiring shot(bench.plan.plan, token(bench.first, in.size()), in, 2048);
  const auto header = expected(bench.plan.plan, 2, shot.header, 1, 64 + 90, TestFiring::landing(2));
  auto of_last = header;
  of_last.origin = bench.third;
  bench.finish(shot, with_crc(of_last), "", {0, 0, 0}, {10, 20, 30});
  REQUIRE(shot.firing.code == Code::kOk);
  REQUIRE(shot.firing.outputs[0].bytes == 90);
  REQUIRE(shot.firing.outputs[0].written == 1);
  REQUIRE(shot.firing.routes[0].header.origin == bench.third);
  REQUIRE(shot.firing.cycles == 10);
  REQUIRE(shot.joined[0]->cycles == 20);
  REQUIRE(shot.joined[1]->cycles == 30);
  REQUIRE(shot.joined[1]->code == Code::kOk);
  REQUIRE(shot.firing.input_memory[0].copied_bytes == 100);
  REQUIRE(shot.firing.output_memory[0].copied_bytes == 64 + 90);
}

TEST_CASE("the stage of a chain that fails gets the code; those before and behind it have none") {
  ChainBench bench;
  const std::uint32_t stages[] = {bench.first, bench.second, bench.third};
  for (std::size_t failed = 0; failed < 3; ++failed) {
    TestFiring shot(bench.plan.plan, token(bench.first, 8), Bytes(8), 2048);
    std::array<std::uint32_t, 3> faults{};
    faults[failed] = 2;
    bench.finish(shot, expected_poison(bench.plan.plan, 2, shot.header, 1, Code::kTooLarge, stages[failed], 3), "big",
                 faults, {});
    for (std::size_t link = 0; link < 3; ++link) {
      const Firing& firing = link == 0 ? shot.firing : *shot.joined[link - 1];
      REQUIRE(firing.code == (link == failed ? Code::kTooLarge : Code::kOk));
      REQUIRE(firing.message == (link == failed ? "big" : ""));
      REQUIRE(!firing.lost);
      REQUIRE(firing.cycles == 0);
    }
    REQUIRE(shot.firing.outputs[0].written == 0);
  }
  TestFiring passes(bench.plan.plan, poison(bench.first, Code::kCancelled, 42, 4), {'l', 'a', 't', 'e'}, 0);
  bench.finish(passes, expected_poison(bench.plan.plan, 2, passes.header, 1, Code::kCancelled, 42, 4), "late", {}, {});
  REQUIRE(passes.firing.code == Code::kOk);
  REQUIRE(passes.joined[1]->code == Code::kOk);
}

TEST_CASE("a chain's answer with a completion missing, moved or of another stage is damage") {
  ChainBench bench;
  for (const auto& completions : std::vector<std::vector<std::uint64_t>>{
           {done(1, 9), done(0, 9)}, {done(0, 9), done(1, 9), done(2, 9)}, {done(1, 9), done(0, 9), done(2, 9, 1)}}) {
    TestFiring shot(bench.plan.plan, token(bench.first, 8), Bytes(8), 2048);
    REQUIRE(bench.way->begin(shot.firing));
    bench.way->packet(expected(bench.plan.plan, 2, shot.header, 1, 64, TestFiring::landing(2)), 64, {});
    for (std::size_t c = 0; c < completions.size(); ++c)
      bench.way->completion(completions[c], c + 1 == completions.size());
    bench.way->finish();
    REQUIRE(shot.firing.lost);
    REQUIRE(shot.firing.code == Code::kDataLoss);
  }
  TestFiring other(bench.plan.plan, token(bench.first, 8), Bytes(8), 2048);
  std::swap(other.joined[0], other.joined[1]);
  REQUIRE(!bench.way->begin(other.firing));
}

// Changes one thing at random. False: what an answer means is the same.
bool mutate(std::mt19937& random, Answer& answer) {
  auto& packet = answer.packets[below(random, 3)];
  switch (below(random, 9)) {
    case 0: {  // a bit of a header
      auto bytes = std::bit_cast<std::array<std::uint8_t, 64>>(packet.header);
      bytes[below(random, 64)] ^= static_cast<std::uint8_t>(1u << below(random, 8));
      packet.header = std::bit_cast<ActivationPacket>(bytes);
      return true;
    }
    case 1: answer.packets.erase(answer.packets.begin() + below(random, 3)); return true;
    case 2: answer.packets.insert(answer.packets.begin() + below(random, 4), packet); return true;
    case 3: std::swap(answer.packets[0], answer.packets[1 + below(random, 2)]); return true;
    case 4: packet.written += 1 + below(random, 4000); return packet.header.kind == 1;
    case 5: packet.message += std::string(1 + below(random, 400), 'm'); return packet.header.kind == 2;
    case 6: {  // another fault than the one that was is as good
      const std::uint32_t bit = below(random, 32);
      answer.completions[0] ^= std::uint64_t{1} << bit;
      return packet.header.kind == 1 || bit < 9 || bit >= 16;
    }
    case 7: answer.completions.push_back(answer.completions[0]); return true;
    default: answer.last = 1; return answer.completions.size() == 1;
  }
}

TEST_CASE("no damaged answer passes, and none harms the next") {
  Bench bench;
  std::mt19937 random(28);
  for (int turn = 0; turn < 20'000; ++turn) {
    const Bytes in = payload({below(random, 20)}, {});
    TestFiring shot = bench.firing(in);
    const bool fails = random() % 2 == 0;
    const std::string text(below(random, 193), 't');
    Answer answer = fails ? bench.poisoned(shot, Code::kInvalid, bench.copies, text)
                          : bench.answer(shot, 64 + below(random, 1 << 10));
    const bool damaged = turn % 8 != 0 && mutate(random, answer);
    bench.finish(shot, answer);
    INFO("turn " << turn << ": " << shot.firing.message);
    REQUIRE(shot.firing.lost == damaged);
    REQUIRE((shot.firing.code == Code::kDataLoss) == damaged);
    if (!damaged) REQUIRE(shot.firing.code == (fails ? Code::kInvalid : Code::kOk));
  }
}

}  // namespace
}  // namespace woa::test
