// UCX as a peer (peer_program.h), over shared memory and polled. am: active messages; large ones are read from the
// sender's memory by a system call (CMA). put: one-sided writes of whole words into one buffer of the other process,
// which gets no notice and polls the last word. Nothing happens without progress, so a side waits for its own sends
// before it returns. Pipelines and fan-outs go by active messages (ucx_messenger.h).
#include <atomic>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "bench/micro/stream.h"
#include "bench/peers/peer_program.h"
#include "bench/peers/shapes.h"
#include "bench/peers/ucx_messenger.h"
#include "bench/peers/ucx_objects.h"
#include "runtime/base/scalar.h"

namespace woa::bench {
namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t);

class ActiveMessages {
 public:
  ActiveMessages(UcxLink link, const PeerArguments& job, bool first)
      : payload_(job.bytes, std::byte{1}),
        room_(job.bytes),
        first_(first),
        pending_(job.window),
        link_(std::move(link)) {}

  // Called before the other side sends. The link calls this object from then on.
  Status listen() {
    ucp_am_handler_param_t param{};
    param.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG;
    param.id = kId, param.cb = on_message, param.arg = this;
    return ucx_status("ucp_worker_set_am_recv_handler", ucp_worker_set_am_recv_handler(link_.worker.get(), &param));
  }
  Status hop(std::uint64_t round_trips) {
    for (std::uint64_t k = 0; k < round_trips; ++k) {
      WOA_RETURN_IF_ERROR(first_ ? send() : receive());
      WOA_RETURN_IF_ERROR(first_ ? receive() : send());
    }
    return pending_.wait(link_, 0);
  }
  Status stream(std::uint64_t messages) {
    for (std::uint64_t k = 0; k < messages; ++k) WOA_RETURN_IF_ERROR(first_ ? send() : receive());
    WOA_RETURN_IF_ERROR(first_ ? receive() : send(0));
    return pending_.wait(link_, 0);
  }

 private:
  static constexpr unsigned kId = 0;

  Status send() { return send(payload_.size()); }
  Status send(std::size_t bytes) {
    const ucs_status_ptr_t request =
        ucp_am_send_nbx(link_.endpoints[0].get(), kId, nullptr, 0, payload_.data(), bytes, &pending_.param());
    return pending_.add(link_, request);
  }
  Status receive() {
    ++expected_;
    WOA_RETURN_IF_ERROR(gone_unless(link_.progress_until([&] { return received_ >= expected_; })));
    return ucx_status("a rendezvous", failure_);
  }
  void take(ucs_status_t status, const void* data, std::size_t bytes) {
    if (status != UCS_OK) failure_ = status;
    touch_ends({static_cast<const std::byte*>(data), bytes});
    ++received_;
  }

  static ucs_status_t on_message(void* self, const void* /*header*/, std::size_t /*header_bytes*/, void* data,
                                 std::size_t bytes, const ucp_am_recv_param_t* param) {
    auto& side = *static_cast<ActiveMessages*>(self);
    if ((param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) == 0) {
      side.take(UCS_OK, data, bytes);
      return UCS_OK;
    }
    ucp_request_param_t how{};
    how.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
    how.user_data = self;
    how.cb.recv_am = [](void* request, ucs_status_t status, std::size_t length, void* user) {
      auto& waiting = *static_cast<ActiveMessages*>(user);
      waiting.take(status, waiting.room_.data(), length);
      ucp_request_free(request);
    };
    const ucs_status_ptr_t request =
        ucp_am_recv_data_nbx(side.link_.worker.get(), data, side.room_.data(), side.room_.size(), &how);
    if (!UCS_PTR_IS_PTR(request)) side.take(UCS_PTR_STATUS(request), side.room_.data(), bytes);
    return UCS_INPROGRESS;
  }

  std::vector<std::byte> payload_, room_;
  std::uint64_t expected_ = 0, received_ = 0;
  ucs_status_t failure_ = UCS_OK;
  bool first_;
  UcxPending pending_;
  UcxLink link_;  // ends before what its callbacks use
};

// Every message ends in a number that is one more than that of the message before.
class Puts {
 public:
  Puts(UcxLink link, UcxMemory memory, UcxMemory source, std::size_t bytes, std::size_t window, bool first)
      : bytes_(bytes),
        first_(first),
        pending_(window),
        link_(std::move(link)),
        memory_(std::move(memory)),
        source_(std::move(source)) {}

