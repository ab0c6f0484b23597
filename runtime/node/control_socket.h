// One end of the socket between the host process and a node: whole protobuf messages, with file descriptors.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/status.h"
#include "runtime/base/unique_fd.h"

namespace google::protobuf {
class MessageLite;
}

namespace woa {

class ControlSocket {
 public:
  explicit ControlSocket(UniqueFd fd) : fd_(std::move(fd)) {}
  // Two connected ends, closed on exec. kExhausted: the limit of open files.
  static Result<std::pair<ControlSocket, ControlSocket>> pair();

  // Blocks until the message is handed over. kPeerLost: the other end is gone. kDeadlineExceeded: blocking is limited
  // (limit_blocking()), and the other end does nothing. `descriptors` stay the caller's.
  Status send(const google::protobuf::MessageLite& message, std::span<const int> descriptors = {});
  // Blocks for the next message. kPeerLost: the other end closed or died. kDeadlineExceeded: as for send(). kDataLoss:
  // not a message of that type. kExhausted: no room for the descriptors that came with it. Received descriptors are
  // appended to `descriptors` (and closed if it is null).
  Status receive(google::protobuf::MessageLite& message, std::vector<UniqueFd>* descriptors = nullptr);

  [[nodiscard]] int descriptor() const noexcept { return fd_.get(); }

 private:
  Status read_all(void* data, std::size_t bytes, std::vector<UniqueFd>* descriptors);
  UniqueFd fd_;
};

}  // namespace woa
