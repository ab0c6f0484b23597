// RandomAccess (bench/micro/random_stream.h) by MPI's one-sided operations, a peer of `woa bench randomaccess`, which
// starts it under mpirun with two ranks. Prints the nanoseconds that all updates took; exit code 1 if the table is
// wrong afterwards.
//
//   randomaccess_mpi accumulate|datatypes|fetch WORDS
//
// accumulate: MPI_Accumulate of one word each. datatypes: one MPI_Accumulate per target and 1024 updates, with an
// indexed datatype. fetch: MPI_Fetch_and_op of one word each. All flush the window after 1024 updates.
#include <mpi.h>
#include <signal.h>
#include <sys/prctl.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "bench/micro/random_stream.h"
#include "runtime/base/processor.h"

namespace woa::bench {
namespace {

struct Window {
  std::span<std::uint64_t> part;
  MPI_Win handle;
};

Window allocate(const RandomTable& table, std::uint64_t rank) {
  std::uint64_t* memory = nullptr;
  MPI_Win handle;
  MPI_Win_allocate(static_cast<MPI_Aint>(table.part_words() * sizeof(std::uint64_t)), sizeof(std::uint64_t),
                   MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &handle);
  const std::span part(memory, table.part_words());
  table.fill(part, rank);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, handle);
  MPI_Win_sync(handle);
  return {part, handle};
}

using Numbers = std::vector<std::uint64_t>;

void accumulate(const RandomTable& table, const Numbers& numbers, MPI_Win window) {
  for (const std::uint64_t& number : numbers)
    MPI_Accumulate(&number, 1, MPI_UINT64_T, static_cast<int>(table.owner_of(number)),
                   static_cast<MPI_Aint>(table.index_of(number)), 1, MPI_UINT64_T, MPI_BXOR, window);
  MPI_Win_flush_all(window);
}

void fetch(const RandomTable& table, const Numbers& numbers, MPI_Win window) {
  static Numbers old(kLookAhead);
  for (std::size_t k = 0; k < numbers.size(); ++k)
    MPI_Fetch_and_op(&numbers[k], &old[k], MPI_UINT64_T, static_cast<int>(table.owner_of(numbers[k])),
                     static_cast<MPI_Aint>(table.index_of(numbers[k])), MPI_BXOR, window);
  MPI_Win_flush_all(window);
}

void datatypes(const RandomTable& table, const Numbers& numbers, MPI_Win window) {
  static std::array<Numbers, RandomTable::kProcesses> values;
  static std::array<std::vector<int>, RandomTable::kProcesses> places;
  std::array<MPI_Datatype, RandomTable::kProcesses> types;
  for (std::uint64_t rank = 0; rank < RandomTable::kProcesses; ++rank) values[rank].clear(), places[rank].clear();
  for (const std::uint64_t number : numbers) {
    values[table.owner_of(number)].push_back(number);
    places[table.owner_of(number)].push_back(static_cast<int>(table.index_of(number)));
  }
  for (std::uint64_t rank = 0; rank < RandomTable::kProcesses; ++rank) {
    const int count = static_cast<int>(values[rank].size());
    MPI_Type_create_indexed_block(count, 1, places[rank].data(), MPI_UINT64_T, &types[rank]);
    MPI_Type_commit(&types[rank]);
    MPI_Accumulate(values[rank].data(), count, MPI_UINT64_T, static_cast<int>(rank), 0, 1, types[rank], MPI_BXOR,
                   window);
  }
  MPI_Win_flush_all(window);
  for (MPI_Datatype& type : types) MPI_Type_free(&type);
}

using Way = void (*)(const RandomTable&, const Numbers&, MPI_Win);

double run(const RandomTable& table, std::uint64_t rank, Way way, MPI_Win window) {
  RandomStream stream = table.stream_of(rank);
  Numbers numbers;
  MPI_Barrier(MPI_COMM_WORLD);
  const double start_s = MPI_Wtime();
  for (std::uint64_t left = table.part_updates(); left > 0; left -= numbers.size()) {
    numbers.resize(left < kLookAhead ? left : kLookAhead);
    for (std::uint64_t& number : numbers) number = stream.next();
    way(table, numbers, window);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Wtime() - start_s;
}

// Each rank does the updates of its own part again.
bool is_right(const RandomTable& table, std::uint64_t rank, const Window& window) {
  MPI_Win_sync(window.handle);
  MPI_Barrier(MPI_COMM_WORLD);
  RandomStream stream(0);
  for (std::uint64_t k = 0; k < table.updates(); ++k) {
    const std::uint64_t number = stream.next();
    if (table.owner_of(number) == rank) window.part[table.index_of(number)] ^= number;
  }
  std::uint64_t wrong = 0, all_wrong = 0;
  for (std::uint64_t k = 0; k < table.part_words(); ++k)
    if (window.part[k] != rank * table.part_words() + k) ++wrong;
  MPI_Allreduce(&wrong, &all_wrong, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  if (all_wrong != 0 && rank == 0) std::printf("%llu words are wrong\n", static_cast<unsigned long long>(all_wrong));
  return all_wrong == 0;
}

Way way_of(const std::string& name) {
  if (name == "accumulate") return accumulate;
  if (name == "datatypes") return datatypes;
  return name == "fetch" ? fetch : nullptr;
}

int main_of(int rank, int ranks, std::span<char*> arguments) {
  const Way way = arguments.size() == 3 ? way_of(arguments[1]) : nullptr;
  const RandomTable table{way != nullptr ? std::strtoull(arguments[2], nullptr, 10) : 0};
  if (way == nullptr || table.words < 2 || ranks != RandomTable::kProcesses || !pin_thread({rank}).ok()) {
    std::fprintf(stderr, "usage: mpirun -np 2 randomaccess_mpi accumulate|datatypes|fetch WORDS\n");
    return 2;
  }
  const auto own = static_cast<std::uint64_t>(rank);
  Window window = allocate(table, own);
  const double seconds = run(table, own, way, window.handle);
  const bool right = is_right(table, own, window);
  if (right && rank == 0) std::printf("%.0f\n", seconds * 1e9);
  MPI_Win_unlock_all(window.handle);
  MPI_Win_free(&window.handle);
  return right ? 0 : 1;
}

}  // namespace
}  // namespace woa::bench

int main(int count, char** arguments) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // with mpirun, however that ends
  MPI_Init(&count, &arguments);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int code = woa::bench::main_of(rank, ranks, {arguments, static_cast<std::size_t>(count)});
  MPI_Finalize();
  return code;
}
