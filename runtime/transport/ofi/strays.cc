#include "runtime/transport/ofi/strays.h"

#include <rdma/fi_errno.h>
#include <rdma/fi_tagged.h>

#include "runtime/transport/ofi/library.h"

namespace woa::ofi {
namespace {

// A message that is cut off costs an error. ofi_rxm sends up to 128 KiB in pieces, and fetches a larger one.
constexpr std::size_t kScratchBytes = 256 << 10;
constexpr std::uint64_t kAnyTag = ~std::uint64_t{0};

}  // namespace

Result<std::unique_ptr<Strays>> Strays::open(const FabricObjects& objects) {
  auto scratch = map_pages(-1, kScratchBytes, Access::kReadWrite);
  if (!scratch.ok()) return scratch.status().with_context("ofi: memory for messages of strangers");
  std::unique_ptr<Strays> strays(new Strays(objects.endpoint.get(), std::move(*scratch)));
  if (objects.granted(FI_MR_LOCAL)) {
    auto registration = Registration::make(objects, strays->scratch_->bytes(), RemoteAccess::kMessages);
    if (!registration.ok()) return registration.status();
    strays->registration_ = std::move(*registration);
  }
  for (std::size_t k = 0; k < strays->receives_.size(); ++k) {
    Receive& receive = strays->receives_[k];
    receive.kind = k < kReceives ? Kind::kPlain : Kind::kTagged;
    if (const ssize_t code = strays->post(receive); code != 0 && code != -FI_EAGAIN)
      return fabric_failure(Code::kUnavailable, "ofi: the provider takes no receive: fi_recvmsg",
                            static_cast<int>(-code), "choose another provider");
  }
  return strays;
}

ssize_t Strays::post(Receive& receive) noexcept {
  const iovec scratch{scratch_->bytes().data(), scratch_->bytes().size()};
  void* descriptor = registration_ ? registration_->descriptor() : nullptr;
  ssize_t code = 0;
  if (receive.kind == Kind::kPlain) {
    const fi_msg message{&scratch, &descriptor, 1, FI_ADDR_UNSPEC, &receive.context, 0};
    code = fi_recvmsg(endpoint_, &message, FI_COMPLETION);
  } else {
    const fi_msg_tagged message{&scratch, &descriptor, 1, FI_ADDR_UNSPEC, 0, kAnyTag, &receive.context, 0};
    code = fi_trecvmsg(endpoint_, &message, FI_COMPLETION);
  }
  receive.waits = code == 0;
  if (receive.waits) --idle_;
  return code;
}

bool Strays::take(const void* context) noexcept {
  const auto* at = static_cast<const std::byte*>(context);
  const auto* first = reinterpret_cast<const std::byte*>(receives_.data());
  if (at < first || at >= first + sizeof receives_) return false;
  Receive& receive = receives_[static_cast<std::size_t>(at - first) / sizeof(Receive)];
  receive.waits = false;
  ++idle_;
  (void)post(receive);  // else retry() does
  return true;
}

void Strays::retry() noexcept {
  if (idle_ == 0) return;
  for (Receive& receive : receives_)
    if (!receive.waits) (void)post(receive);
}

}  // namespace woa::ofi
