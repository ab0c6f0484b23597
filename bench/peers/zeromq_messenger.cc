#include "bench/peers/zeromq_messenger.h"

#include <unistd.h>

#include <array>

namespace woa::bench {
namespace {

// Names of a process, without a file.
std::string inbox_of(const std::string& process) { return "ipc://@woa-peer-in-" + process; }
std::string publisher_of(const std::string& process) { return "ipc://@woa-peer-all-" + process; }

Status set(const ZeromqSocket& socket, int option, int value) {
  return zmq_setsockopt(socket.get(), option, &value, sizeof value) == 0 ? Status() : zeromq_failed("zmq_setsockopt");
}

Status bind_to(const ZeromqSocket& socket, const std::string& address) {
  return zmq_bind(socket.get(), address.c_str()) == 0 ? Status() : zeromq_failed(address);
}

Status connect_to(const ZeromqSocket& socket, const std::string& address) {
  return zmq_connect(socket.get(), address.c_str()) == 0 ? Status() : zeromq_failed(address);
}

// Waits until every consumer has subscribed: messages published earlier would not reach it. `publisher` reports each
// subscription.
Status await_subscriptions(const ZeromqSocket& publisher, std::size_t consumers) {
  for (std::size_t k = 0; k < consumers; ++k) {
    std::array<std::byte, 1> subscribed;
    if (zmq_recv(publisher.get(), subscribed.data(), subscribed.size(), 0) < 0) return zeromq_failed("a subscription");
  }
  return {};
}

}  // namespace

Status zeromq_failed(const std::string& what) { return {Code::kPeerLost, what + ": " + zmq_strerror(zmq_errno())}; }

Result<std::shared_ptr<ZeromqMessenger>> ZeromqMessenger::open(const PeerArguments& job, const Talk& talk) {
  const std::shared_ptr<ZeromqMessenger> messenger(new ZeromqMessenger);
  const std::string own = std::to_string(::getpid());
  const bool fanout = job.shape == PeerArguments::Shape::kFanout, publishes = fanout && talk.first();
  const bool subscribes = fanout && !talk.first();
  WOA_RETURN_IF_ERROR(messenger->make(messenger->in_, subscribes ? ZMQ_SUB : ZMQ_PULL));
  WOA_RETURN_IF_ERROR(messenger->make(messenger->out_, publishes ? ZMQ_XPUB : ZMQ_PUSH));
  if (!subscribes) WOA_RETURN_IF_ERROR(bind_to(messenger->in_, inbox_of(own)));
  if (publishes) {
    WOA_RETURN_IF_ERROR(set(messenger->out_, ZMQ_XPUB_VERBOSE, 1));  // repeated subscriptions, too
    WOA_RETURN_IF_ERROR(bind_to(messenger->out_, publisher_of(own)));
  }
  const auto names = talk.gather(own);  // of the sides, which are all bound by now
  WOA_RETURN_IF_ERROR(gone_unless(!names.empty()));
  if (publishes) {
    WOA_RETURN_IF_ERROR(await_subscriptions(messenger->out_, names.size() - 1));
    return messenger;
  }
  WOA_RETURN_IF_ERROR(connect_to(messenger->out_, inbox_of(names[routing_of(job, talk.number()).targets[0]])));
  if (!subscribes) return messenger;
  if (zmq_setsockopt(messenger->in_.get(), ZMQ_SUBSCRIBE, "", 0) != 0) return zeromq_failed("ZMQ_SUBSCRIBE");
  WOA_RETURN_IF_ERROR(connect_to(messenger->in_, publisher_of(names[0])));
  return messenger;
}

// Queues have no limit: the window limits them.
Status ZeromqMessenger::make(ZeromqSocket& socket, int type) {
  socket.reset(zmq_socket(context_.get(), type));
  constexpr int kUnlimited = 0, kPatience_ms = 10'000;
  for (const auto& [option, value] : {std::pair{ZMQ_SNDHWM, kUnlimited},
                                      {ZMQ_RCVHWM, kUnlimited},
                                      {ZMQ_SNDTIMEO, kPatience_ms},
                                      {ZMQ_RCVTIMEO, kPatience_ms},
                                      {ZMQ_LINGER, kPatience_ms}})
    WOA_RETURN_IF_ERROR(set(socket, option, value));
  return {};
}

Status ZeromqMessenger::send(std::span<const std::byte> message) {
  const bool held = !message.empty() && message.data() == zmq_msg_data(&held_);
  const int sent = held ? zmq_msg_send(&held_, out_.get(), 0) : zmq_send(out_.get(), message.data(), message.size(), 0);
  return sent >= 0 ? Status() : zeromq_failed("a send");
}

Result<std::span<std::byte>> ZeromqMessenger::receive() {
  if (zmq_msg_recv(&held_, in_.get(), 0) < 0) return zeromq_failed("zmq_msg_recv");
  return std::span(static_cast<std::byte*>(zmq_msg_data(&held_)), zmq_msg_size(&held_));
}

}  // namespace woa::bench
