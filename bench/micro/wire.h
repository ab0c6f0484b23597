// The cost of the transport between hosts over libfabric: both use the same provider and the loopback interface.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/base/status.h"
#include "runtime/measure/report.h"

namespace woa::bench {

using namespace measure;

struct WireOptions {
  std::string provider = "tcp;ofi_rxm";
  std::vector<std::uint64_t> sizes{64 << 10, 1 << 20};  // bytes of a payload or a table
  std::uint32_t slots = 8;                              // payloads under way at once
  std::uint64_t count = 0;  // messages of a launch; 0: a number that suits the benchmark and the size
  std::uint64_t repetitions = 11;
};

// One way of `sizes` bytes (at most 192) between two pinned processes that poll, in ns: half a round trip. The limits
// are raw fi_writedata of the bare payload by a fabric that can only be polled, and by one with a descriptor to sleep
// on, as ours has. Ours sends a packet with the payload inline. kUnavailable: as make_ofi_transport(), or processors 0
// and 1 are not ours.
Result<Report> bench_wire_hop(const WireOptions& options);
// One direction, in GB/s: raw fi_writedata with a credit for each quarter of the slots; ours with blocks that come
// back. Neither touches the payload.
Result<Report> bench_wire_bandwidth(const WireOptions& options);

// Packets with `sizes` bytes inline (0: headers alone), one direction, in million a second, through rings of 64 and of
// 1024 slots. The limit is raw fi_writedata of as many bytes, or of 8, into as many slots.
Result<Report> bench_wire_rate(const WireOptions& options);
// RandomAccess for tables of `sizes` bytes, in GUP/s, beside buckets of numbers by raw fi_writedata. kInvalid: as
// bench_randomaccess().
Result<Report> bench_wire_randomaccess(const WireOptions& options);

}  // namespace woa::bench
