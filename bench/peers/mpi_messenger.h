// Pipelines and fan-outs by MPI, a side to a rank.
#pragma once

#include <mpi.h>

#include <vector>

#include "bench/peers/messenger.h"
#include "bench/peers/shapes.h"

namespace woa::bench {

// A pipeline: MPI_Recv from the rank before, MPI_Isend to the one after. MPI ends the job if a call fails.
class MpiPipeline final : public Messenger {
 public:
  // `ranks`: one for each side.
  MpiPipeline(const Routing& routing, int rank, int ranks);

  Status send(std::span<const std::byte> message) override;
  Result<std::span<std::byte>> receive() override;
  Status settle() override;

 private:
  int before_, behind_;
  std::vector<std::vector<std::byte>> rooms_;
  // Requests of the sends, in turn. The message in a room is always the next to send, so both have the same number.
  std::vector<MPI_Request> requests_;
  std::size_t sent_ = 0, received_ = 0;
};

// A fan-out: MPI_Bcast from rank 0, which an empty MPI_Send answers.
class MpiFanout final : public Messenger {
 public:
  MpiFanout(const Routing& routing, int rank) : source_(rank == 0), room_(routing.bytes) {}

  Status send(std::span<const std::byte> message) override;
  Result<std::span<std::byte>> receive() override;
  Status settle() override { return {}; }

 private:
  bool source_;
  std::vector<std::byte> room_;
};

}  // namespace woa::bench
