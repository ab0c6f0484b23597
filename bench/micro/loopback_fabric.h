// A fabric between the processes of a benchmark.
#pragma once

#include <string>

#include "runtime/transport/ofi/fabric_objects.h"

namespace woa::bench {

// Over the loopback interface, where the provider has network addresses. Errors as ofi::open_fabric().
inline Result<ofi::FabricObjects> open_loopback_fabric(const std::string& provider, ofi::Sleeping sleeping) {
  return ofi::open_fabric(provider, provider == "shm" ? "" : "127.0.0.1", sleeping);
}

}  // namespace woa::bench
