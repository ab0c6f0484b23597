// Opening a fabric: the chain of libfabric's objects from a provider's name to an endpoint that is ready.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include <memory>
#include <string>
#include <vector>

#include "runtime/base/status.h"

namespace woa::ofi {

// Owns one libfabric object.
struct CloseFabricObject {
  template <class Object>
  void operator()(Object* object) const noexcept {
    fi_close(&object->fid);
  }
};
template <class Object>
using Owned = std::unique_ptr<Object, CloseFabricObject>;

struct FreeInfo {
  void operator()(fi_info* info) const noexcept;
};

// Destroyed from the last to the first.
struct FabricObjects {
  std::unique_ptr<fi_info, FreeInfo> info;  // what the provider granted
  Owned<fid_fabric> fabric;
  Owned<fid_domain> domain;
  Owned<fid_av> addresses;
  Owned<fid_cq> completions;
  Owned<fid_ep> endpoint;
  int wait_descriptor = -1;  // readable when something may have arrived; -1: the provider has none, look again
  std::string address;       // of the endpoint, as peers insert it

  [[nodiscard]] bool granted(std::uint64_t mr_mode) const noexcept {
    return (static_cast<std::uint64_t>(info->domain_attr->mr_mode) & mr_mode) != 0;
  }
};

// Whether somebody may want to sleep until something arrives. Even while nobody does, a descriptor costs the tcp
// provider system calls for every arrival.
enum class Sleeping : bool { kNever, kOnDescriptor };

// `provider` as libfabric names it ("tcp;ofi_rxm"); `address` is the numeric one to listen on, empty for a provider
// without network addresses (shm). kUnavailable: no libfabric, no such provider here, or it lacks what is needed, with
// what it has. kExhausted: a limit on open files or memory. The first call of a process takes some 0.2 s: libfabric
// looks for every device it knows.
Result<FabricObjects> open_fabric(const std::string& provider, const std::string& address,
                                  Sleeping sleeping = Sleeping::kOnDescriptor);

}  // namespace woa::ofi
