#include "bench/micro/rate.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

#include "bench/harness/contest.h"
#include "bench/micro/header_stream.h"
#include "bench/micro/host_probe.h"
#include "bench/micro/mailbox_stream.h"

namespace woa::bench {
namespace {

constexpr std::array<std::byte, 8> kWord{};

// Names a block, as an activation does; there is none, and nobody looks for it.
ActivationPacket activation() {
  ActivationPacket header;
  header.kind = static_cast<std::uint8_t>(PacketKind::kActivate);
  header.device = static_cast<std::uint8_t>(MemoryKind::kCpu);
  header.payload_bytes = kOffsetUnitBytes;
  return header;
}

ActivationPacket retirement() {
  ActivationPacket header;
  header.kind = static_cast<std::uint8_t>(PacketKind::kRetire);
  return header;
}

Contest contest_of(Transport& transport, std::uint32_t slots, std::uint64_t messages, std::uint64_t repetitions) {
  const double thousands = static_cast<double>(messages) * 1e3;  // a message per nanosecond is 1,000 million a second
  const std::string ring = ", " + std::to_string(slots) + " slots", ours = std::string(transport.name()) + " transport";
  const MailboxSpec mailbox{slots, slots / 4};
  const auto headers = [=, &transport](const ActivationPacket& header) {
    return [=, &transport] { return per_ns(thousands, header_stream_ns(transport, slots, header, messages)); };
  };
  return {"Mmsg/s",
          repetitions,
          "raw mailbox" + ring,
          {{"raw mailbox" + ring, "limit", kWord.size(),
            [=] { return per_ns(thousands, mailbox_stream_ns(mailbox, kWord, messages)); }},
           {ours + ring + ", activate", "ours", kPacketBytes, headers(activation())},
           {ours + ring + ", retire", "ours", kPacketBytes, headers(retirement())}}};
}

}  // namespace

Result<Report> bench_rate(Transport& transport, std::uint64_t messages, std::uint64_t repetitions) {
  Report report{"rate", std::string(transport.name()), Better::kMore, "", {}};
  HostProbe probe;
  for (const std::uint32_t slots : {64U, 1024U}) {
    auto rows = run_contest(contest_of(transport, slots, messages, repetitions), [&] { return probe.look(); });
    if (!rows.ok()) return rows.status();
    std::ranges::move(*rows, std::back_inserter(report.rows));
  }
  report.host_state = probe.state();
  return report;
}

}  // namespace woa::bench
