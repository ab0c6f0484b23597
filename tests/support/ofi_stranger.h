// A process that has found an endpoint of libfabric on this host and sends messages there, with which it has nothing in
// common: no secret, no key of any memory.
#pragma once

#include <rdma/fi_errno.h>
#include <rdma/fi_tagged.h>
#include <sys/socket.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/transport/ofi/fabric_objects.h"

namespace woa::test {

class OfiStranger {
 public:
  // `address`: of the endpoint, as libfabric says it.
  OfiStranger(ofi::FabricObjects objects, std::string address) : objects_(std::move(objects)) {
    address.resize(sizeof(sockaddr_storage));
    reached_ = fi_av_insert(objects_.addresses.get(), address.data(), 1, &peer_, 0, nullptr) == 1;
  }

  // Blocks until libfabric has taken the message, of `bytes` bytes, or give_up(). `number`: that comes with it. False:
  // it is refused.
  bool send(std::size_t bytes, bool tagged, std::uint64_t number = 0, std::uint64_t flags = 0) {
    if (bytes > text_.size()) throw std::invalid_argument("a stranger's message has at most 1 MiB");
    const iovec piece{text_.data(), bytes};
    const fi_msg plain{&piece, nullptr, 1, peer_, &context_, number};
    const fi_msg_tagged other{&piece, nullptr, 1, peer_, number, 0, &context_, number};
    ssize_t code = -FI_EAGAIN;
    while (reached_ && code == -FI_EAGAIN && !given_up_) {
      code = tagged ? fi_tsendmsg(objects_.endpoint.get(), &other, flags | FI_REMOTE_CQ_DATA)
                    : fi_sendmsg(objects_.endpoint.get(), &plain, flags | FI_REMOTE_CQ_DATA);
      if (code == -FI_EAGAIN) (void)look();
    }
    return code == 0;
  }
  // A last message; blocks until it has left this process.
  bool send_last() {
    if (!send(1, false, 0, FI_COMPLETION)) return false;
    ssize_t left = -FI_EAGAIN;
    while (left == -FI_EAGAIN) left = look();
    return left == 1;
  }
  // Any thread.
  void give_up() noexcept { given_up_ = true; }
  // Keeps libfabric going. The number of messages that were waited for and have left, or -FI_EAGAIN.
  ssize_t look() {
    fi_cq_data_entry entry;
    return fi_cq_read(objects_.completions.get(), &entry, 1);
  }

 private:
  std::vector<char> text_ = std::vector<char>(1 << 20, '?');  // libfabric reads it as long as the endpoint lives
  ofi::FabricObjects objects_;
  fi_addr_t peer_ = FI_ADDR_UNSPEC;
  bool reached_ = false;
  std::atomic<bool> given_up_{false};
  fi_context2 context_{};  // of all messages: tcp;ofi_rxm keeps nothing there
};

}  // namespace woa::test
