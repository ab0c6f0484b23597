// A UCX context, worker and endpoints that end when they go out of scope, and sends under way.
#pragma once

#include <ucp/api/ucp.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bench/micro/sides.h"
#include "runtime/base/clock.h"
#include "runtime/measure/spin.h"

namespace woa::bench {

using namespace measure;

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

// The ways to other processes through shared memory. One thread, which must call progress() for anything to happen.
struct UcxLink {
  UcxOwned<ucp_context_h> context;
  UcxOwned<ucp_worker_h> worker;
  std::vector<UcxOwned<ucp_ep_h>> endpoints;  // to each of the targets
  bool yields = false;                        // polls, and yields to others on its processor

  // Connects to sides by their number. kUnavailable: UCX cannot do it here. kPeerLost: another process is gone.
  static Result<UcxLink> open(const Talk& talk, std::span<const std::size_t> targets);

  // Polls until `ready`. False after ten seconds in vain: another process is gone.
  template <class Ready>
  [[nodiscard]] bool progress_until(Ready&& ready) const {
    constexpr std::uint32_t kPollsPerLook = 1U << 16;  // at the clock, which is slower than a poll
    constexpr std::uint64_t kPatience_ns = 10'000'000'000;
    std::uint64_t deadline_ns = 0;
    if (yields) return yield_until([&] { return ucp_worker_progress(worker.get()), ready(); });
    for (std::uint32_t polls = 1; !ready(); ++polls) {
      ucp_worker_progress(worker.get());
      if (polls % kPollsPerLook != 0) continue;
      if (deadline_ns == 0) deadline_ns = now_ns() + kPatience_ns;
      if (now_ns() > deadline_ns) return false;
    }
    return true;
  }
};

// Sends that did not complete at once. Not movable: UCX keeps its address.
class UcxPending {
 public:
  explicit UcxPending(std::uint64_t most);  // sends under way
  UcxPending(const UcxPending&) = delete;
  UcxPending& operator=(const UcxPending&) = delete;

  [[nodiscard]] ucp_request_param_t& param() { return param_; }
  // `request`: the return value of the call with param(). Waits while too many are under way.
  Status add(const UcxLink& link, ucs_status_ptr_t request);
  // Waits until at most `most` are under way. kUnavailable: one failed. kPeerLost: none ends.
  Status wait(const UcxLink& link, std::uint64_t most);

 private:
  void complete(ucs_status_t status);

  ucp_request_param_t param_{};
  std::uint64_t most_, under_way_ = 0;
  ucs_status_t failure_ = UCS_OK;
};

// Memory of this process that the other one can write to.
class UcxMemory {
 public:
  // kExhausted: the system lacks the memory.
  static Result<UcxMemory> map(ucp_context_h context, std::size_t bytes);
  UcxMemory(UcxMemory&& other) noexcept;
  UcxMemory& operator=(UcxMemory&&) = delete;
  ~UcxMemory();

  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  // The key that lets the other process write to it.
  [[nodiscard]] Result<std::string> key() const;

 private:
  UcxMemory(ucp_context_h context, ucp_mem_h handle) : context_(context), handle_(handle) {}
  ucp_context_h context_;
  ucp_mem_h handle_;
  std::byte* data_ = nullptr;
};

}  // namespace woa::bench
