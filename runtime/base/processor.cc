#include "runtime/base/processor.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include "runtime/base/cgroup_limits.h"
#include "runtime/base/unique_fd.h"

namespace woa {
namespace {

// The processors that this process may use: "0, 1".
std::string allowed_text(const cpu_set_t& set) {
  std::string text;
  for (std::size_t k = 0; k < CPU_SETSIZE; ++k)
    if (CPU_ISSET(k, &set)) text += (text.empty() ? "" : ", ") + std::to_string(k);
  return text;
}

bool has(const cpu_set_t& set, int processor) {
  return processor >= 0 && processor < CPU_SETSIZE && CPU_ISSET(static_cast<std::size_t>(processor), &set);
}

// The processors that the calling thread may run on; none if the system does not say.
cpu_set_t mask_of_thread() noexcept {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) CPU_ZERO(&set);
  return set;
}

cpu_set_t set_of(const Processors& processors) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int processor : processors)
    if (processor >= 0 && processor < CPU_SETSIZE) CPU_SET(static_cast<std::size_t>(processor), &set);
  return set;
}

// The system's list of the processors that are here and in use: "0-3,8". Empty: it has none.
std::string online_processors() {
  std::string list;
  std::ifstream("/sys/devices/system/cpu/online") >> list;
  return list;
}

bool is_in_list(int processor, const std::string& list) {
  std::istringstream ranges(list);
  int first = 0;
  while (ranges >> first) {
    int last = first;
    if (ranges.peek() == '-') ranges.ignore() >> last;
    if (processor >= first && processor <= last) return true;
    ranges.ignore();  // the comma
  }
  return false;
}

// Linux lets a thread leave the mask that it was started with, but not the set of its control group.
bool does_group_allow(int processor) {
  const cpu_set_t before = mask_of_thread(), wanted = set_of({processor});
  if (::sched_setaffinity(0, sizeof wanted, &wanted) != 0) return false;
  ::sched_setaffinity(0, sizeof before, &before);
  return true;
}

Status not_allowed(int processor, const cpu_set_t& allowed) {
  const std::string online = online_processors();
  const std::string why = !online.empty() && !is_in_list(processor, online) ? "this machine has processors " + online
                          : does_group_allow(processor) ? "this process was started for other processors (`taskset`)"
                                                        : "the control group of this process has others (cpuset)";
  return {Code::kInvalid, "cannot pin to processor " + std::to_string(processor) + ": " + why +
                              "; this process may use " + allowed_text(allowed)};
}

// The last PinnedThread of a thread gives this mask back.
struct Unpinned {
  int pins = 0;
  cpu_set_t mask;
};
thread_local Unpinned unpinned;

// struct sched_attr of Linux in its first version, which C libraries may lack.
struct TurnAttributes {
  std::uint32_t size = sizeof(TurnAttributes), policy = SCHED_OTHER;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime_ns = 0, deadline_ns = 0, period_ns = 0;
};
constexpr std::uint64_t kShortTurnNs = 100'000;  // the shortest that Linux gives

// Sets the length of the calling thread's turns to `ns` if it has turns at all. Returns what it was before.
std::uint64_t set_turn(std::uint64_t ns) noexcept {
  TurnAttributes attributes;
  if (::syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0) return 0;
  if (attributes.policy != SCHED_OTHER && attributes.policy != SCHED_BATCH) return 0;
  const std::uint64_t before = attributes.runtime_ns;
  attributes.runtime_ns = ns;
  return ::syscall(SYS_sched_setattr, 0, &attributes, 0) == 0 ? before : 0;
}

}  // namespace

std::size_t usable_processors() {
  constexpr std::uint64_t kMilliCore = 1000;
  cpu_set_t set;
  std::uint64_t usable = 1;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) usable = static_cast<std::uint64_t>(CPU_COUNT(&set));
  if (const auto cores = cgroup_limits().cores) usable = std::min(usable, (cores->most + kMilliCore - 1) / kMilliCore);
  return std::max<std::uint64_t>(usable, 1);
}