  // Exchanges the places to write to with the other process.
  Status meet(const Talk& talk) {
    WOA_ASSIGN_OR_RETURN(const auto key, memory_.key());
    const std::string address = talk.swap(std::to_string(reinterpret_cast<std::uintptr_t>(memory_.data())));
    const std::string there = talk.swap(key);
    WOA_RETURN_IF_ERROR(gone_unless(!address.empty() && !there.empty()));
    there_ = parse_digits(address).value_or(0);
    ucp_rkey_h unpacked = nullptr;
    WOA_RETURN_IF_ERROR(
        ucx_status("ucp_ep_rkey_unpack", ucp_ep_rkey_unpack(link_.endpoints[0].get(), there.data(), &unpacked)));
    key_.reset(unpacked);
    return {};
  }
  Status hop(std::uint64_t round_trips) {
    for (std::uint64_t k = 0; k < round_trips; ++k) {
      WOA_RETURN_IF_ERROR(first_ ? put() : wait(1));
      WOA_RETURN_IF_ERROR(first_ ? wait(1) : put());
    }
    return pending_.wait(link_, 0);
  }
  Status stream(std::uint64_t messages) {
    if (!first_) {
      WOA_RETURN_IF_ERROR(wait(messages));
      WOA_RETURN_IF_ERROR(put(kWord));
      return pending_.wait(link_, 0);
    }
    for (std::uint64_t k = 0; k < messages; ++k) WOA_RETURN_IF_ERROR(put());
    WOA_RETURN_IF_ERROR(pending_.wait(link_, 0));
    return wait(1);
  }

 private:
  [[nodiscard]] static std::atomic_ref<std::uint64_t> last_word(const UcxMemory& memory, std::size_t bytes) {
    return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(memory.data() + bytes - kWord));
  }
  Status put() { return put(bytes_); }
  // Writes the last `bytes` bytes.
  Status put(std::size_t bytes) {
    last_word(source_, bytes_).store(++sent_, std::memory_order_relaxed);
    const std::size_t skipped = bytes_ - bytes;
    return pending_.add(link_, ucp_put_nbx(link_.endpoints[0].get(), source_.data() + skipped, bytes, there_ + skipped,
                                           key_.get(), &pending_.param()));
  }
  // Waits until the number is the one expected; the time-out begins anew with each change.
  Status wait(std::uint64_t messages) {
    const auto last = last_word(memory_, bytes_);
    for (const std::uint64_t all = seen_ + messages; seen_ != all;) {
      const bool changed = link_.progress_until([&] {
        constexpr int kLooksPerProgress = 16;  // which only sends that are under way need
        for (int look = 0; look < kLooksPerProgress; ++look)
          if (last.load(std::memory_order_acquire) != seen_) return true;
        return false;
      });
      WOA_RETURN_IF_ERROR(gone_unless(changed));
      seen_ = last.load(std::memory_order_acquire);
    }
    return {};
  }

  std::size_t bytes_;
  bool first_;
  std::uint64_t sent_ = 0, seen_ = 0, there_ = 0;
  UcxPending pending_;
  UcxLink link_;
  UcxMemory memory_, source_;
  UcxOwned<ucp_rkey_h> key_;
};

Result<Side> open_puts(UcxLink link, const PeerArguments& job, const Talk& talk) {
  const std::size_t bytes = (job.bytes + kWord - 1) / kWord * kWord;
  WOA_ASSIGN_OR_RETURN(auto memory, UcxMemory::map(link.context.get(), bytes));
  WOA_ASSIGN_OR_RETURN(auto source, UcxMemory::map(link.context.get(), bytes));
  std::memset(memory.data(), 0, bytes), std::memset(source.data(), 0, bytes);
  auto puts =
      std::make_shared<Puts>(std::move(link), std::move(memory), std::move(source), bytes, job.window, talk.first());
  WOA_RETURN_IF_ERROR(puts->meet(talk));
  return Side([=, hop = job.shape == PeerArguments::Shape::kHop](std::uint64_t count) {
    return hop ? puts->hop(count) : puts->stream(count);
  });
}

Result<Side> open_messages(UcxLink link, const PeerArguments& job, const Talk& talk) {
  auto messages = std::make_shared<ActiveMessages>(std::move(link), job, talk.first());
  WOA_RETURN_IF_ERROR(messages->listen());
  WOA_RETURN_IF_ERROR(gone_unless(!talk.swap("listening").empty()));
  return Side([=, hop = job.shape == PeerArguments::Shape::kHop](std::uint64_t count) {
    return hop ? messages->hop(count) : messages->stream(count);
  });
}

Result<Side> open_shape(UcxLink link, const PeerArguments& job, const Talk& talk, const Routing& routing) {
  auto messenger = std::make_shared<UcxMessenger>(std::move(link), routing, job.window);
  WOA_RETURN_IF_ERROR(messenger->listen());
  WOA_RETURN_IF_ERROR(gone_unless(!talk.gather("listening").empty()));
  return side_of(job, talk.number(), std::move(messenger));
}

Result<Side> open(const PeerArguments& job, const Talk& talk) {
  const bool pair = job.shape == PeerArguments::Shape::kHop || job.shape == PeerArguments::Shape::kStream;
  if (!pair && job.way == "put") return {Code::kInvalid, "put: a hop or a stream only, since nobody is told"};
  const Routing routing = pair ? Routing{{talk.first() ? 1U : 0U}} : routing_of(job, talk.number());
  WOA_ASSIGN_OR_RETURN(auto link, UcxLink::open(talk, routing.targets));
  link.yields = !pair;
  if (!pair) return open_shape(std::move(link), job, talk, routing);
  return job.way == "put" ? open_puts(std::move(link), job, talk) : open_messages(std::move(link), job, talk);
}

}  // namespace
}  // namespace woa::bench

int main(int count, char** arguments) {
  return woa::bench::run_peer({arguments, static_cast<std::size_t>(count)}, "am|put", woa::bench::open);
}
