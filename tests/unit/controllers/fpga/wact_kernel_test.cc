// The kernel around the packet node, as a card runs it: commands in memory, results in memory, control registers.
#include <cstdio>
#include <deque>
#include <random>

#include "tests/support/catch.h"
#include "tests/unit/controllers/fpga/kernel_bench.h"

using namespace woa;
using namespace woa::test;
using namespace woa::test::on_card;

namespace {

std::vector<Stage> stages_under_test() {
  return {{.number = 3, .core = kCopyCore, .in = {}, .out = {}, .routes = {{7, 0, 1}}},
          {.number = 9,
           .core = kInvertCore,
           .in = {},
           .out = {.dims = {}, .most_bytes = 3000},
           .routes = {{8, 1, 1}, {7, 0, 2, 0xff, 5}, {8, 0, 3}}},
          {.number = 4,
           .core = kSharpenCore,
           .in = {.dims = {0, 0, 3}, .bound = 4096},
           .out = {.dims = {0, 0, 3}, .bound = 4096},
           .routes = {{7, 2, 1}}},
          {.number = 6, .core = kInvertCore, .in = {}, .out = {}, .routes = {}, .next = 1}};
}

PacketIn random_packet(NodeBench& node, std::size_t& payload_bytes) {
  std::mt19937& random = node.random;
  static constexpr std::array<std::uint32_t, 6> kStages{3, 9, 4, 6, 3, 77};
  const std::uint32_t stage = kStages[below(random, kStages.size())];
  Bytes data;
  if (stage == 4) {
    const std::uint32_t height = below(random, 6), width = below(random, 20);
    data = payload({height, width}, random_bytes(random, std::size_t{height} * width * 3 + below(random, 2)));
  } else {
    data = random_bytes(random, below(random, 4) == 0 ? below(random, 4000) : below(random, 100));
  }
  ActivationPacket header;
  header.kind = static_cast<std::uint8_t>(below(random, 8) == 0 ? PacketKind::kPoison : PacketKind::kActivate);
  if (header.kind == static_cast<std::uint8_t>(PacketKind::kPoison)) {
    header.status = 4;
    data = random_bytes(random, below(random, 150));
    header.flags = data.empty() ? 0 : kInline;
  }
  header.instance = random();
  header.tag = random();
  header.stage = stage;
  header.payload_bytes = data.size() + (below(random, 20) == 0 ? 8 : 0);              // a few say too much
  if (header.payload_bytes > 8 && below(random, 20) == 0) header.payload_bytes -= 8;  // or too little
  if (header.kind == static_cast<std::uint8_t>(PacketKind::kActivate) && header.payload_bytes != 0) header.device = 1;
  seal(header);
  if (below(random, 20) == 0) header.crc32c ^= 4;
  payload_bytes = data.size();
  return {packet_beats(header, data), node.frame(stage == 9 ? 3 : 1)};
}

}  // namespace

