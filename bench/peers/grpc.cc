// gRPC as a peer (peer_program.h), over a UNIX socket; client and server sleep while they wait. rpc: a hop is a unary
// call that answers with what it was given, a stream the messages of one client-streaming call.
#include <grpcpp/grpcpp.h>
#include <unistd.h>

#include <chrono>

#include "bench/harness/patience.h"
#include "bench/micro/stream.h"
#include "bench/peers/echo.grpc.pb.h"
#include "bench/peers/peer_program.h"

namespace woa::bench {
namespace {

constexpr std::chrono::seconds kPatience{50};  // with a call, beside that with its messages

class Service final : public Echo::Service {
  grpc::Status Call(grpc::ServerContext* /*context*/, const Blob* in, Blob* out) override {
    out->set_data(in->data());
    return grpc::Status::OK;
  }
  grpc::Status Stream(grpc::ServerContext* /*context*/, grpc::ServerReader<Blob>* in, Count* out) override {
    Blob blob;
    std::uint64_t messages = 0;
    for (; in->Read(&blob); ++messages) touch_ends(std::as_bytes(std::span(blob.data())));
    out->set_messages(messages);
    return grpc::Status::OK;
  }
};

Status failed(const grpc::Status& status) {
  return status.ok() ? Status() : Status(Code::kPeerLost, "gRPC: " + status.error_message());
}

class Client {
 public:
  Client(const std::string& address, std::size_t bytes) {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(-1);
    stub_ = Echo::NewStub(grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments));
    blob_.set_data(std::string(bytes, 'x'));
  }
  Status hop(std::uint64_t round_trips) {
    Blob answer;
    for (std::uint64_t k = 0; k < round_trips; ++k) {
      grpc::ClientContext context;
      context.set_deadline(std::chrono::system_clock::now() + kPatience);
      WOA_RETURN_IF_ERROR(failed(stub_->Call(&context, blob_, &answer)));
      if (answer.data().size() != blob_.data().size())
        return {Code::kDataLoss, "gRPC: an answer has not what was sent"};
    }
    return {};
  }
  Status stream(std::uint64_t messages) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kPatience + patience(messages, blob_.data().size()));
    Count count;
    const auto writer = stub_->Stream(&context, &count);
    for (std::uint64_t k = 0; k < messages && writer->Write(blob_);) ++k;
    writer->WritesDone();
    WOA_RETURN_IF_ERROR(failed(writer->Finish()));
    return count.messages() == messages ? Status() : Status(Code::kDataLoss, "gRPC: messages were lost");
  }

 private:
  std::unique_ptr<Echo::Stub> stub_;
  Blob blob_;
};

struct Server {
  Service service;
  std::unique_ptr<grpc::Server> server;  // goes first
};

Result<Side> open(const PeerArguments& job, const Talk& talk, bool first) {
  // A name without a file, of the process that serves.
  const std::string own = std::to_string(::getpid()), other = talk.swap(own);
  WOA_RETURN_IF_ERROR(gone_unless(!other.empty()));
  const std::string address = "unix-abstract:woa-peer-" + (first ? other : own);
  const auto server = std::make_shared<Server>();
  if (!first) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort(address, grpc::InsecureServerCredentials());
    builder.SetMaxReceiveMessageSize(-1);
    builder.RegisterService(&server->service);
    server->server = builder.BuildAndStart();
    if (server->server == nullptr) return {Code::kUnavailable, "gRPC cannot listen on " + address};
  }
  WOA_RETURN_IF_ERROR(gone_unless(!talk.swap("listening").empty()));
  if (!first) return Side([server](std::uint64_t) { return Status(); });  // by threads, until both are done
  const auto client = std::make_shared<Client>(address, job.bytes);
  return Side([=](std::uint64_t count) {
    return job.shape == PeerArguments::Shape::kHop ? client->hop(count) : client->stream(count);
  });
}

}  // namespace
}  // namespace woa::bench

int main(int count, char** arguments) {
  return woa::bench::run_peer({arguments, static_cast<std::size_t>(count)}, "rpc", woa::bench::open);
}