ProcessorUse use_of_process() noexcept {
  ProcessorUse use;
  timespec ran{};
  if (::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ran) == 0)
    use.ran_ns = static_cast<std::uint64_t>(ran.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(ran.tv_nsec);
  DIR* const tasks = ::opendir("/proc/self/task");
  if (tasks == nullptr) return use;
  while (const dirent* const task = ::readdir(tasks)) {  // NOLINT(concurrency-mt-unsafe): this thread's alone
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "/proc/self/task/%.16s/schedstat", task->d_name);
    const UniqueFd file(::open(text.data(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0 || ::read(file.get(), text.data(), text.size() - 1) <= 0) continue;
    char* end = text.data();
    (void)std::strtoull(end, &end, 10);  // that the thread ran: those that ended ran, too
    use.waited_ns += std::strtoull(end, &end, 10);
  }
  ::closedir(tasks);
  return use;
}

Processors allowed_processors() {
  const cpu_set_t set = mask_of_thread();
  Processors allowed;
  for (int processor = 0; processor < CPU_SETSIZE; ++processor)
    if (has(set, processor)) allowed.push_back(processor);
  return allowed;
}

// Lines of /proc/stat begin "cpu3 USER NICE SYSTEM IDLE IOWAIT IRQ SOFTIRQ STEAL"; that of all processors has no
// number.
std::uint64_t busy_time_ns(const Processors& processors) noexcept {
  constexpr std::size_t kMostText = 64 << 10;  // enough for 900 processors; other lines follow
  constexpr std::uint64_t kNsPerTick = 10'000'000;
  std::array<char, kMostText> text{};
  const UniqueFd file(::open("/proc/stat", O_RDONLY | O_CLOEXEC));
  const ssize_t bytes = file.get() < 0 ? -1 : ::read(file.get(), text.data(), text.size() - 1);
  if (bytes <= 0) return 0;
  text[static_cast<std::size_t>(bytes)] = 0;
  const cpu_set_t wanted = set_of(processors);
  std::uint64_t ticks = 0;
  for (char* line = std::strstr(text.data(), "\ncpu"); line != nullptr; line = std::strstr(line, "\ncpu")) {
    line += 4;
    if (!has(wanted, static_cast<int>(std::strtol(line, &line, 10)))) continue;
    for (int column = 0; column < 8; ++column) {
      const std::uint64_t spent = std::strtoull(line, &line, 10);
      if (column != 3 && column != 4) ticks += spent;  // idle, and idle while something waited for a disk
    }
  }
  return ticks * kNsPerTick;
}

void keep_kernels_to_one_thread() noexcept {
  for (const char* const name : {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"})
    ::setenv(name, "1", 0);  // NOLINT(concurrency-mt-unsafe): as the contract says
}

ShortTurns::ShortTurns() noexcept : thread_(::gettid()), before_ns_(set_turn(kShortTurnNs)) {}

ShortTurns::~ShortTurns() {
  if (thread_ == ::gettid()) set_turn(before_ns_);
}

std::string to_text(const Processors& processors) {
  std::string text;
  for (std::size_t k = 0; k < processors.size();) {
    std::size_t last = k;
    while (last + 1 < processors.size() && processors[last + 1] == processors[last] + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(processors[k]);
    if (last != k) text += "-" + std::to_string(processors[last]);
    k = last + 1;
  }
  return text;
}

std::string processors_text(const Processors& processors) {
  return (processors.size() == 1 ? "processor " : "processors ") + to_text(processors);
}

Status pin_thread(const Processors& processors) {
  if (processors.empty()) return {};
  const cpu_set_t before = mask_of_thread(), wanted = set_of(processors);
  const bool pinned = ::sched_setaffinity(0, sizeof wanted, &wanted) == 0;
  const cpu_set_t now = mask_of_thread();  // of a set that holds others, too, Linux takes those that are allowed
  const auto lacks = [&](int processor) { return !pinned || !has(now, processor); };
  const auto lacking = std::ranges::find_if(processors, lacks);
  if (lacking == processors.end()) return {};
  ::sched_setaffinity(0, sizeof before, &before);
  return not_allowed(*lacking, before);
}

Status check_processor(int processor) {
  const cpu_set_t allowed = unpinned.pins > 0 ? unpinned.mask : mask_of_thread();
  return has(allowed, processor) ? Status() : not_allowed(processor, allowed);
}

PinnedThread::PinnedThread() noexcept : thread_(::gettid()) {
  if (unpinned.pins++ == 0) unpinned.mask = mask_of_thread();
}

PinnedThread::~PinnedThread() {
  if (thread_ == ::gettid() && --unpinned.pins == 0) ::sched_setaffinity(0, sizeof unpinned.mask, &unpinned.mask);
}

Status PinnedThread::pin(const Processors& processors) { return pin_thread(processors); }

void ProcessorWatch::start() {
  allowed_ = allowed_processors();
  own_ = use_of_process();
  all_ns_ = busy_time_ns(allowed_);
}

// A thread that ends takes its waiting time with it.
ProcessorUse ProcessorWatch::own() const noexcept {
  const ProcessorUse now = use_of_process();
  return {now.ran_ns - std::min(now.ran_ns, own_.ran_ns), now.waited_ns - std::min(now.waited_ns, own_.waited_ns)};
}

std::uint64_t ProcessorWatch::all_ns() const noexcept {
  const std::uint64_t now = busy_time_ns(allowed_);
  return now - std::min(now, all_ns_);
}

}  // namespace woa
