// One endpoint of a fabric: writes into peers' memory, and what arrives from them.
//
// One lock around libfabric, so that providers need none of their own. Who finds it taken while looking for arrivals
// goes on: somebody else is looking.
#pragma once

#include <rdma/fi_rma.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "runtime/memory/pages.h"
#include "runtime/transport/doorbell.h"
#include "runtime/transport/ofi/fabric_objects.h"
#include "runtime/transport/ofi/mailbox.h"
#include "runtime/transport/ofi/registration.h"
#include "runtime/transport/ofi/strays.h"

namespace woa::ofi {

// What libfabric is given with a write and gives back if it failed. Lives as long as the fabric.
struct Operation {
  fi_context2 context{};
  std::uint32_t segment = 0;         // of this process, whose end wrote
  std::atomic<bool> leaving{false};  // write_last() took it, and it has not left
};

// Bytes of registered memory to write from.
struct Piece {
  const std::byte* at = nullptr;
  std::size_t bytes = 0;
  void* descriptor = nullptr;
};

// Where a write goes, and what comes with it.
struct Target {
  fi_addr_t peer = FI_ADDR_UNSPEC;
  std::uint64_t address = 0, key = 0;
  Immediate immediate;
};

enum class Post : std::uint8_t { kPosted, kBusy, kFailed };  // kBusy: try again later

// Counts since the fabric was opened.
struct FabricCounters {
  std::uint64_t writes = 0;    // calls of fi_writedata
  std::uint64_t gathered = 0;  // calls of fi_writemsg: one write of two pieces, or one whose end is waited for
  std::uint64_t injected = 0;  // of lines, which libfabric copies
  std::uint64_t refused = 0;   // calls that are to be made again (FI_EAGAIN)
  std::uint64_t arrived = 0;   // immediates
  std::uint64_t strays = 0;    // immediates that name no segment of this process
  std::uint64_t messages = 0;  // that strangers sent, thrown away
  std::uint64_t errors = 0;    // failed writes that libfabric reported later
  [[nodiscard]] std::uint64_t posted() const noexcept { return writes + gathered + injected; }
};

class Fabric {
 public:
  explicit Fabric(FabricObjects objects);
  // Waits until what write_last() wrote has left, a second at most.
  ~Fabric();
  Fabric(const Fabric&) = delete;
  Fabric& operator=(const Fabric&) = delete;

  // ---- at start; any thread
  // From now on messages are thrown away. Errors as Strays::open().
  Status discard_messages();
  Result<Registration> register_memory(std::span<std::byte> memory, RemoteAccess access = RemoteAccess::kWrite);
  void deregister(Registration registration);
  // Memory that was registered, and that writes may still come to: kept until the endpoint is closed.
  void keep(std::unique_ptr<Mapping> memory);
  // A peer by the address of its endpoint. kInvalid: the provider does not take it.
  Result<fi_addr_t> insert(std::string_view address);
  // The number that immediates will name `mailbox` by. kExhausted: no number is left.
  Result<std::uint32_t> add(Mailbox& mailbox);
  void remove(std::uint32_t segment) noexcept;
  Operation* make_operations(std::uint32_t segment, std::size_t count);
  template <class Action>
  void locked(Action&& action) {
    const std::lock_guard lock(mutex_);
    action();
  }

  // ---- any time; any thread. The pieces stay as they are until the peer has told that it read them.
  [[nodiscard]] Post write(const Piece& piece, const Target& target, Operation& operation) noexcept;
  [[nodiscard]] Post write(const Piece& header, const Piece& payload, const Target& target,
                           Operation& operation) noexcept;
  // A line, which may be used again at once where the provider takes its size so, and otherwise stays too.
  [[nodiscard]] Post write_line(const Piece& line, const Target& target, Operation& operation) noexcept;
  // As write(), and `operation` says when it has left: then all that was written to that peer before it has, too. The
  // fabric does not close before.
  [[nodiscard]] Post write_last(const Piece& piece, const Target& target, Operation& operation) noexcept;

  // Looks for arrivals and hands them to their mailboxes. `attending`: by a controller, who will look again soon.
  void progress(bool attending) noexcept;
  // Grows with every progress(): tells whether somebody else looked.
  [[nodiscard]] std::uint64_t looks() const noexcept { return looks_.load(std::memory_order_relaxed); }
  // A controller is here, and will look again soon.
  void attend() noexcept { attended_.store(true, std::memory_order_relaxed); }
  // True if a controller was here since the last call.
  bool take_attended() noexcept { return attended_.exchange(false); }
  // A descriptor to sleep on; kNoDescriptor; or kLookFirst: something has arrived already.
  static constexpr int kNoDescriptor = -1, kLookFirst = -2;
  [[nodiscard]] int prepare_wait() noexcept;

  [[nodiscard]] FabricCounters counters() const;
  [[nodiscard]] const FabricObjects& objects() const noexcept { return objects_; }
  // Do immediates carry the sequence?
  [[nodiscard]] bool wide() const noexcept { return objects_.info->domain_attr->cq_data_size >= 8; }

 private:
  [[nodiscard]] Post gather(std::span<const Piece> pieces, const Target& target, Operation& operation,
                            std::uint64_t flags, std::uint64_t& counter) noexcept;
  [[nodiscard]] Post outcome(ssize_t code, std::uint64_t& counter) noexcept;
  [[nodiscard]] bool is_message(const void* context) noexcept;
  void on_entry(const fi_cq_data_entry& entry, std::uint64_t now) noexcept;
  [[nodiscard]] bool on_error() noexcept;
  void has_left(Operation& operation) noexcept;

  FabricObjects objects_;
  mutable std::mutex mutex_;
  FabricCounters counters_;
  std::unique_ptr<Strays> strays_;                        // null until discard_messages()
  std::uint64_t leaving_ = 0;                             // of write_last()
  std::vector<Mailbox*> mailboxes_;                       // by number; null: free
  std::uint32_t next_segment_ = 0;                        // number to be given out next, modulo kSegments
  std::vector<std::unique_ptr<Operation[]>> operations_;  // kept until the endpoint is closed
  std::vector<std::size_t> operation_counts_;
  std::vector<std::unique_ptr<Mapping>> kept_;  // likewise
  alignas(64) std::atomic<std::uint64_t> looks_{0};
  std::atomic<bool> attended_{false};
};

}  // namespace woa::ofi
