// Any bytes as an xclbin: parsed or refused with a reason, and what is parsed lies within its own tables.
#include <cstdint>
#include <cstdlib>
#include <span>

#include "controllers/fpga/xrt/xclbin.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const woa::Result<woa::Xclbin> xclbin = woa::parse_xclbin(std::as_bytes(std::span(data, size)));
  if (!xclbin.ok()) {
    if (xclbin.status().message().empty()) std::abort();
    return 0;
  }
  for (const woa::Xclbin::Connection& connection : xclbin->connections)
    if (connection.unit >= xclbin->units.size() || connection.bank >= xclbin->banks.size()) std::abort();
  if (const woa::Status fits = woa::check_node(*xclbin); fits.ok()) {
    if (!xclbin->node || xclbin->units_of("woa_wact").empty()) std::abort();
  } else if (fits.message().empty()) {
    std::abort();
  }
  return 0;
}
