#include "bench/peers/grpc_hub.h"

#include <chrono>
#include <utility>

namespace woa::bench {
namespace {

constexpr std::chrono::seconds kPatience{50};  // with a call

std::span<std::byte> bytes_of(std::string& data) { return std::as_writable_bytes(std::span(data)); }

}  // namespace

Status grpc_status(const grpc::Status& status) {
  if (status.ok()) return {};
  const bool damaged = status.error_code() == grpc::StatusCode::DATA_LOSS;
  return {damaged ? Code::kDataLoss : Code::kPeerLost, "gRPC: " + status.error_message()};
}

WorkerService::WorkerService(const PeerArguments& job, std::size_t number) {
  if (job.shape == PeerArguments::Shape::kFanout && number != 0) payloads_.emplace(job);
}

grpc::Status WorkerService::Work(grpc::ServerContext* /*context*/, const Blob* in, Blob* out) {
  if (payloads_) {
    const Status whole = payloads_->check(taken_++, std::as_bytes(std::span(in->data())), 0);
    return whole.ok() ? grpc::Status::OK : grpc::Status(grpc::StatusCode::DATA_LOSS, whole.message());
  }
  if (in->data().empty()) return {grpc::StatusCode::DATA_LOSS, "a worker got an empty item"};
  out->set_data(in->data());
  add_one(bytes_of(*out->mutable_data()));
  return grpc::Status::OK;
}

GrpcHub::GrpcHub(const PeerArguments& job, const std::vector<std::shared_ptr<grpc::Channel>>& workers)
    : pipeline_(job.shape == PeerArguments::Shape::kPipeline) {
  for (const auto& channel : workers) workers_.push_back(Worker::NewStub(channel));
  calls_.resize(pipeline_ ? job.window : workers_.size());
}

GrpcHub::~GrpcHub() {
  for (Call& call : calls_)
    if (call.context) call.context->TryCancel();
  ended_.Shutdown();
  void* call = nullptr;
  bool ok = false;
  while (ended_.Next(&call, &ok)) continue;
}

Status GrpcHub::send(std::span<const std::byte> message) {
  request_.set_data(message.data(), message.size());
  if (pipeline_) {
    start(calls_[sent_++ % calls_.size()], 0);
    return {};
  }
  for (std::size_t worker = 0; worker < workers_.size(); ++worker) start(calls_[worker], worker);
  return {};
}

Result<std::span<std::byte>> GrpcHub::receive() {
  Call& call = calls_[received_++ % calls_.size()];
  while (!call.through) WOA_RETURN_IF_ERROR(look());
  return bytes_of(*call.answer.mutable_data());
}

void GrpcHub::start(Call& call, std::size_t worker) {
  call.worker = worker, call.through = false;
  call.reader.reset();  // lies in the last context's memory
  call.context.emplace();
  call.context->set_deadline(std::chrono::system_clock::now() + kPatience);
  call.reader = workers_[worker]->AsyncWork(&*call.context, request_, &ended_);
  call.reader->Finish(&call.answer, &call.status, &call);
}

Status GrpcHub::look() {
  void* tag = nullptr;
  bool ok = false;
  if (!ended_.Next(&tag, &ok) || !ok) return {Code::kPeerLost, "gRPC: a call did not end"};
  Call& call = *static_cast<Call*>(tag);
  WOA_RETURN_IF_ERROR(grpc_status(call.status));
  call.through = !pipeline_ || call.worker + 1 == workers_.size();
  if (call.through) return {};
  request_.Swap(&call.answer);
  start(call, call.worker + 1);
  return {};
}

}  // namespace woa::bench
