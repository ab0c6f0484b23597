// Receives that throw messages away.
//
// This transport only writes into memory. A provider nevertheless takes messages from whoever finds its endpoint, and
// keeps those that no receive waits for, as many as come. So receives wait for them all.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>

#include "runtime/memory/pages.h"
#include "runtime/transport/ofi/fabric_objects.h"
#include "runtime/transport/ofi/registration.h"

namespace woa::ofi {

// The fabric's lock is around every call. Lives longer than the endpoint.
class Strays {
 public:
  // The receives wait from now on. kExhausted: no memory for them. kUnavailable: the provider takes none.
  static Result<std::unique_ptr<Strays>> open(const FabricObjects& objects);
  Strays(const Strays&) = delete;
  Strays& operator=(const Strays&) = delete;

  // True if `context` is that of a receive, which has thus taken a message or failed: it waits again.
  bool take(const void* context) noexcept;
  // Receives that the provider had no room for wait, too, if it has now.
  void retry() noexcept;

 private:
  // More than libfabric's ofi_rxm, which hands on at most 32 messages at once, can match before the next look.
  static constexpr std::size_t kReceives = 64;  // of either kind
  enum class Kind : bool { kPlain, kTagged };
  struct Receive {
    fi_context2 context{};
    Kind kind = Kind::kPlain;
    bool waits = false;
  };

  Strays(fid_ep* endpoint, std::unique_ptr<Mapping> scratch) : endpoint_(endpoint), scratch_(std::move(scratch)) {}
  // 0, or libfabric's negative error.
  ssize_t post(Receive& receive) noexcept;

  fid_ep* endpoint_;
  std::unique_ptr<Mapping> scratch_;  // what is thrown away; all receives share it
  std::optional<Registration> registration_;
  std::array<Receive, 2 * kReceives> receives_;
  std::size_t idle_ = 2 * kReceives;  // do not wait
};

}  // namespace woa::ofi