TEST_CASE("a thousand random packets come back from the card as from the node alone, bit for bit") {
  constexpr int kRounds = 84;  // of four packets: a thousand for the three seeds of each width
  const unsigned width = GENERATE(64u, 512u);
  const std::uint64_t seed = GENERATE(0u, 1u, 2u);
  CAPTURE(width, seed);
  NodeBench node(static_cast<std::uint32_t>(7 + seed));
  node.stages = stages_under_test();
  node.load();
  Host host({.seed = seed, .width = width});
  REQUIRE(host.run(host.tables(node.stages)).state == wact::kStateDone);
  for (int round = 0; round < kRounds; ++round) {
    std::vector<Run> runs;
    std::vector<PacketIn> packets;
    for (int k = 0; k < 4; ++k) {
      std::size_t bytes = 0;
      packets.push_back(random_packet(node, bytes));
      runs.push_back(host.fire(packets.back(), bytes));
    }
    for (const Run& run : runs) host.card.start(run.arguments);
    for (std::size_t k = 0; k < runs.size(); ++k) host.wait();
    for (std::size_t k = 0; k < runs.size(); ++k) {
      CAPTURE(round, k);
      const Traffic expected = node.exchange({packets[k]});
      std::vector<Beats> sent, came;
      for (const PacketOut& packet : expected.packets)
        if ((packet.user & wact::kUserVoid) == 0) sent.push_back(packet.beats);
      const RunAnswer answer = host.answer(runs[k], sent.size() != expected.packets.size());
      for (const PacketOut& packet : answer.packets) came.push_back(packet.beats);
      REQUIRE(answer.state == wact::kStateDone);
      REQUIRE(answer.ticket == runs[k].ticket);
      REQUIRE(came == sent);
      REQUIRE(answer.completions.size() == expected.completions.size());
      for (std::size_t c = 0; c < answer.completions.size(); ++c) {
        REQUIRE((answer.completions[c] & 0xff) == expected.completions[c].rejection);
        REQUIRE((answer.completions[c] >> 8 & 0xff) == expected.completions[c].fault);
      }
    }
  }
}

namespace {

// A fire of `stage` with so many bytes, which the node takes.
Run good_fire(NodeBench& node, Host& host, std::uint32_t stage, std::size_t bytes) {
  ActivationPacket header;
  header.kind = static_cast<std::uint8_t>(PacketKind::kActivate);
  header.stage = stage;
  header.payload_bytes = bytes;
  header.device = bytes == 0 ? 0 : 1;
  seal(header);
  return host.fire({packet_beats(header, random_bytes(node.random, bytes)), node.frame(stage == 9 ? 3 : 1)}, bytes);
}

struct LoadedHost {
  NodeBench node{11};
  Host host;
  explicit LoadedHost(CardOptions options = {.seed = 5}, std::uint32_t room = 8192) : host(options, room) {
    node.stages = stages_under_test();
    REQUIRE(host.run(host.tables(node.stages)).state == wact::kStateDone);
  }
  void still_works() {
    const RunAnswer answer = host.run(good_fire(node, host, 3, 100));
    REQUIRE(answer.state == wact::kStateDone);
    REQUIRE(answer.packets.size() == 1);
  }
};

}  // namespace

TEST_CASE("a command that is wrong ends with bad_command, and the next one works") {
  LoadedHost loaded;
  Host& host = loaded.host;
  Run run = good_fire(loaded.node, host, 3, 100);
  std::uint32_t expected = wact::kStateBadCommand;
  const auto command = [&](wact::CommandWord word, std::uint32_t value) {
    std::memcpy(host.memory.at(run.arguments.command + 4 * word, 4).data(), &value, 4);
  };
  SECTION("magic") { command(wact::kCommandMagic, 1); }
  SECTION("operation") { command(wact::kCommandOperation, 9); }
  SECTION("lines") { command(wact::kCommandLines, 4); }
  SECTION("no landings") { command(wact::kCommandCount, 0); }
  SECTION("more landings than lines") { command(wact::kCommandCount, 9); }
  SECTION("more landings than routes") { command(wact::kCommandCount, 257); }
  SECTION("tables with an input") { command(wact::kCommandOperation, wact::kOperationTables); }
  SECTION("describe of several lines") { command(wact::kCommandOperation, wact::kOperationDescribe); }
  SECTION("half a line") { run.arguments.command_bytes = 160; }
  SECTION("no command") { run.arguments.command_bytes = 0; }
  SECTION("an address between lines") { run.arguments.input += 8; }
  SECTION("no memory at the command") {
    run.arguments.command = 64;
    expected = wact::kStateMemory;
  }
  const RunAnswer answer = host.run(run);
  REQUIRE(answer.state == expected);
  REQUIRE(answer.packets.empty());
  loaded.still_works();
}

