// The kernel on a card, as a host uses it: commands in memory, results in memory.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <vector>

#include "tests/doubles/xrt/card/card.h"
#include "tests/support/catch.h"
#include "tests/unit/controllers/fpga/node_bench.h"

namespace woa::test::on_card {

inline constexpr std::uint64_t kBase = 0x4'0000'0000;
inline constexpr std::byte kUntouched{0xa5};
inline constexpr std::uint64_t kPage = 4096;

class Memory final : public CardMemory {
 public:
  std::span<std::byte> at(std::uint64_t address, std::size_t bytes) override {
    if (address < kBase || address - kBase + bytes > bytes_.size()) return {};
    return std::span(bytes_).subspan(address - kBase, bytes);
  }

  explicit Memory(std::size_t bytes) : bytes_(bytes, kUntouched) {}
  [[nodiscard]] std::uint64_t end() const { return kBase + bytes_.size(); }
  void cut(std::size_t bytes) { bytes_.resize(bytes_.size() - bytes); }

 private:
  std::vector<std::byte> bytes_;
};

using Line = std::array<std::uint32_t, 16>;

// A result, as its directory says.
struct RunAnswer {
  std::uint32_t state = 0, operation = 0, ticket = 0;
  std::vector<PacketOut> packets;  // an activation's with its payload
  Beats completions;
  std::vector<Line> lines;  // behind the directory
};

// A run, in places of its own: command, input, output, result.
struct Run {
  WactArguments arguments;
  std::uint32_t ticket = 0;
};

class Host {
 public:
  const std::uint32_t room;  // of each buffer
  Memory memory;
  Card card;
  explicit Host(CardOptions options, std::uint32_t bytes = 8192)
      : room(bytes), memory(std::size_t{16} * 4 * (bytes + kPage)), card(memory, options) {}

  Run place(std::uint32_t operation, std::uint32_t count, const std::vector<Line>& lines, const Bytes& input) {
    const std::uint64_t stride = room + kPage, n = next_++;
    const std::uint64_t at = kBase + n % 16 * 4 * stride + n * 448 % kPage;  // at any multiple of 64 within a page
    Line first{wact::kCommandId, operation, static_cast<std::uint32_t>(lines.size() + 1), count, ++ticket_};
    put(at, &first, sizeof first);
    if (!lines.empty()) put(at + 64, lines.data(), lines.size() * 64);
    if (!input.empty()) put(at + stride, input.data(), input.size());
    for (const std::uint64_t written : {at + 2 * stride, at + 3 * stride})
      std::ranges::fill(memory.at(written, room), kUntouched);
    return {{at, at + stride, at + 2 * stride, at + 3 * stride, static_cast<std::uint32_t>(lines.size() + 1) * 64,
             static_cast<std::uint32_t>(input.size()), room, room},
            ticket_};
  }
  Run fire(const PacketIn& packet, std::size_t payload_bytes) {
    std::vector<Line> lines(1 + (packet.frame.size() + 7) / 8);
    std::memcpy(lines.data(), packet.beats.data(), 64);
    std::memcpy(lines.data() + 1, packet.frame.data(), packet.frame.size() * 8);
    Bytes input(payload_bytes);
    if (payload_bytes != 0) std::memcpy(input.data(), packet.beats.data() + 8, payload_bytes);
    return place(wact::kOperationFire, static_cast<std::uint32_t>(packet.frame.size()), lines, input);
  }
  Run tables(const std::vector<Stage>& stages) {
    std::vector<Line> lines, routes;
    for (const Stage& stage : stages) {
      lines.push_back(stage_words(stage, static_cast<std::uint32_t>(routes.size())));
      for (const Route& route : stage.routes) routes.push_back(route_words(route));
    }
    lines.insert(lines.end(), routes.begin(), routes.end());
    return place(wact::kOperationTables, static_cast<std::uint32_t>(stages.size()), lines, {});
  }
  void wait() {
    for (int k = 0; k < 200'000; ++k) {
      if (card.ended()) return;
    }
    FAIL("the kernel hangs");
  }
  RunAnswer run(const Run& run) {
    card.start(run.arguments);
    wait();
    return answer(run);
  }
  // Checks the directory, and that nothing was written behind what it tells; but a packet that became void has begun to
  // leave.
  RunAnswer answer(const Run& run, bool has_void = false) {
    const WactArguments& a = run.arguments;
    const Line directory = line(a.result, 0);
    REQUIRE(directory[wact::kDirectoryMagic] == wact::kDirectoryId);
    RunAnswer answer{directory[wact::kDirectoryState],
                     directory[wact::kDirectoryOperation],
                     directory[wact::kDirectoryTicket],
                     {},
                     {},
                     {}};
    const std::uint32_t lines = directory[wact::kDirectoryPacketLines],
                        completions = directory[wact::kDirectoryCompletions];
    for (std::uint32_t k = 0; k < lines; ++k) answer.lines.push_back(line(a.result, 1 + k));
    std::uint32_t at = 1;
    for (std::uint32_t p = 0; p < directory[wact::kDirectoryPackets]; ++p) {
      const auto header = std::bit_cast<ActivationPacket>(line(a.result, at++));
      const bool poison = header.kind == static_cast<std::uint8_t>(PacketKind::kPoison);
      PacketOut packet{packet_beats(header, {}), p == 0 ? std::uint8_t{0} : std::uint8_t{wact::kUserFurtherRoute}};
      if (p == 0) {
        const std::span<std::byte> from = memory.at(poison ? a.result + at * 64 : a.output, header.payload_bytes);
        Bytes payload(from.size());
        if (!from.empty()) std::memcpy(payload.data(), from.data(), from.size());
        const Beats rest = beats_of(payload);
        packet.beats.insert(packet.beats.end(), rest.begin(), rest.end());
        if (poison) at += static_cast<std::uint32_t>(header.payload_bytes + 63) / 64;
      }
      answer.packets.push_back(packet);
    }
    if (directory[wact::kDirectoryPackets] != 0) REQUIRE(at == 1 + lines);
    for (std::uint32_t c = 0; c < completions; ++c) {
      std::uint64_t beat = 0;
      std::memcpy(&beat, memory.at(a.result + (1 + lines + c / 8) * 64 + c % 8 * 8, 8).data(), 8);
      answer.completions.push_back(beat);
    }
    REQUIRE((has_void || untouched(a.output + directory[wact::kDirectoryOutputBytes], a.output + room)));
    REQUIRE((has_void || untouched(a.result + (1 + lines + (completions + 7) / 8) * 64, a.result + room)));
    return answer;
  }
  bool untouched(std::uint64_t from, std::uint64_t to) {
    return std::ranges::all_of(memory.at(from, to - from), [](std::byte byte) { return byte == kUntouched; });
  }
  // A word of the directory.
  std::uint32_t told(const Run& run, wact::DirectoryWord word) { return line(run.arguments.result, 0)[word]; }

 private:
  void put(std::uint64_t at, const void* from, std::size_t bytes) {
    std::memcpy(memory.at(at, bytes).data(), from, bytes);
  }
  Line line(std::uint64_t at, std::uint32_t number) {
    Line words;
    std::memcpy(words.data(), memory.at(at + number * 64, 64).data(), 64);
    return words;
  }
  std::uint32_t next_ = 0, ticket_ = 100;
};

}  // namespace woa::test::on_card
