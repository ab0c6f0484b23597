// MPI as a peer (peer_program.h), a rank to a processor given, under mpirun. send: MPI_Send and MPI_Recv, in a stream
// many at once by MPI_Isend and MPI_Irecv, pipelines and fan-outs as mpi_messenger.h says; large messages are read from
// the sender's memory by a system call (CMA). copied: the same without that call, so that they are copied twice through
// shared memory (Open MPI only).
#include <mpi.h>
#include <signal.h>
#include <sys/prctl.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "bench/micro/stream.h"
#include "bench/peers/mpi_messenger.h"
#include "bench/peers/peer_program.h"
#include "bench/peers/shapes.h"
#include "runtime/base/processor.h"

namespace woa::bench {
namespace {

class Rank {
 public:
  Rank(int rank, const PeerArguments& job)
      : first_(rank == 0), bytes_(static_cast<int>(job.bytes)), requests_(job.window) {
    buffer_.resize(job.bytes * requests_.size(), std::byte{1});
  }

  Status hop(std::uint64_t round_trips) {
    for (std::uint64_t k = 0; k < round_trips; ++k) {
      if (first_) send(bytes_);
      receive(bytes_);
      if (!first_) send(bytes_);
    }
    return {};
  }
  Status stream(std::uint64_t messages) {
    for (std::uint64_t done = 0; done < messages; done += requests_.size()) {
      const auto now = static_cast<int>(std::min<std::uint64_t>(requests_.size(), messages - done));
      for (int k = 0; k < now; ++k) start(k);
      MPI_Waitall(now, requests_.data(), MPI_STATUSES_IGNORE);
      if (!first_)
        for (int k = 0; k < now; ++k) touch_ends({place(k), static_cast<std::size_t>(bytes_)});
    }
    first_ ? receive(0) : send(0);
    return {};
  }

 private:
  std::byte* place(int k) { return buffer_.data() + static_cast<std::ptrdiff_t>(k) * bytes_; }
  [[nodiscard]] int other() const { return first_ ? 1 : 0; }
  void send(int bytes) { MPI_Send(buffer_.data(), bytes, MPI_BYTE, other(), 0, MPI_COMM_WORLD); }
  void receive(int bytes) {
    MPI_Recv(buffer_.data(), bytes, MPI_BYTE, other(), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    touch_ends({buffer_.data(), static_cast<std::size_t>(bytes)});
  }
  void start(int k) {
    MPI_Request* request = &requests_[static_cast<std::size_t>(k)];
    if (first_)
      MPI_Isend(place(k), bytes_, MPI_BYTE, other(), 0, MPI_COMM_WORLD, request);
    else
      MPI_Irecv(place(k), bytes_, MPI_BYTE, other(), 0, MPI_COMM_WORLD, request);
  }

  bool first_;
  int bytes_;
  std::vector<MPI_Request> requests_;
  std::vector<std::byte> buffer_;
};

Side open(const PeerArguments& job, int rank, int ranks) {
  using Shape = PeerArguments::Shape;
  const auto number = static_cast<std::size_t>(rank);
  if (job.shape == Shape::kPipeline)
    return side_of(job, number, std::make_shared<MpiPipeline>(routing_of(job, number), rank, ranks));
  if (job.shape == Shape::kFanout)
    return side_of(job, number, std::make_shared<MpiFanout>(routing_of(job, number), rank));
  const auto pair = std::make_shared<Rank>(rank, job);
  return
      [=, hop = job.shape == Shape::kHop](std::uint64_t count) { return hop ? pair->hop(count) : pair->stream(count); };
}

// By default an MPI function that fails ends the job and says why.
Result<double> run(const PeerArguments& job) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::size_t wanted = job.sides.processors.size();
  if (static_cast<std::size_t>(ranks) != wanted)
    return {Code::kInvalid, "a rank for each processor is needed: mpirun -np " + std::to_string(wanted)};
  const std::size_t processor = job.sides.processors[static_cast<std::size_t>(rank)];
  if (const Status pinned = pin_thread({static_cast<int>(processor)}); !pinned.ok())
    return {Code::kUnavailable, pinned.message()};
  return side_ns(open(job, rank, ranks), job.sides);
}

int main_of(std::span<char*> arguments) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // with mpirun, however that ends
  const auto job = read_arguments(arguments, "send|copied");
  if (!job.ok()) return say(job.status());
  if (job->way == "copied")
    for (const char* name : {"OMPI_MCA_btl_vader_single_copy_mechanism", "OMPI_MCA_btl_sm_single_copy_mechanism"})
      ::setenv(name, "none", 1);
  if (job->sides.processors.size() > 2) ::setenv("OMPI_MCA_mpi_yield_when_idle", "1", 1);  // several to a processor
  MPI_Init(nullptr, nullptr);
  const auto ns = run(*job);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int code = rank == 0 || !ns.ok() ? say(ns) : 0;
  if (code != 0) MPI_Abort(MPI_COMM_WORLD, code);
  MPI_Finalize();
  return code;
}

}  // namespace
}  // namespace woa::bench

int main(int count, char** arguments) { return woa::bench::main_of({arguments, static_cast<std::size_t>(count)}); }