TEST_CASE("what has no room is told, and is not written") {
  LoadedHost loaded;
  Run run = good_fire(loaded.node, loaded.host, 9, 1000);
  SECTION("the payload") { run.arguments.output_bytes = 999; }
  SECTION("the last header") { run.arguments.result_bytes = 3 * 64; }
  SECTION("the completion") { run.arguments.result_bytes = 4 * 64; }
  loaded.host.card.start(run.arguments);
  loaded.host.wait();
  std::array<std::uint32_t, 16> directory;
  std::memcpy(directory.data(), loaded.host.memory.at(run.arguments.result, 64).data(), 64);
  REQUIRE(directory[wact::kDirectoryState] == wact::kStateNoRoom);
  const WactArguments& a = run.arguments;
  REQUIRE(loaded.host.untouched(a.result + a.result_bytes, a.result + loaded.host.room));
  const bool fits = a.output_bytes != 999;
  REQUIRE(loaded.host.untouched(a.output, a.output + 1000) != fits);
  REQUIRE(directory[wact::kDirectoryOutputBytes] == (fits ? 1000 : 0));
  REQUIRE(directory[wact::kDirectoryPackets] == 3);
  loaded.still_works();
}

TEST_CASE("memory that fails is told, and the next run works") {
  LoadedHost loaded({.seed = 5, .width = 64});
  Run run = good_fire(loaded.node, loaded.host, 3, 104);
  SECTION("at the input") { run.arguments.input = 128; }
  SECTION("at the input's last word") {
    run.arguments.input = loaded.host.memory.end() - 128;
    loaded.host.memory.cut(32);
  }
  SECTION("at the output") { run.arguments.output = 128; }
  SECTION("at the output's last byte") {
    run.arguments.output = loaded.host.memory.end() - 128;
    loaded.host.memory.cut(25);
  }
  loaded.host.card.start(run.arguments);
  loaded.host.wait();
  REQUIRE(loaded.host.told(run, wact::kDirectoryState) == wact::kStateMemory);
  loaded.still_works();
}

namespace {

// A run with one thing wrong, and the state that it ends with.
struct Spoiled {
  Run run;
  std::uint32_t state;
};

Spoiled spoil(Run run, Host& host, std::uint32_t how) {
  WactArguments& a = run.arguments;
  switch (how) {
    case 0: host.memory.at(a.command, 1)[0] ^= std::byte{1}; return {run, wact::kStateBadCommand};
    case 1: host.memory.at(a.command + 12, 1)[0] = std::byte{9}; return {run, wact::kStateBadCommand};
    case 2: a.input += 8; return {run, wact::kStateBadCommand};
    case 3: a.command = 64; return {run, wact::kStateMemory};
    case 4: a.output_bytes = 10; return {run, wact::kStateNoRoom};
    case 5: a.result_bytes = 128; return {run, wact::kStateNoRoom};
    case 6: a.input = 64; return {run, wact::kStateMemory};
    case 7: a.output = 64; return {run, wact::kStateMemory};
    default: return {run, wact::kStateDone};
  }
}

}  // namespace

