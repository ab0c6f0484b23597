#include "bench/peers/mpi_messenger.h"

namespace woa::bench {

MpiPipeline::MpiPipeline(const Routing& routing, int rank, int ranks)
    : before_((rank + ranks - 1) % ranks),
      behind_((rank + 1) % ranks),
      rooms_(routing.rooms, std::vector<std::byte>(routing.bytes)),
      requests_(routing.rooms, MPI_REQUEST_NULL) {}

Status MpiPipeline::send(std::span<const std::byte> message) {
  MPI_Request& request = requests_[sent_++ % requests_.size()];
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Isend(message.data(), static_cast<int>(message.size()), MPI_BYTE, behind_, 0, MPI_COMM_WORLD, &request);
  return {};
}

Result<std::span<std::byte>> MpiPipeline::receive() {
  const std::size_t number = received_++ % rooms_.size();
  std::vector<std::byte>& room = rooms_[number];
  MPI_Wait(&requests_[number], MPI_STATUS_IGNORE);
  MPI_Status status;
  MPI_Recv(room.data(), static_cast<int>(room.size()), MPI_BYTE, before_, 0, MPI_COMM_WORLD, &status);
  int bytes = 0;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  return std::span(room).first(static_cast<std::size_t>(bytes));
}

Status MpiPipeline::settle() {
  MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  return {};
}

Status MpiFanout::send(std::span<const std::byte> message) {
  void* data = const_cast<std::byte*>(message.data());  // which the root of a broadcast only reads
  if (source_)
    MPI_Bcast(data, static_cast<int>(message.size()), MPI_BYTE, 0, MPI_COMM_WORLD);
  else
    MPI_Send(data, static_cast<int>(message.size()), MPI_BYTE, 0, 0, MPI_COMM_WORLD);
  return {};
}

Result<std::span<std::byte>> MpiFanout::receive() {
  if (source_)
    MPI_Recv(room_.data(), static_cast<int>(room_.size()), MPI_BYTE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
  else
    MPI_Bcast(room_.data(), static_cast<int>(room_.size()), MPI_BYTE, 0, MPI_COMM_WORLD);
  return std::span(room_);
}

}  // namespace woa::bench
