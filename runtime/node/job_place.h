// Where a process stands among those that a launcher (mpirun, srun) started together.
#pragma once

#include <cstdint>

namespace woa {

// Which process of a parallel job, of how many; size 0 or 1: of none.
struct JobPlace {
  std::uint32_t rank = 0, size = 0;
  [[nodiscard]] bool in_job() const noexcept { return size > 1; }
};

}  // namespace woa
