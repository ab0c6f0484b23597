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

// kPeerLost unless the call succeeded; kDataLoss where a worker says so.
Status grpc_status(const grpc::Status& status);

// Runs in a worker's process. In a fan-out, with one payload under way, one thread at a time calls it.
class WorkerService final : public Worker::Service {
 public:
  // `number`: the worker's side.
  WorkerService(const PeerArguments& job, std::size_t number);
  grpc::Status Work(grpc::ServerContext* context, const Blob* in, Blob* out) override;

 private:
  std::optional<Payloads> payloads_;  // of a consumer; a pipeline's worker has none
  std::uint64_t taken_ = 0;
};

// The first side. In a pipeline it is the hub: it calls the first worker, gives the answer to the second, and so on. In
// a fan-out it calls all workers at once.
class GrpcHub final : public Messenger {
 public:
  // `workers`: a channel to each.
  GrpcHub(const PeerArguments& job, const std::vector<std::shared_ptr<grpc::Channel>>& workers);
  GrpcHub(const GrpcHub&) = delete;
  GrpcHub& operator=(const GrpcHub&) = delete;
  ~GrpcHub() override;  // cancels the calls under way, whose answers are not wanted any more

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
  // Calls a worker with request_, which gRPC copies.
  void start(Call& call, std::size_t worker);
  // Waits until one more call has ended.
  Status look();

  bool pipeline_;
  std::vector<std::unique_ptr<Worker::Stub>> workers_;
  std::deque<Call> calls_;  // in a pipeline one per item, used in turn; in a fan-out one per worker
  std::size_t sent_ = 0, received_ = 0;
  Blob request_;
  grpc::CompletionQueue ended_;
};

}  // namespace woa::bench
