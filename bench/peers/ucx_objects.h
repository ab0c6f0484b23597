// A UCX context, worker and endpoint that end when they go out of scope.
#pragma once

#include <ucp/api/ucp.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "bench/micro/two_sides.h"
#include "runtime/base/clock.h"

namespace woa::bench {

// kUnavailable unless `status` is UCS_OK.
Status ucx_status(const char* call, ucs_status_t status);

struct UcxDelete {
  void operator()(ucp_context_h context) const { ucp_cleanup(context); }
  void operator()(ucp_worker_h worker) const { ucp_worker_destroy(worker); }
  void operator()(ucp_ep_h endpoint) const;  // at once: both sides have done with each other
  void operator()(ucp_rkey_h key) const { ucp_rkey_destroy(key); }
};
template <class Handle>
using UcxOwned = std::unique_ptr<std::remove_pointer_t<Handle>, UcxDelete>;

// The way to the other process through shared memory. One thread, which must call progress() for anything to happen.
struct UcxLink {
  UcxOwned<ucp_context_h> context;
  UcxOwned<ucp_worker_h> worker;
  UcxOwned<ucp_ep_h> endpoint;

  // kUnavailable: UCX cannot do it here. kPeerLost: the other process is gone.
  static Result<UcxLink> open(const Talk& talk);

  // Polls until `ready`. False after ten seconds in vain: the other process is gone.
  template <class Ready>
  [[nodiscard]] bool progress_until(Ready&& ready) const {
    constexpr std::uint32_t kPollsPerLook = 1U << 16;  // at the clock, which is slower than a poll
    constexpr std::uint64_t kPatience_ns = 10'000'000'000;
    std::uint64_t deadline_ns = 0;
    for (std::uint32_t polls = 1; !ready(); ++polls) {
      ucp_worker_progress(worker.get());
      if (polls % kPollsPerLook != 0) continue;
      if (deadline_ns == 0) deadline_ns = now_ns() + kPatience_ns;
      if (now_ns() > deadline_ns) return false;
    }
    return true;
  }
};

// Memory of this process that the other one can write to.
class UcxMemory {
 public:
  // kExhausted: there is not so much.
  static Result<UcxMemory> map(ucp_context_h context, std::size_t bytes);
  UcxMemory(UcxMemory&& other) noexcept;
  UcxMemory& operator=(UcxMemory&&) = delete;
  ~UcxMemory();

  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  // What the other process needs in order to write to it.
  [[nodiscard]] Result<std::string> key() const;

 private:
  UcxMemory(ucp_context_h context, ucp_mem_h handle) : context_(context), handle_(handle) {}
  ucp_context_h context_;
  ucp_mem_h handle_;
  std::byte* data_ = nullptr;
};

}  // namespace woa::bench
