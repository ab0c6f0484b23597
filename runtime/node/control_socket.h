// One end of the socket between the host process and a node: whole messages (runtime/plan/message.h), with file
// descriptors.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/status.h"
#include "runtime/base/unique_fd.h"
#include "runtime/plan/message.h"

namespace woa {

class ControlSocket {
 public:
  explicit ControlSocket(UniqueFd fd) : fd_(std::move(fd)) {}
  // Two connected ends, closed on exec. kExhausted: the limit of open files.
  static Result<std::pair<ControlSocket, ControlSocket>> pair();

  // Blocks until the message is handed over. kPeerLost: the other end is gone. kDeadlineExceeded: blocking is limited
  // (limit_blocking()), and the other end does nothing. `descriptors` stay the caller's.
  template <class Message>
  Status send(const Message& message, std::span<const int> descriptors = {}) {
    return send_bytes(message::encode(message), descriptors);
  }
  // Blocks for the next message. kPeerLost: the other end closed or died. kDeadlineExceeded: as for send(). kDataLoss:
  // not a message of that type. kExhausted: no room for the descriptors that came with it. Received descriptors are
  // appended to `descriptors` (and closed if it is null).
  template <class Message>
  Status receive(Message& message, std::vector<UniqueFd>* descriptors = nullptr) {
    const Result<std::string> bytes = receive_bytes(descriptors);
    if (!bytes.ok()) return bytes.status();
    if (!message::decode(*bytes, message)) return {Code::kDataLoss, "a control message could not be read"};
    return {};
  }

  [[nodiscard]] int descriptor() const noexcept { return fd_.get(); }

 private:
  Status send_bytes(const std::string& bytes, std::span<const int> descriptors);
  Result<std::string> receive_bytes(std::vector<UniqueFd>* descriptors);
  Status read_all(void* data, std::size_t bytes, std::vector<UniqueFd>* descriptors);
  UniqueFd fd_;
};

}  // namespace woa
