// ZeroMQ as a peer (peer_program.h): sockets over ipc://, a pair of them between two processes, otherwise as
// zeromq_messenger.h says. Its threads for input and output run on the processor of their process.
#include <unistd.h>
#include <zmq.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "bench/micro/stream.h"
#include "bench/peers/peer_program.h"
#include "bench/peers/shapes.h"
#include "bench/peers/zeromq_messenger.h"

namespace woa::bench {
namespace {

class Pair {
 public:
  explicit Pair(std::size_t bytes) : payload_(bytes, std::byte{1}) {}

  Status open(const std::string& address, bool first) {
    constexpr std::size_t kMostBytes = 32 << 20, kFewest = 1, kMost = 10'000;  // in a queue, of which there are two
    const auto most = static_cast<int>(std::clamp(kMostBytes / payload_.size(), kFewest, kMost));
    constexpr int kPatience_ms = 10'000;
    for (const auto& [option, value] : {std::pair{ZMQ_SNDHWM, most},
                                        {ZMQ_RCVHWM, most},
                                        {ZMQ_SNDTIMEO, kPatience_ms},
                                        {ZMQ_RCVTIMEO, kPatience_ms},
                                        {ZMQ_LINGER, kPatience_ms}})
      if (zmq_setsockopt(socket_.get(), option, &value, sizeof value) != 0) return zeromq_failed("zmq_setsockopt");
    const int there = first ? zmq_bind(socket_.get(), address.c_str()) : zmq_connect(socket_.get(), address.c_str());
    return there == 0 ? Status() : zeromq_failed(address);
  }
  Status send() { return send(payload_.size()); }
  Status acknowledge() { return send(0); }
  Status receive() {
    zmq_msg_t message;
    zmq_msg_init(&message);
    const int bytes = zmq_msg_recv(&message, socket_.get(), 0);
    if (bytes >= 0)
      touch_ends({static_cast<const std::byte*>(zmq_msg_data(&message)), static_cast<std::size_t>(bytes)});
    zmq_msg_close(&message);
    return bytes >= 0 ? Status() : zeromq_failed("zmq_msg_recv");
  }

 private:
  Status send(std::size_t bytes) {
    const bool sent = zmq_send(socket_.get(), payload_.data(), bytes, 0) >= 0;
    return sent ? Status() : zeromq_failed("zmq_send");
  }

  ZeromqContext context_{zmq_ctx_new()};
  ZeromqSocket socket_{zmq_socket(context_.get(), ZMQ_PAIR)};
  std::vector<std::byte> payload_;
};

Status hop(Pair& pair, bool first, std::uint64_t round_trips) {
  for (std::uint64_t k = 0; k < round_trips; ++k) {
    WOA_RETURN_IF_ERROR(first ? pair.send() : pair.receive());
    WOA_RETURN_IF_ERROR(first ? pair.receive() : pair.send());
  }
  return {};
}

Status stream(Pair& pair, bool first, std::uint64_t messages) {
  for (std::uint64_t k = 0; k < messages; ++k) WOA_RETURN_IF_ERROR(first ? pair.send() : pair.receive());
  return first ? pair.receive() : pair.acknowledge();
}

Result<Side> open_pair(const PeerArguments& job, const Talk& talk) {
  auto pair = std::make_shared<Pair>(job.bytes);
  // A name without a file, from a process that both know: the first one.
  const auto processes = talk.gather(std::to_string(::getpid()));
  WOA_RETURN_IF_ERROR(gone_unless(!processes.empty()));
  WOA_RETURN_IF_ERROR(pair->open("ipc://@woa-peer-" + processes[0], talk.first()));
  return Side([=, shape = job.shape, first = talk.first()](std::uint64_t count) {
    return shape == PeerArguments::Shape::kHop ? hop(*pair, first, count) : stream(*pair, first, count);
  });
}

Result<Side> open(const PeerArguments& job, const Talk& talk) {
  if (job.shape == PeerArguments::Shape::kHop || job.shape == PeerArguments::Shape::kStream)
    return open_pair(job, talk);
  auto messenger = ZeromqMessenger::open(job, talk);
  if (!messenger.ok()) return messenger.status();
  return side_of(job, talk.number(), std::move(*messenger));
}

}  // namespace
}  // namespace woa::bench

int main(int count, char** arguments) {
  return woa::bench::run_peer({arguments, static_cast<std::size_t>(count)}, "sockets", woa::bench::open);
}
