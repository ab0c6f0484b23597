// Pipelines and fan-outs by gRPC: a caller that has a connection to each worker and calls them asynchronously.
#pragma once

#include <grpcpp/grpcpp.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/peers/echo.grpc.pb.h"
#include "bench/peers/messenger.h"
#include "bench/peers/shapes.h"

namespace woa::bench {

// kPeerLost unless it is ok; kDataLoss where a worker says so.
Status grpc_status(const grpc::Status& status);

// In a process of its own; called by one thread at a time in a fan-out, which has one payload under way.
class WorkerService final : public Worker::Service {
 public:
  // `number`: of its side.
  WorkerService(const PeerArguments& job, std::size_t number);
  grpc::Status Work(grpc::ServerContext* context, const Blob* in, Blob* out) override;

 private:
  std::optional<Payloads> payloads_;  // of a consumer; none: of a worker
  std::uint64_t taken_ = 0;
};

// The first side of a pipeline, by way of a hub: it calls the first worker, gives what comes back to the second, and so
// on. Of a fan-out: it calls all at once.
class GrpcHub final : public Messenger {
 public:
  // Channels to the workers.
  GrpcHub(const PeerArguments& job, const std::vector<std::shared_ptr<grpc::Channel>>& workers);
  GrpcHub(const GrpcHub&) = delete;
  GrpcHub& operator=(const GrpcHub&) = delete;
  ~GrpcHub() override;  // no call is under way, or their answers are not wanted any more

  Status send(std::span<const std::byte> message) override;
  Result<std::span<std::byte>> receive() override;
  Status settle() override { return {}; }  // requests have been copied

 private:
  struct Call {
    std::size_t worker = 0;
    bool through = false;
    Blob answer;
    std::optional<grpc::ClientContext> context;
    grpc::Status status;
    std::unique_ptr<grpc::ClientAsyncResponseReader<Blob>> reader;
  };
  // Of request_, which is copied.
  void start(Call& call, std::size_t worker);
  // Until one more call has ended.
  Status look();

  bool pipeline_;
  std::vector<std::unique_ptr<Worker::Stub>> workers_;
  std::deque<Call> calls_;  // of a pipeline: an item each, in turns; of a fan-out: a worker each
  std::size_t sent_ = 0, received_ = 0;
  Blob request_;
  grpc::CompletionQueue ended_;
};

}  // namespace woa::bench
