// gRPC as a peer (peer_program.h), over UNIX sockets; clients and servers sleep while they wait. rpc: a hop is a unary
// call that answers with what it was given, a stream the messages of one client-streaming call; pipelines and fan-outs
// are calls of workers by the first process (grpc_hub.h).
#include <grpcpp/grpcpp.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "bench/harness/patience.h"
#include "bench/micro/stream.h"
#include "bench/peers/echo.grpc.pb.h"
#include "bench/peers/grpc_hub.h"
#include "bench/peers/peer_program.h"
#include "bench/peers/shapes.h"

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

class Client {
 public:
  Client(const std::shared_ptr<grpc::Channel>& channel, std::size_t bytes) : stub_(Echo::NewStub(channel)) {
    blob_.set_data(std::string(bytes, 'x'));
  }
  Status hop(std::uint64_t round_trips) {
    Blob answer;
    for (std::uint64_t k = 0; k < round_trips; ++k) {
      grpc::ClientContext context;
      context.set_deadline(std::chrono::system_clock::now() + kPatience);
      WOA_RETURN_IF_ERROR(grpc_status(stub_->Call(&context, blob_, &answer)));
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
    WOA_RETURN_IF_ERROR(grpc_status(writer->Finish()));
    return count.messages() == messages ? Status() : Status(Code::kDataLoss, "gRPC: messages were lost");
  }

 private:
  std::unique_ptr<Echo::Stub> stub_;
  Blob blob_;
};

struct Server {
  Server(const PeerArguments& job, std::size_t number) : worker(job, number) {}
  Service echo;
  WorkerService worker;
  std::unique_ptr<grpc::Server> server;  // goes first
};

// A name without a file, of the process that serves.
std::string address_of(const std::string& process) { return "unix-abstract:woa-peer-" + process; }

Result<Side> serve(const PeerArguments& job, const Talk& talk) {
  const std::string own = std::to_string(::getpid());
  const auto server = std::make_shared<Server>(job, talk.number());
  grpc::ServerBuilder builder;
  builder.AddListeningPort(address_of(own), grpc::InsecureServerCredentials());
  builder.SetMaxReceiveMessageSize(-1);
  builder.RegisterService(&server->echo);
  builder.RegisterService(&server->worker);
  server->server = builder.BuildAndStart();
  if (server->server == nullptr) return {Code::kUnavailable, "gRPC cannot listen on " + address_of(own)};
  WOA_RETURN_IF_ERROR(gone_unless(!talk.gather(own).empty()));
  return Side([server](std::uint64_t) { return Status(); });  // by threads, until all are done
}

Result<Side> open(const PeerArguments& job, const Talk& talk) {
  if (!talk.first()) return serve(job, talk);
  const auto processes = talk.gather(std::to_string(::getpid()));  // which listen by now
  WOA_RETURN_IF_ERROR(gone_unless(!processes.empty()));
  std::vector<std::shared_ptr<grpc::Channel>> channels;
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  for (const std::string& process : std::span(processes).subspan(1))
    channels.push_back(grpc::CreateCustomChannel(address_of(process), grpc::InsecureChannelCredentials(), arguments));
  if (job.shape == PeerArguments::Shape::kPipeline || job.shape == PeerArguments::Shape::kFanout)
    return side_of(job, 0, std::make_shared<GrpcHub>(job, channels));
  const auto client = std::make_shared<Client>(channels[0], job.bytes);
  return Side([=, hop = job.shape == PeerArguments::Shape::kHop](std::uint64_t count) {
    return hop ? client->hop(count) : client->stream(count);
  });
}

}  // namespace
}  // namespace woa::bench

int main(int count, char** arguments) {
  return woa::bench::run_peer({arguments, static_cast<std::size_t>(count)}, "rpc", woa::bench::open);
}