TEST_CASE(
    "random commands, right and wrong ones, four under way: each ends with its own state, and the right ones work") {
  const unsigned width = GENERATE(64u, 512u);
  LoadedHost loaded({.seed = 9, .width = width});
  Host& host = loaded.host;
  std::mt19937& random = loaded.node.random;
  std::deque<Spoiled> under_way;
  std::uint32_t sequence = 0;
  for (int k = 0; k < 600 || !under_way.empty(); ++k) {
    if (k < 600 && under_way.size() < 4 && below(random, 3) != 0) {
      const std::uint32_t how = below(random, 18);
      Run run = good_fire(loaded.node, host, 3, 64 + below(random, 500));
      if (how == 8) run = host.place(wact::kOperationDescribe, 0, {}, {});
      if (how == 9) run = host.tables(loaded.node.stages);
      under_way.push_back(spoil(run, host, how));
      host.card.start(under_way.back().run.arguments);
    } else if (!under_way.empty()) {
      const auto [run, state] = under_way.front();
      under_way.pop_front();
      CAPTURE(k, state);
      host.wait();
      REQUIRE(host.told(run, wact::kDirectoryState) == state);
      if (host.told(run, wact::kDirectoryOperation) == wact::kOperationTables) sequence = 0;
      if (host.told(run, wact::kDirectoryPackets) == 0) continue;
      ++sequence;  // the node had it
      if (state != wact::kStateDone) continue;
      const RunAnswer answer = host.answer(run);
      if (answer.operation != wact::kOperationFire) continue;
      REQUIRE((answer.packets[0].beats[5] & 0xffff'ffff) == sequence);
      const auto input = host.memory.at(run.arguments.input, run.arguments.input_bytes);
      REQUIRE(std::ranges::equal(input, host.memory.at(run.arguments.output, run.arguments.input_bytes)));
    }
  }
}

TEST_CASE("a result without room for its directory ends the run in silence") {
  LoadedHost loaded;
  Run run = good_fire(loaded.node, loaded.host, 3, 100);
  run.arguments.result_bytes = 63;
  loaded.host.card.start(run.arguments);
  loaded.host.wait();
  REQUIRE(loaded.host.memory.at(run.arguments.result, 1)[0] == kUntouched);
  loaded.still_works();
}

TEST_CASE("describe answers with registers and names of cores") {
  LoadedHost loaded;
  loaded.still_works();
  const RunAnswer answer = loaded.host.run(loaded.host.place(wact::kOperationDescribe, 0, {}, {}));
  REQUIRE(answer.state == wact::kStateDone);
  const std::uint32_t cores = answer.lines[0][wact::kRegLimits] & 0xff;
  REQUIRE(cores == 3);  // the card has the first three
  REQUIRE(answer.lines.size() == 4 + (cores + 3) / 4);
  REQUIRE(answer.lines[0][wact::kRegId] == wact::kId);
  REQUIRE(answer.lines[0][wact::kRegStages] == loaded.node.stages.size());
  REQUIRE(answer.lines[1][wact::kRegAccepted - 16] == 1);
  REQUIRE(answer.lines[4][4] == 0x76657274);  // "vert" of "invert"
}

TEST_CASE("tables begin all counters again, behind the runs before them") {
  LoadedHost loaded;
  Host& host = loaded.host;
  const Run first = good_fire(loaded.node, host, 3, 500), second = host.tables(loaded.node.stages),
            third = good_fire(loaded.node, host, 3, 20);
  for (const Run& run : {first, second, third}) host.card.start(run.arguments);
  for (int k = 0; k < 3; ++k) host.wait();
  for (const Run& run : {first, third}) {
    const RunAnswer answer = host.answer(run);
    REQUIRE(answer.packets.size() == 1);
    REQUIRE((answer.packets[0].beats[5] & 0xffff'ffff) == 1);  // its sequence number
  }
}

TEST_CASE("the control registers follow ap_ctrl_chain") {
  LoadedHost loaded(CardOptions{});
  Host& host = loaded.host;
  constexpr std::uint32_t kIdle = 4, kReady = 8, kDone = 2, kStart = 1, kContinue = 16;
  REQUIRE((host.card.read_register(0) & (kIdle | kDone | kStart)) == kIdle);
  host.card.write_register(4, 1);
  host.card.write_register(8, 1);
  std::vector<Run> runs;
  for (int k = 0; k < 5; ++k) runs.push_back(good_fire(loaded.node, host, 3, 64));
  for (int k = 0; k < 4; ++k) host.card.start(runs[static_cast<std::size_t>(k)].arguments);
  REQUIRE((host.card.read_register(0) & kReady) != 0);  // which reading clears
  REQUIRE((host.card.read_register(0) & kReady) == 0);
  host.card.clock(2000);
  REQUIRE((host.card.read_register(0) & kDone) != 0);
  REQUIRE(host.card.interrupts());
  REQUIRE(host.card.read_register(12) == 1);
  host.card.write_register(12, 1);
  REQUIRE_FALSE(host.card.interrupts());
  host.card.clock(1000);  // the next run's end waits for `continue`
  for (int k = 0; k < 4; ++k) {
    REQUIRE((host.card.read_register(0) & kDone) != 0);
    host.card.write_register(0, kContinue);
    host.card.clock(10);
  }
  REQUIRE((host.card.read_register(0) & (kIdle | kDone)) == kIdle);
  for (int k = 0; k < 4; ++k) REQUIRE(host.answer(runs[static_cast<std::size_t>(k)]).packets.size() == 1);
  REQUIRE(host.run(runs[4]).packets.size() == 1);
}

TEST_CASE("the control registers are written byte by byte, and read back") {
  LoadedHost loaded(CardOptions{});
  Card& card = loaded.host.card;
  for (const std::uint32_t at : {wact::kArgumentAtCommand, wact::kArgumentAtResultBytes}) {
    card.write_register(at, 0x11223344);
    card.write_register(at, 0x55667788, 0b0110);
    REQUIRE(card.read_register(at) == 0x11667744);
  }
  for (const std::uint32_t at : {4u, 8u}) {
    card.write_register(at, 1);
    card.write_register(at, 0, 0b1110);  // its bits lie in byte 0
    REQUIRE(card.read_register(at) == 1);
  }
  card.write_register(8, 2);
  loaded.still_works();
  REQUIRE(card.read_register(12) == 2);
  card.write_register(12, 2, 0b1110);
  card.write_register(0, 1, 0b1110);  // no start
  REQUIRE(card.read_register(12) == 2);
  REQUIRE((card.read_register(0) & 7) == 4);
  REQUIRE(card.read_register(0x7c) == 0);
  card.write_register(0x7c, 1);
  loaded.still_works();
}

TEST_CASE("an end that comes with a `continue` is shown") {
  LoadedHost loaded(CardOptions{});
  Host& host = loaded.host;
  host.card.write_register(4, 1);
  host.card.write_register(8, 1);
  for (unsigned offset = 0; offset < 2; ++offset) {  // an access takes two cycles
    host.card.write_register(12, 3);
    host.card.start(good_fire(loaded.node, host, 3, 64).arguments);
    host.card.clock(offset);
    for (int k = 0; k < 2000 && !host.card.interrupts(); ++k) host.card.write_register(0, 16);
    REQUIRE(host.card.interrupts());
    REQUIRE(host.card.ended());
  }
}

TEST_CASE("an interrupt that comes while another is cleared is not lost") {
  LoadedHost loaded(CardOptions{});
  Host& host = loaded.host;
  host.card.write_register(4, 1);
  host.card.write_register(8, 2);  // a run was taken
  for (unsigned offset = 0; offset < 4; ++offset) {
    for (int k = 0; k < 6; ++k) host.card.start(good_fire(loaded.node, host, 3, 64).arguments);
    host.card.clock(2000);
    REQUIRE_FALSE(host.card.can_start());  // the first end is shown, four runs are under way
    host.card.write_register(12, 2);
    host.card.write_register(0, 16);  // the sixth run is taken within a few cycles
    host.card.clock(offset);
    if (!host.card.interrupts()) host.card.write_register(12, 2);
    host.card.clock(10);
    REQUIRE(host.card.interrupts());
    for (int k = 0; k < 5; ++k) host.wait();
  }
}

TEST_CASE("a fifth run is taken once the first has been told") {
  LoadedHost loaded(CardOptions{});
  Host& host = loaded.host;
  std::vector<Run> runs;
  for (int k = 0; k < 6; ++k) runs.push_back(good_fire(loaded.node, host, 3, 64));
  for (std::size_t k = 0; k < 5; ++k) host.card.start(runs[k].arguments);  // the first one's end is shown
  host.card.clock(2000);
  REQUIRE(host.card.can_start());
  host.card.start(runs[5].arguments);
  host.card.clock(2000);
  REQUIRE_FALSE(host.card.can_start());
  for (std::size_t k = 0; k < 6; ++k) host.wait();
  for (const Run& run : runs) REQUIRE(host.answer(run).packets.size() == 1);
}

TEST_CASE("runs end, however much the later ones write before the first is told") {
  LoadedHost loaded({}, 128 << 10);
  Host& host = loaded.host;
  std::vector<Run> runs;
  for (int k = 0; k < 4; ++k) runs.push_back(good_fire(loaded.node, host, 3, 100'000));
  for (const Run& run : runs) host.card.start(run.arguments);
  host.card.clock(60'000);
  for (std::size_t k = 0; k < runs.size(); ++k) host.wait();
  for (const Run& run : runs) REQUIRE(host.answer(run).packets.size() == 1);
}

TEST_CASE("nothing is read or written behind a buffer's last beat") {
  const unsigned width = GENERATE(64u, 512u);
  LoadedHost loaded({.seed = 3, .width = width});
  Host& host = loaded.host;
  Run run = good_fire(loaded.node, host, 3, 100);
  SECTION("input") {
    const std::span<std::byte> input = host.memory.at(run.arguments.input, 104);
    run.arguments.input = host.memory.end() - 128;
    std::ranges::copy(input, host.memory.at(run.arguments.input, 104).begin());
    host.memory.cut(24);
  }
  SECTION("output") {
    run.arguments.output = host.memory.end() - 128;
    host.memory.cut(28);
  }
  SECTION("result") {  // directory, header, completion
    run.arguments.result = host.memory.end() - 256;
    host.memory.cut(64 + 56);
  }
  host.card.start(run.arguments);
  host.wait();
  REQUIRE(host.told(run, wact::kDirectoryState) == wact::kStateDone);
}

TEST_CASE("a reset in any cycle forgets the runs under way") {
  LoadedHost loaded;
  for (unsigned cycle = 0; cycle < 260; cycle += 7) {
    for (int k = 0; k < 3; ++k) loaded.host.card.start(good_fire(loaded.node, loaded.host, 9, 200).arguments);
    loaded.host.card.clock(cycle);
    loaded.host.card.reset();
    CAPTURE(cycle);
    REQUIRE(loaded.host.run(loaded.host.tables(loaded.node.stages)).state == wact::kStateDone);
    loaded.still_works();
  }
}

TEST_CASE("cycles of a run, alone and with four under way") {
  for (const unsigned width : {64u, 512u}) {
    for (const std::size_t bytes : {std::size_t{64}, std::size_t{4096}}) {
      LoadedHost loaded({.seed = 0, .width = width});
      Host& host = loaded.host;
      const Run alone = good_fire(loaded.node, host, 3, bytes);
      (void)host.run(alone);
      std::uint64_t cycles = 0;
      std::memcpy(&cycles, host.memory.at(alone.arguments.result + 4 * wact::kDirectoryCycles, 8).data(), 8);
      std::vector<Run> runs;
      for (int k = 0; k < 16; ++k) runs.push_back(good_fire(loaded.node, host, 3, bytes));
      const std::uint64_t from = host.card.cycles();
      std::size_t started = 0;
      for (std::size_t ended = 0; ended < runs.size();) {
        if (started < runs.size() && started < ended + 4) {
          host.card.start(runs[started++].arguments);
        } else if (host.card.ended()) {
          ++ended;
        }
      }
      std::printf("wact_kernel, %u bits, %zu bytes: %llu cycles from start to directory; %llu a run with 4 under way\n",
                  width, bytes, static_cast<unsigned long long>(cycles),
                  static_cast<unsigned long long>((host.card.cycles() - from) / runs.size()));
      REQUIRE(cycles > bytes / 8);
    }
  }
}
