// Pipelines, fan-outs and exchanges by plain libfabric: fi_writedata into rooms of the receiver's memory.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/micro/sides.h"
#include "bench/peers/messenger.h"
#include "bench/peers/shapes.h"
#include "runtime/measure/memory.h"
#include "runtime/transport/ofi/fabric_objects.h"
#include "runtime/transport/ofi/registration.h"

namespace woa::bench {

using namespace measure;

// A fabric over the loopback interface, where the provider has network addresses. Errors as ofi::open_fabric().
inline Result<ofi::FabricObjects> open_loopback_fabric(const std::string& provider, ofi::Sleeping sleeping) {
  return ofi::open_fabric(provider, provider == "shm" ? "" : "127.0.0.1", sleeping);
}

// Senders get no credits: the rooms suffice for all that a side may send before it receives (Routing::rooms). Messages
// from one side to another must arrive in order; they do with tcp;ofi_rxm, and with shm if all have one size. Polls,
// and yields if nothing comes.
class FabricMessenger final : public Messenger {
 public:
  // Meets the other sides, over the loopback interface where the provider has addresses. `job`: a pipeline or a
  // fan-out. kUnavailable as ofi::open_fabric(); kPeerLost: another side is gone.
  static Result<std::shared_ptr<FabricMessenger>> open(const std::string& provider, const PeerArguments& job,
                                                       const Talk& talk);
  FabricMessenger(ofi::FabricObjects objects, Memory memory, const Routing& routing);

  // Registers a message outside the rooms when it is first sent; it must live as long as this object.
  Status send(std::span<const std::byte> message) override;
  Result<std::span<std::byte>> receive() override;
  Status settle() override;

 private:
  struct Target {
    fi_addr_t peer = FI_ADDR_UNSPEC;
    std::uint64_t base = 0, key = 0;
    Routing routing;  // its own
    std::uint64_t sent = 0;
    std::vector<fi_context2> contexts;  // by room: of the write that may still be under way
  };
  struct Source {
    std::span<const std::byte> memory;
    ofi::Registration registration;
  };

  Status meet(const std::string& provider, const PeerArguments& job, const Talk& talk);
  Result<void*> descriptor_of(std::span<const std::byte> message);
  template <class Write>
  Status post(const Write& write);
  void look();
  // Why no progress is made.
  [[nodiscard]] Status gone() const;

  std::vector<Target> targets_;
  fi_context2 last_context_{};
  ofi::FabricObjects objects_;  // goes before the contexts of its writes
  Memory memory_;               // the rooms
  Routing routing_;
  std::optional<ofi::Registration> registration_;  // of the rooms
  std::vector<Source> sources_;                    // go before the fabric
  std::vector<std::size_t> lengths_;               // by room: bytes of the message in it
  std::uint64_t come_ = 0, taken_ = 0;
  std::size_t leaving_ = 0;  // writes whose completion is awaited
  int error_ = 0;            // of libfabric; 0: none yet
};

}  // namespace woa::bench
