#include "bench/micro/packing.h"

#include <algorithm>
#include <memory>

#include "bench/micro/raw_fabric_job.h"
#include "runtime/measure/contest.h"
#include "runtime/measure/spin.h"
#include "runtime/messaging/packing/packer.h"
#include "runtime/messaging/packing/unpacker.h"
#include "runtime/transport/ofi/ofi_transport.h"

namespace woa::bench {
namespace {

using packing::LinkSpec;
using packing::Outcome;
using packing::Packer;
using packing::ReceiveMode;
using packing::SendMode;
using packing::Unpacker;

constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20;  // of a launch
constexpr std::uint32_t kRawSlots = 8;

struct PackingJob {
  std::string provider;
  std::uint64_t bytes = 0, messages = 0;
  LinkSpec link;
};

// Members go from the last to the first.
struct PackingSide {
  std::unique_ptr<OfiTransport> transport;
  packing::Link link;
  std::vector<std::byte> memory;
  std::unique_ptr<Packer> packer;      // of the first
  std::unique_ptr<Unpacker> unpacker;  // of the second

  template <class Call>
  [[nodiscard]] static bool done(Call&& call) {
    Outcome outcome = Outcome::kBackPressured;
    return spin_until([&] { return (outcome = call()) != Outcome::kBackPressured; }) && outcome == Outcome::kOk;
  }
  [[nodiscard]] bool send() {
    return done([&] { return packer->begin(); }) &&
           done([&] { return packer->pack(memory, SendMode::kCheaper, ReceiveMode::kCheaper); }) &&
           done([&] { return packer->end(); });
  }
  [[nodiscard]] bool receive() {
    return done([&] { return unpacker->begin(); }) &&
           done([&] { return unpacker->unpack(memory, SendMode::kCheaper, ReceiveMode::kCheaper); }) &&
           done([&] { return unpacker->end(); });
  }
  [[nodiscard]] Status run(std::uint64_t messages) {
    bool ok = true;
    for (std::uint64_t k = 0; ok && k < messages; ++k) ok = packer != nullptr ? send() : receive();
    if (!ok) WOA_RETURN_IF_ERROR(packer != nullptr ? packer->status() : unpacker->status());
    return gone_unless(ok);
  }
};

Result<std::shared_ptr<PackingSide>> open_side(const PackingJob& job, const Talk& talk) {
  OfiOptions options;
  options.provider = job.provider;
  WOA_ASSIGN_OR_RETURN(auto transport, make_ofi_transport(options));
  auto side = std::make_shared<PackingSide>();
  side->transport = std::move(transport);
  WOA_ASSIGN_OR_RETURN(side->link, packing::allocate_link(*side->transport, job.link, "bench"));
  WOA_RETURN_IF_ERROR(side->link.connect(*side->transport, talk.swap(side->link.description())));
  side->memory.resize(job.bytes, std::byte{1});
  if (talk.first()) {
    WOA_ASSIGN_OR_RETURN(side->packer, Packer::open(*side->transport, job.link, side->link));
  } else {
    WOA_ASSIGN_OR_RETURN(side->unpacker, Unpacker::open(*side->transport, job.link, side->link));
  }
  return side;
}

Result<double> packing_ns(const PackingJob& job) {
  const SidesJob sides{std::max<std::uint64_t>(2, job.messages / 8), job.messages, {0, 1}};
  return run_sides(sides, [&](const Talk& talk) -> Result<Side> {
    WOA_ASSIGN_OR_RETURN(const auto side, open_side(job, talk));
    return Side([side](std::uint64_t messages) { return side->run(messages); });
  });
}

}  // namespace

Result<Report> bench_packing(const PackingOptions& options) {
  Report report{"packing", "ofi", Better::kMore};
  HostProbe probe;
  for (const std::uint64_t size : options.sizes) {
    const std::uint64_t messages =
        options.count != 0 ? options.count : std::clamp<std::uint64_t>(kMostBytes / size, 4, 2000);
    PackingJob blocks{options.provider, size, messages, {}}, direct = blocks;
    blocks.link.block_bytes = direct.link.block_bytes = options.block_bytes;
    blocks.link.rendezvous_bytes = packing::kNoRendezvous;
    direct.link.rendezvous_bytes = 1;
    const WireJob raw{options.provider, size, kRawSlots, messages, false};
    const double bytes = static_cast<double>(size) * static_cast<double>(messages);
    const Contest contest{
        "GB/s",
        options.repetitions,
        "raw fi_writedata",
        {{"raw fi_writedata", "limit", size, [=] { return per_ns(bytes, raw_fabric_stream_ns(raw)); }},
         {"through blocks", "ours", size, [=] { return per_ns(bytes, packing_ns(blocks)); }},
         {"rendezvous", "ours", size, [=] { return per_ns(bytes, packing_ns(direct)); }}}};
    WOA_RETURN_IF_ERROR(run_contest(contest, probe, report).status());
  }
  return report;
}

}  // namespace woa::bench
