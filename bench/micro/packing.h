// A packed message's two ways between hosts, by the size of its piece: through blocks, and by rendezvous.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/base/status.h"
#include "runtime/measure/report.h"

namespace woa::bench {

using namespace measure;

struct PackingOptions {
  std::string provider = "tcp;ofi_rxm";
  std::vector<std::uint64_t> sizes{64 << 10, 128 << 10, 256 << 10, 512 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20};
  std::uint32_t block_bytes = 64 << 10;  // of the link, a multiple of 64
  std::uint64_t count = 0;               // messages of a launch; 0: as many as make 256 MiB, 4 to 2,000
  std::uint64_t repetitions = 11;
};

// One direction between two pinned processes over the loopback interface, in GB/s: messages of one *cheaper* piece,
// which is packed from one place and unpacked to one place. The limit is raw fi_writedata of as many bytes, which
// nobody copies anywhere. Errors: kUnavailable as make_ofi_transport(), or processors 0 and 1 are not ours; kInvalid as
// packing::allocate_link().
Result<Report> bench_packing(const PackingOptions& options);

}  // namespace woa::bench
