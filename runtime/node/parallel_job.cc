#include "runtime/node/parallel_job.h"

#include <cstdlib>
#include <optional>
#include <utility>

#include "runtime/base/scalar.h"

namespace woa {
namespace {

constexpr const char* kAddressKey = "woa.run.address";

struct Launcher {
  const char* rank;
  const char* size;
};
// srun last: under it the others' variables, if set, are the inner launcher's. SLURM_NTASKS is no sign, because a batch
// script's own shell has it too.
constexpr Launcher kLaunchers[] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                   {"PMI_RANK", "PMI_SIZE"},
                                   {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};

std::optional<std::uint32_t> number(const char* name) {
  const char* text = std::getenv(name);
  const auto value = text != nullptr ? parse_digits(text) : std::nullopt;
  if (!value || !std::in_range<std::uint32_t>(*value)) return std::nullopt;
  return static_cast<std::uint32_t>(*value);
}

std::optional<JobPlace> place_of_variables() {
  for (const Launcher& launcher : kLaunchers) {
    const auto rank = number(launcher.rank), size = number(launcher.size);
    if (rank.has_value() && rank < size) return JobPlace{*rank, *size};
  }
  return std::nullopt;
}

}  // namespace

Result<ParallelJob> ParallelJob::find(const PmixOptions& options) {
  ParallelJob job;
  const std::optional<JobPlace> told = place_of_variables();
  if (std::getenv("PMIX_NAMESPACE") == nullptr) {
    job.place_ = told.value_or(JobPlace());
    job.why_not_ = {Code::kUnavailable,
                    "no launcher with a PMIx server started this process (PMIX_NAMESPACE is not set)"};
    return job;
  }
  auto pmix = connect_pmix(options);
  if (pmix.ok()) {
    job.pmix_ = std::move(*pmix);
    job.place_ = job.pmix_->place();
    return job;
  }
  if (!told) return pmix.status().with_context("which process of its job this is cannot be told");
  job.place_ = *told;
  job.why_not_ = pmix.status();
  return job;
}

Status ParallelJob::publish_run(const std::string& address) {
  return pmix_ == nullptr ? why_not_ : pmix_->publish(kAddressKey, address);
}

Result<std::string> ParallelJob::find_run(int seconds) {
  if (pmix_ == nullptr) return why_not_;
  if (place_.rank == kRunRank)
    return {Code::kInvalid, "this is process " + std::to_string(place_.rank) + " of " + std::to_string(place_.size) +
                                " of its job, which has to be `woa run`; name the run first"};
  auto address = pmix_->fetch(kRunRank, kAddressKey, seconds);
  if (address.ok()) return address;
  if (address.status().code() != Code::kDeadlineExceeded)
    return address.status().with_context("the address of this job's run");
  return {Code::kDeadlineExceeded,
          "process " + std::to_string(kRunRank) + " of this job, which has to be `woa run --nodes " +
              std::to_string(place_.size - 1) + "`, did not say within " + std::to_string(seconds) +
              " s where it waits (" + address.status().message() + ")"};
}

}  // namespace woa
