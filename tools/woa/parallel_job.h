// Which process of a parallel job this is, as the launcher that started it says (mpirun, srun).
#pragma once

#include "runtime/node/handshake.h"

namespace woa::tools {

// Size 0: not started by a launcher, or alone. Open MPI, MPICH and Slurm are known, by the variables that they set.
handshake::JobPlace parallel_job();

}  // namespace woa::tools
