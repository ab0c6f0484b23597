#include "tools/woa/parallel_job.h"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <optional>

namespace woa::tools {
namespace {

struct Launcher {
  const char* rank;
  const char* size;
};
// srun last: under it the others' variables, where set, are the inner launcher's. SLURM_NTASKS is no sign, since a
// batch script's own shell has it too.
constexpr Launcher kLaunchers[] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                   {"PMI_RANK", "PMI_SIZE"},
                                   {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};

std::optional<std::uint32_t> number(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr) return std::nullopt;
  std::uint32_t value = 0;
  const char* end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

}  // namespace

handshake::JobPlace parallel_job() {
  for (const Launcher& launcher : kLaunchers) {
    const auto rank = number(launcher.rank), size = number(launcher.size);
    if (rank && size && *rank<*size&& * size> 1) return {*rank, *size};
  }
  return {};
}

}  // namespace woa::tools
