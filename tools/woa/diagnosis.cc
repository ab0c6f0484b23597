#include "tools/woa/diagnosis.h"

#include <arpa/inet.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <thread>
#include <utility>

#include "compiler/compiler.h"
#include "controllers/cpu/register.h"
#include "controllers/fpga/verilator/register.h"
#include "controllers/fpga/xrt/probe.h"
#include "controllers/fpga/xrt/register.h"
#include "controllers/gpu/cuda/devices.h"
#include "controllers/gpu/cuda/version_text.h"
#include "controllers/gpu/opencl/register.h"
#include "library/environment.h"
#include "library/machine_choice.h"
#include "runtime/base/cgroup_limits.h"
#include "runtime/base/child_process.h"
#include "runtime/base/quantities.h"
#include "runtime/base/variables_set.h"
#include "runtime/node/parallel_job.h"
#include "runtime/transport/ofi/ofi_transport.h"

namespace woa::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kPatienceNs = 20'000'000'000;  // for a library that may hang
constexpr std::array kFabricVariables{"FI_PROVIDER", "FI_PROVIDER_PATH"};
constexpr std::array kOpenClVariables{"OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "POCL_DEVICES", "POCL_CACHE_DIR",
                                      "XDG_CACHE_HOME"};
constexpr std::array kXrtVariables{"XCL_EMULATION_MODE", "XILINX_XRT"};
constexpr rlim_t kFewDescriptors = 256, kFewProcesses = 64;

Finding good(std::string subject, std::string found) {
  return {std::move(subject), Health::kGood, std::move(found), ""};
}
Finding absent(std::string subject, std::string found, std::string advice) {
  return {std::move(subject), Health::kAbsent, std::move(found), std::move(advice)};
}
Finding fault(std::string subject, std::string found, std::string advice) {
  return {std::move(subject), Health::kFault, std::move(found), std::move(advice)};
}

void look_at_kernels(std::vector<Finding>& findings) {
  const std::vector<KernelListing> kernels = list_kernels(kernel_path());
  std::size_t usable = 0;
  for (const KernelListing& kernel : kernels) {
    if (kernel.reason.empty())
      ++usable;
    else
      findings.push_back(absent("kernel " + kernel.name, kernel.reason, kernel.fix));
  }
  const std::string here = program("woa").parent_path().string();
  if (usable == 0) {
    findings.push_back(fault("kernels", "none beside the program, in " + here + "/kernels",
                             "run the program where it was built, or set WOA_KERNEL_PATH to the folder with kernels"));
  } else {
    findings.push_back(good("kernels", std::to_string(usable) + " usable"));
  }
  std::vector<fs::path> named = kernel_path();
  named.pop_back();  // the folder beside the program
  for (const fs::path& folder : named) {
    std::error_code error;
    if (!fs::is_directory(folder, error))
      findings.push_back(
          fault("WOA_KERNEL_PATH", "names '" + folder.string() + "', which is no folder", "correct or unset it"));
  }
}

// Answers with '+' and what was found, or '-' and why not. Called in a child process.
using Look = std::string (*)();

std::string told_by(const Look& look) {
  const Result<std::string> told = run_in_child(look, kPatienceNs);
  return told.ok() ? *told : "-" + told.status().message();
}

std::string told_without(const Look& look, std::span<const char* const> variables) {
  const auto without = [&] {
    for (const char* variable : variables) ::unsetenv(variable);
    return look();
  };
  const Result<std::string> told = run_in_child(without, kPatienceNs);
  return told.ok() ? *told : "-";
}

// Looks in a child process. If it finds nothing, but does without `variables`, the variables are the fault.
Finding look_in_child(const std::string& subject, const Look& look, std::span<const char* const> variables,
                      const std::string& advice) {
  const std::string told = told_by(look), text = told.empty() ? told : told.substr(1);
  if (told.starts_with('+')) return good(subject, text);
  const std::string set = variables_set(variables);
  if (!set.empty() && told_without(look, variables).starts_with('+'))
    return fault(subject, text, "unset what hides it: " + set);
  return absent(subject, text, advice);
}

