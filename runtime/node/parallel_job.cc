#include "runtime/node/parallel_job.h"

#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "runtime/base/scalar.h"

namespace woa {
namespace {

constexpr const char* kAddressKey = "woa.run.address";
constexpr const char* kNamespace = "PMIX_NAMESPACE";

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

// The place, and the variables that tell it.
std::optional<std::pair<JobPlace, std::string>> place_of_variables() {
  for (const Launcher& launcher : kLaunchers) {
    const auto rank = number(launcher.rank), size = number(launcher.size);
    if (rank.has_value() && rank < size)
      return std::pair(JobPlace{*rank, *size}, std::string(launcher.rank) + " " + launcher.size);
  }
  return std::nullopt;
}

// True if the environment tells where a PMIx server is. A launcher's other variables without that are left over, as in
// a script that keeps some of its environment.
bool names_server() {
  if (std::getenv(kNamespace) == nullptr) return false;
  for (char** variable = environ; *variable != nullptr; ++variable)
    if (std::string_view(*variable).starts_with("PMIX_SERVER_URI")) return true;
  return false;
}

}  // namespace

Result<ParallelJob> ParallelJob::find(const PmixOptions& options) {
  ParallelJob job;
  const auto told = place_of_variables();
  if (told) std::tie(job.place_, job.told_by_) = *told;
  if (!names_server()) {
    job.why_not_ = {
        Code::kUnavailable,
        "no launcher with a PMIx server started this process (PMIX_NAMESPACE and PMIX_SERVER_URI... are not "
        "set)"};
    return job;
  }
  auto pmix = connect_pmix(options);
  if (pmix.ok()) {
    job.pmix_ = std::move(*pmix);
    job.place_ = job.pmix_->place();
    job.told_by_ = kNamespace;
    return job;
  }
  if (!told)
    return pmix.status().with_context(
        "PMIX_NAMESPACE says that a launcher started this process, but which of its job this is cannot be told; if the "
        "launcher has ended and left that behind: unset PMIX_NAMESPACE");
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
