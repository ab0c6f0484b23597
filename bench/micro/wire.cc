#include "bench/micro/wire.h"

#include <algorithm>
#include <string>

#include "bench/micro/ofi_job.h"
#include "bench/micro/random_wire.h"
#include "bench/micro/randomaccess.h"
#include "bench/micro/raw_fabric_job.h"
#include "runtime/measure/contest.h"

namespace woa::bench {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{512} << 20;  // of a launch
constexpr std::uint64_t kMostMessages = 20'000;

std::uint64_t messages_of(const WireOptions& options, std::uint64_t size) {
  return options.count != 0 ? options.count : std::clamp<std::uint64_t>(kMostBytes / size, 1, kMostMessages);
}

}  // namespace

Result<Report> bench_wire_hop(const WireOptions& options) {
  Report report{"hop", "ofi", Better::kLess};
  HostProbe probe;
  const std::uint64_t round_trips = (options.count + 1) / 2;
  const auto hop = [=](const Result<double>& ns) -> Result<double> {
    if (!ns.ok()) return ns;
    return *ns / static_cast<double>(round_trips) / 2;
  };
  for (const std::uint64_t size : options.sizes) {
    const WireJob job{options.provider, size, 1, round_trips, false};
    WireJob wakeable = job;
    wakeable.wakeable = true;
    const Contest contest{"ns",
                          options.repetitions,
                          "raw fi_writedata",
                          {{"raw fi_writedata", "limit", size, [=] { return hop(raw_fabric_hop_ns(job)); }},
                           {"raw, with a descriptor", "limit", size, [=] { return hop(raw_fabric_hop_ns(wakeable)); }},
                           {"ofi transport, inline", "ours", size, [=] { return hop(ofi_hop_ns(job)); }}}};
    WOA_RETURN_IF_ERROR(run_contest(contest, probe, report).status());
  }
  return report;
}

Result<Report> bench_wire_bandwidth(const WireOptions& options) {
  Report report{"bandwidth", "ofi", Better::kMore};
  HostProbe probe;
  for (const std::uint64_t size : options.sizes) {
    const WireJob job{options.provider, size, options.slots, messages_of(options, size), false};
    const double bytes = static_cast<double>(size) * static_cast<double>(job.messages);
    const Contest contest{
        "GB/s",
        options.repetitions,
        "raw fi_writedata",
        {{"raw fi_writedata", "limit", size, [=] { return per_ns(bytes, raw_fabric_stream_ns(job)); }},
         {"ofi transport", "ours", size, [=] { return per_ns(bytes, ofi_stream_ns(job)); }}}};
    WOA_RETURN_IF_ERROR(run_contest(contest, probe, report).status());
  }
  return report;
}

Result<Report> bench_wire_rate(const WireOptions& options) {
  constexpr std::uint64_t kWordBytes = 8, kPackets = 100'000;
  Report report{"rate", "ofi", Better::kMore};
  HostProbe probe;
  const std::uint64_t count = options.count != 0 ? options.count : kPackets;
  for (const std::uint64_t size : options.sizes) {
    for (const std::uint32_t slots : {64U, 1024U}) {
      const WireJob job{options.provider, size, slots, count, false};
      WireJob raw = job;
      if (size == 0) raw.bytes = kWordBytes;
      const double thousands = static_cast<double>(count) * 1e3;  // a message per ns is 1,000 million a second
      const std::string ring = ", " + std::to_string(slots) + " slots", limit = "raw fi_writedata" + ring;
      const Contest contest{
          "Mmsg/s",
          options.repetitions,
          limit,
          {{limit, "limit", raw.bytes, [=] { return per_ns(thousands, raw_fabric_stream_ns(raw)); }},
           {"ofi transport" + ring + (size == 0 ? ", retire" : ", activate, inline"), "ours",
            size == 0 ? kPacketBytes : size, [=] { return per_ns(thousands, ofi_packets_ns(job)); }}}};
      WOA_RETURN_IF_ERROR(run_contest(contest, probe, report).status());
    }
  }
  return report;
}

Result<Report> bench_wire_randomaccess(const WireOptions& options) {
  constexpr const char *kRaw = "raw fi_writedata, buckets", *kNaive = "naive", *kAggregated = "aggregated";
  Report report{"randomaccess", "ofi", Better::kMore};
  HostProbe probe;
  for (const std::uint64_t size : options.sizes) {
    WOA_RETURN_IF_ERROR(check_table_size(size));
    const RandomTable table{size / sizeof(std::uint64_t)};
    const auto updates = static_cast<double>(table.updates());
    const auto contender = [&](const char* name, const char* role, auto launch) {
      return Contender{name, role, size, [=, &options] { return per_ns(updates, launch(options.provider, table)); }};
    };
    const Contest contest{
        "GUP/s",
        options.repetitions,
        kRaw,
        {contender(kRaw, "limit", raw_wire_buckets_ns), contender(kNaive, "ours", naive_wire_updates_ns),
         contender(kAggregated, "ours", aggregated_wire_updates_ns)}};
    WOA_ASSIGN_OR_RETURN(const auto rows, run_contest(contest, probe, report));
    add_ratio(report, rows, kAggregated, kNaive);
  }
  return report;
}

}  // namespace woa::bench