template <BackendFactory (*make)()>
std::string look_at_backend() {
  const auto devices = make().probe();
  if (!devices.ok()) return "-" + devices.status().message();
  std::string names;
  for (const DeviceDescription& device : *devices)
    names.append(names.empty() ? "+" : ", ").append(device.device).append(device.simulated ? " (simulated)" : "");
  return names;
}

std::string text_of(const CudaDevice& device) {
  std::string text = device.description.device + (device.description.simulated ? " (simulated)" : "") + ", sm_" +
                     std::to_string(device.capability) + ", driver for CUDA " + cuda_version_text(device.driver);
  if (device.is_exclusive) text += "; one process at a time (mode 'exclusive process')";
  if (device.has_time_limit) text += "; kernels end after seconds (a display is attached): no resident workers";
  if (!device.writes_words) text += "; no 64-bit memory operations: kernels publish packets, which takes longer";
  if (!device.registers_memory) text += "; registers no memory of the host: it publishes no packets";
  return text;
}

std::string look_at_cuda() {
  const auto& cuda = open_cuda();
  if (!cuda.ok()) return "-" + cuda.status().message();
  const auto devices = list_cuda_devices(*cuda);
  if (!devices.ok()) return "-" + devices.status().message();
  std::string text;
  bool any_free = false;
  for (const CudaDevice& device : *devices) {
    const bool taken = is_taken(*cuda, device);
    any_free = any_free || !taken;
    text.append(text.empty() ? "" : " | ")
        .append(taken ? "'" + device.description.device + "' " + kTaken : text_of(device));
  }
  return (any_free ? "+" : "-") + text;
}

void look_at_devices(std::vector<Finding>& findings) {
  const std::string advice = "follow the advice in the finding, if graphs shall use such a device";
  findings.push_back(look_in_child("cpu", look_at_backend<cpu_factory>, {}, advice));
  findings.push_back(look_in_child("gpu (opencl)", look_at_backend<opencl_factory>, kOpenClVariables, advice));
  findings.push_back(look_in_child("gpu (cuda)", look_at_cuda, kCudaHidingVariables, advice));
  findings.push_back(look_in_child("fpga (verilator)", look_at_backend<verilator_factory>, {}, advice));
  findings.push_back(look_in_child("fpga (xrt)", look_at_backend<xrt_factory>, kXrtVariables,
                                   "`woa doctor --fpga` looks at each thing that such a device needs"));
}

std::string look_for_provider() {
  const auto transport = make_ofi_transport({});
  return transport.ok() ? "+provider " + OfiOptions().provider + " on loopback" : "-" + transport.status().message();
}

void look_at_libfabric(std::vector<Finding>& findings) {
  findings.push_back(look_in_child("libfabric", look_for_provider, kFabricVariables,
                                   "needed for --nodes, --lane and --transport ofi; `fi_info -l` lists providers"));
}

std::string look_for_job() {
  const auto job = ParallelJob::find();
  if (!job.ok()) return "-" + job.status().message();
  const JobPlace place = job->place();
  if (!place.in_job()) return "+none: this process was not started by mpirun or srun";
  return "+process " + std::to_string(place.rank) + " of " + std::to_string(place.size);
}

void look_at_launcher(std::vector<Finding>& findings) {
  findings.push_back(look_in_child("launcher", look_for_job, {}, "start `woa` without the launcher, or do as it says"));
}

