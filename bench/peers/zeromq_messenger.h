// Pipelines and fan-outs by ZeroMQ's sockets, over ipc://.
#pragma once

#include <zmq.h>

#include <memory>
#include <string>
#include <vector>

#include "bench/micro/sides.h"
#include "bench/peers/messenger.h"
#include "bench/peers/shapes.h"

namespace woa::bench {

// kPeerLost with ZeroMQ's message of its last failure.
Status zeromq_failed(const std::string& what);

struct ZeromqDelete {
  void operator()(void* socket) const { zmq_close(socket); }
};
using ZeromqSocket = std::unique_ptr<void, ZeromqDelete>;
struct ZeromqEnd {
  void operator()(void* context) const { zmq_ctx_term(context); }
};
using ZeromqContext = std::unique_ptr<void, ZeromqEnd>;

// A pipeline pushes from side to side. The source of a fan-out publishes to its consumers, which push their answers.
class ZeromqMessenger final : public Messenger {
 public:
  // Meets the other sides. kPeerLost: one is gone, or ZeroMQ refused.
  static Result<std::shared_ptr<ZeromqMessenger>> open(const PeerArguments& job, const Talk& talk);
  ZeromqMessenger(const ZeromqMessenger&) = delete;
  ZeromqMessenger& operator=(const ZeromqMessenger&) = delete;
  ~ZeromqMessenger() override { zmq_msg_close(&held_); }

  // Sends the message that was received last without a copy; copies any other.
  Status send(std::span<const std::byte> message) override;
  Result<std::span<std::byte>> receive() override;
  Status settle() override { return {}; }  // nothing of the caller's is held

 private:
  ZeromqMessenger() { zmq_msg_init(&held_); }
  Status make(ZeromqSocket& socket, int type);

  ZeromqContext context_{zmq_ctx_new()};
  ZeromqSocket in_, out_;
  zmq_msg_t held_;
};

}  // namespace woa::bench
