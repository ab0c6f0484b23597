// The parallel job that a launcher (mpirun, srun) started this process in, if any: this process's rank, the job's size,
// and how the nodes of a job find the run that is one of them.
#pragma once

#include <memory>
#include <string>

#include "runtime/base/status.h"
#include "runtime/node/job_place.h"
#include "runtime/node/pmix_job.h"

namespace woa {

class ParallelJob {
 public:
  // A run among the processes of a job is the first of them, so that nobody must search for it.
  static constexpr std::uint32_t kRunRank = 0;

  // Asks the launcher's PMIx server if the environment names one, else the variables of Open MPI, MPICH and Slurm.
  // Blocks like connect_pmix(). kUnavailable, kExhausted, kDeadlineExceeded: a server is named but cannot be asked, and
  // no variable tells either: this process might be one of many, and none would know.
  static Result<ParallelJob> find(const PmixOptions& options = {});

  [[nodiscard]] JobPlace place() const noexcept { return place_; }
  // The variables that say so, "PMI_RANK PMI_SIZE", which a launcher may have left behind. Empty: none does.
  [[nodiscard]] const std::string& told_by() const noexcept { return told_by_; }
  // Closes the connection to the launcher, as the end of this object does. After it only place() may be called.
  void leave() noexcept { pmix_.reset(); }

  // For the run: tells the job's nodes its address. kUnavailable: the launcher has no PMIx server, or that fails; the
  // message says why. kDeadlineExceeded: the server says nothing.
  Status publish_run(const std::string& address);
  // For a node: blocks until the run has told its address, for `seconds` at most. kInvalid: this process has the rank
  // of the run, or is alone. kUnavailable: as for publish_run(). kDeadlineExceeded: there is no run yet.
  Result<std::string> find_run(int seconds);

 private:
  JobPlace place_;
  std::string told_by_;
  std::unique_ptr<PmixJob> pmix_;  // null: `why_not_`
  Status why_not_;
};

}  // namespace woa