// Channels between processes lie in memory files, which count as files for some limits.
void look_at_shared_memory(std::vector<Finding>& findings) {
  constexpr std::size_t kBytes = 1 << 20;
  const int file = ::memfd_create("woa-doctor", MFD_CLOEXEC);
  const bool sized = file >= 0 && ::ftruncate(file, kBytes) == 0;
  void* const memory = sized ? ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
  if (memory == MAP_FAILED) {
    findings.push_back(
        fault("shared memory", "no file of 1 MiB in memory: " + reason_of(errno),
              "allow memfd_create and mmap (a container's seccomp profile may not), or use --processes one"));
  } else {
    ::munmap(memory, kBytes);
    findings.push_back(good("shared memory", "files in memory work"));
  }
  if (file >= 0) ::close(file);
  struct statvfs shm {};
  if (::statvfs("/dev/shm", &shm) == 0)
    findings.push_back(good("/dev/shm", bytes_text(std::uint64_t{shm.f_bavail} * shm.f_frsize) +
                                            " free (libfabric's provider shm alone uses it)"));
}

std::string limit_text(rlim_t limit) { return limit == RLIM_INFINITY ? "unlimited" : std::to_string(limit); }

void look_at_limits(std::vector<Finding>& findings) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    const std::string found = limit_text(limit.rlim_cur) + ", may be raised to " + limit_text(limit.rlim_max);
    findings.push_back(
        limit.rlim_cur < kFewDescriptors
            ? fault("open files", found, "`ulimit -n 1024`: a run has descriptors for each pair of controllers")
            : good("open files", found));
  }
  if (::getrlimit(RLIMIT_NPROC, &limit) == 0)
    findings.push_back(limit.rlim_cur < kFewProcesses
                           ? fault("processes", limit_text(limit.rlim_cur), "`ulimit -u 4096`, or use --processes one")
                           : good("processes", limit_text(limit.rlim_cur)));
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    findings.push_back(fault("size of files", bytes_text(limit.rlim_cur) + "; it holds for shared memory, too",
                             "`ulimit -f unlimited`"));
  if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    findings.push_back(fault("address space", bytes_text(limit.rlim_cur) + "; blocks reserve each port's `max`",
                             "`ulimit -v unlimited`, or a smaller --window"));
}

// Little room in the cgroup is a fault: the kernel kills a run that needs more memory, and refuses it processes.
void look_at_cgroup(std::vector<Finding>& findings) {
  constexpr std::uint64_t kLittleMemory = 256ULL << 20, kMilliCore = 1000;
  const CgroupLimits limits = cgroup_limits();
  if (const auto& memory = limits.memory) {
    const std::uint64_t free = memory->most - std::min(memory->most, memory->used);
    const std::string found = bytes_text(memory->most) + ", " + bytes_text(free) + " of it free";
    findings.push_back(free < kLittleMemory ? fault("cgroup memory", found,
                                                    "raise " + memory->file +
                                                        " (docker run --memory, MemoryMax= of systemd), or use a "
                                                        "smaller --window")
                                            : good("cgroup memory", found));
  }
  if (const auto& processes = limits.processes) {
    const std::uint64_t free = processes->most - std::min(processes->most, processes->used);
    const std::string found =
        std::to_string(processes->most) + " processes and threads, " + std::to_string(free) + " free";
    findings.push_back(free < kFewProcesses ? fault("cgroup pids", found,
                                                    "raise " + processes->file +
                                                        " (docker run --pids-limit, TasksMax= of systemd), or use "
                                                        "--processes one")
                                            : good("cgroup pids", found));
  }
  const std::uint64_t online = kMilliCore * std::max(1U, std::thread::hardware_concurrency());
  if (limits.cores && limits.cores->most < online) {
    std::string cores =
        std::to_string(limits.cores->most / kMilliCore) + "." + std::to_string(limits.cores->most % kMilliCore / 100);
    findings.push_back(absent("cgroup cpu",
                              "cores beyond a quota of " + cores + " of " + std::to_string(online / kMilliCore),
                              "raise " + limits.cores->file +
                                  " (docker run --cpus, CPUQuota= of systemd): controllers that spin are halted"));
  }
}

