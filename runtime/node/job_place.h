// The place of a process among those that a launcher (mpirun, srun) started together.
#pragma once

#include <cstdint>

namespace woa {

// The rank of a process in a parallel job, and the job's size; size 0 or 1: no job.
struct JobPlace {
  std::uint32_t rank = 0, size = 0;
  [[nodiscard]] bool in_job() const noexcept { return size > 1; }
};

}  // namespace woa
