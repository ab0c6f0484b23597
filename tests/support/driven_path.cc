// Drives one path of the runtime, for tests that count what each turn of it costs:
//
//   driven_path firing|kernels|hop COUNT KERNELS [LOOP]
//
//   firing   a loop of `woa bench firing`, `null` unless LOOP says another: COUNT firings in one controller
//   kernels  the kernels of these firings, called one after another
//   hop      COUNT hops of 64 bytes between two controllers that one thread drives
//
// KERNELS: the folder of the loops' kernels. Exit code 2: bad arguments; 1: it failed, with the reason.
#include <cstdio>
#include <string>

#include "bench/micro/direct_calls.h"
#include "bench/micro/firing.h"
#include "bench/micro/one_thread_hop.h"
#include "controllers/cpu/register.h"
#include "runtime/base/scalar.h"
#include "runtime/transport/shm/shm_transport.h"

namespace {

using namespace woa;

Status call_kernels(const RunOptions& options, const bench::LoopJob& job) {
  const auto kernels = bench::load_kernels(job.plan, options.kernel_path);
  return kernels.ok() ? bench::call_directly(job, *kernels).status() : kernels.status();
}

Status drive(const std::string& path, std::uint64_t count, const std::string& kernels, const std::string& loop) {
  constexpr std::uint64_t kHopBytes = 64;
  BackendRegistry backends;
  WOA_RETURN_IF_ERROR(backends.add(cpu_factory()));
  ShmTransport transport;
  RunOptions options;
  options.backends = &backends;
  options.transport = &transport;
  options.kernel_path = {kernels};
  if (path == "hop") return bench::one_thread_hop_ns(options, kHopBytes, count).status();
  const auto job = bench::loop_job(loop, count);
  if (!job) return {Code::kInvalid, "there is no loop '" + loop + "'"};
  return path == "firing" ? bench::controller_loop_ns(options, *job).status() : call_kernels(options, *job);
}

}  // namespace

int main(int arguments, char** argument) {
  const bool whole = arguments == 4 || arguments == 5;
  const std::string path = whole ? argument[1] : "";
  const auto count = whole ? parse_digits(argument[2]) : std::nullopt;
  if (!count || (path != "firing" && path != "kernels" && path != "hop")) {
    std::fprintf(stderr, "usage: driven_path firing|kernels|hop COUNT KERNELS [LOOP]\n");
    return 2;
  }
  const woa::Status status = drive(path, *count, argument[3], arguments == 5 ? argument[4] : "null");
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.message().c_str());
  return status.ok() ? 0 : 1;
}