void look_at_ports(std::vector<Finding>& findings) {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in any{};
  any.sin_family = AF_INET;
  any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool listens = listener >= 0 && ::bind(listener, reinterpret_cast<const sockaddr*>(&any), sizeof any) == 0 &&
                       ::listen(listener, 1) == 0;
  const std::string reason = reason_of(errno);
  if (listener >= 0) ::close(listener);
  findings.push_back(listens ? good("ports", "this process can listen on loopback")
                             : fault("ports", "this process cannot listen on loopback: " + reason,
                                     "nodes on other hosts and libfabric need it; one host alone does not"));
}

struct Variable {
  const char* name;
  const char* effect;
};
constexpr std::array<Variable, 13> kVariables{{
    {"WOA_KERNEL_PATH", "kernels of these folders come before those beside the program"},
    {"XDG_CONFIG_HOME", "the machine file of `woa calibrate` is looked up there"},
    {"FI_PROVIDER", "libfabric offers these providers only"},
    {"FI_PROVIDER_PATH", "libfabric loads providers from there"},
    {"FI_OFI_RXM_BUFFER_SIZE", "each process over libfabric has 5120 buffers of so many bytes; `woa` chooses 1024"},
    {"FI_OFI_RXM_MSG_RX_SIZE", "libfabric 2 posts so many of those buffers; `woa` chooses 128"},
    {"OCL_ICD_VENDORS", "the OpenCL loader looks for drivers there only"},
    {"OCL_ICD_FILENAMES", "the OpenCL loader takes these drivers"},
    {"POCL_DEVICES", "PoCL offers these devices only"},
    {"POCL_CACHE_DIR", "PoCL keeps built kernels there"},
    {"WOA_XCLBIN", "FPGA cards are configured with this file"},
    {"XILINX_XRT", "XRT's files are looked up there"},
    {"XCL_EMULATION_MODE", "XRT uses no card: `noop` computes nothing, other modes are refused"},
}};

void look_at_environment(std::vector<Finding>& findings) {
  bool any = false;
  for (const Variable& variable : kVariables) {
    const char* value = std::getenv(variable.name);
    if (value == nullptr) continue;
    any = true;
    findings.push_back(good("environment", std::string(variable.name) + "=" + value + ": " + variable.effect));
  }
  if (!any) findings.push_back(good("environment", "no variable is set that changes what `woa` finds"));
}

void look_at_machine_file(std::vector<Finding>& findings) {
  const std::string again = "`woa calibrate` measures this machine, in about a minute";
  const auto path = default_machine_file();
  std::error_code error;
  if (!path || !fs::exists(*path, error)) {
    findings.push_back(absent("machine file", "none: assumed costs of links are used", again));
    return;
  }
  const MachineFile file = read_machine_file(*path);
  if (!file.diagnostics.empty()) {
    findings.push_back(fault("machine file", first_problem(file), again));
  } else if (file.calibration && file.calibration->processor != processor_name()) {
    findings.push_back(
        fault("machine file", path->string() + " is of another processor, " + file.calibration->processor, again));
  } else {
    findings.push_back(good("machine file", path->string()));
  }
}

}  // namespace

std::vector<Finding> diagnose() {
  std::vector<Finding> findings;
  look_at_kernels(findings);
  look_at_devices(findings);
  look_at_libfabric(findings);
  look_at_launcher(findings);
  look_at_shared_memory(findings);
  look_at_limits(findings);
  look_at_cgroup(findings);
  look_at_ports(findings);
  look_at_environment(findings);
  look_at_machine_file(findings);
  return findings;
}

std::vector<Finding> diagnose_fpga() {
  std::vector<Finding> findings;
  for (XrtCheck& check : check_xrt("/"))
    findings.push_back({std::move(check.subject), check.good ? Health::kGood : Health::kFault, std::move(check.found),
                        std::move(check.advice), std::move(check.asked)});
  return findings;
}

}  // namespace woa::tools
