#include "controllers/fpga/xrt/node_unit.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include "controllers/fpga/xrt/devices.h"
#include "runtime/base/quantities.h"
#include "runtime/base/text.h"

namespace woa {
namespace {

constexpr unsigned kMostMs = 5'000;  // of a command while stages are loaded
constexpr std::uint64_t kPlainMemory = 0;
constexpr std::uint32_t kStartTicket = 0x57415254;  // of commands while stages are loaded: not 0, as memory may be

// The library's reason, read before another call changes it. The C interface does not always give one.
std::string why() {
  const int error = errno;
  return error == 0 ? "XRT gives no reason" : reason_of(error);
}

}  // namespace

std::string_view state_text(int state) noexcept {
  switch (state) {
    case xrt::kCompleted: return "completed";
    case xrt::kError: return "error";
    case xrt::kAbort: return "aborted";
    case xrt::kTimeout: return "timed out";
    case xrt::kNoResponse: return "no response";
    default: return "not ended";
  }
}

bool run_has_ended(int state) noexcept {
  return state == xrt::kCompleted || state == xrt::kError || state == xrt::kAbort || state == xrt::kNoResponse;
}

Status NodeUnit::open() {
  const std::string at = "card '" + card_.description.device + "'";
  errno = 0;
  device_ = {xrt_.device_open(card_.index), {xrt_.device_close}};
  if (device_ == nullptr)
    return {Code::kUnavailable, "XRT does not open " + at + " (" + why() + "): `woa doctor --fpga` looks why"};
  const std::string file = card_.xclbin_file.string();
  if (xrt_.load_xclbin(device_.get(), file.c_str()) != 0) {
    const std::string failure = "XRT does not configure " + at + " with " + file + ", built for platform '" +
                                card_.xclbin.platform + "' (" + why() + "): ";
    const std::string shell =
        card_.description.simulated ? "" : other_shell(card_functions("/"), card_.xclbin.platform);
    if (!shell.empty()) return {Code::kUnavailable, failure + shell + ": choose a file for that one (docs/fpga.md)"};
    return {Code::kUnavailable, failure +
                                    "end the processes that use the card with another file, or choose a file for "
                                    "the card's shell; `woa doctor --fpga` shows that shell"};
  }
  WOA_RETURN_IF_ERROR(take_unit(at));
  return choose_bank();
}

// The first unit that nobody has.
Status NodeUnit::take_unit(const std::string& at) {
  const std::string kernel(wact::kKernelName);
  std::string taken;
  for (const std::uint32_t unit : card_.xclbin.units_of(kernel)) {
    const std::string name = kernel + ":{" + card_.xclbin.units[unit].name + "}";
    errno = 0;
    kernel_ = {xrt_.kernel_open_exclusive(device_.get(), card_.xclbin.uuid.data(), name.c_str()), {xrt_.kernel_close}};
    unit_ = unit;
    if (kernel_ != nullptr) return {};
    taken.append(taken.empty() ? "" : ", ").append(name + " (" + why() + ")");
  }
  return {Code::kUnavailable, "every unit of the packet node on " + at +
                                  " is taken by another controller or process: " + taken +
                                  "; end it, or use another card. A node numbers its packets, so it serves one "
                                  "controller"};
}

Status NodeUnit::choose_bank() {
  group_ = group_of(wact::kArgumentCommand);
  for (const wact::Argument argument : {wact::kArgumentInput, wact::kArgumentOutput, wact::kArgumentResult})
    if (group_ < 0 || group_of(argument) != group_)
      return {Code::kUnsupported, "the arguments of unit '" + card_.xclbin.units[unit_].name +
                                      "' lie in different memory banks, or in none: argument 0 in group " +
                                      std::to_string(group_) + ", argument " + std::to_string(argument) + " in group " +
                                      std::to_string(group_of(argument)) +
                                      "; link the kernel's memory port to one bank (docs/fpga.md)"};
  return {};
}

int NodeUnit::group_of(wact::Argument argument) const {
  return xrt_.kernel_group(kernel_.get(), static_cast<int>(argument));
}

std::string NodeUnit::bank_text() const {
  return list_of(card_.xclbin.banks_of(unit_, wact::kArgumentCommand), [&](std::uint32_t bank) {
    return card_.xclbin.banks[bank].name + " of " + bytes_text(card_.xclbin.banks[bank].bytes);
  });
}

Status NodeUnit::no_room(std::size_t bytes, const std::string& what, const std::string& reason) const {
  return {Code::kExhausted, "no room for " + bytes_text(bytes) + " (" + what + ") on card '" +
                                card_.description.device + "' (" + reason + "): its memory is " + bank_text() +
                                ", and " + bytes_text(taken_bytes_) + " of that are this controller's"};
}

Result<XrtBuffer> NodeUnit::allocate(std::size_t bytes, const std::string& what) {
  errno = 0;
  XrtBuffer buffer{
      {xrt_.buffer_alloc(device_.get(), bytes, kPlainMemory, static_cast<std::uint32_t>(group_)), {xrt_.buffer_free}},
      {}};
  if (buffer.handle == nullptr) return no_room(bytes, what, why());
  auto* const host = static_cast<std::byte*>(xrt_.buffer_map(buffer.handle.get()));
  if (host == nullptr) return no_room(bytes, what, "no host memory: " + why());
  buffer.host = {host, bytes};
  taken_bytes_ += bytes;
  return buffer;
}

Result<XrtBuffer> NodeUnit::share(std::span<std::byte> memory, const std::string& what) {
  errno = 0;
  XrtBuffer buffer{
      {xrt_.buffer_user(device_.get(), memory.data(), memory.size(), kPlainMemory, static_cast<std::uint32_t>(group_)),
       {xrt_.buffer_free}},
      memory};
  if (buffer.handle == nullptr) {
    const std::string reason = why();
    return {Code::kExhausted, "card '" + card_.description.device + "' takes no buffer over " +
                                  bytes_text(memory.size()) + " of host memory, " + what + " (" + reason +
                                  "): its driver refuses that, or bank " + bank_text() + " has no room beside " +
                                  bytes_text(taken_bytes_) + " of this controller's"};
  }
  taken_bytes_ += memory.size();
  return buffer;
}

Result<XrtBuffer> NodeUnit::part(const XrtBuffer& buffer, std::size_t offset, std::size_t bytes) const {
  errno = 0;
  XrtBuffer part{{xrt_.buffer_part(buffer.handle.get(), bytes, offset), {xrt_.buffer_free}},
                 buffer.host.subspan(offset, bytes)};
  if (part.handle == nullptr)
    return {Code::kInternal, "XRT makes no part of " + bytes_text(bytes) + " at byte " + std::to_string(offset) +
                                 " of a buffer of " + bytes_text(buffer.host.size()) + " (" + why() + ")"};
  return part;
}

Result<XrtOwned> NodeUnit::make_run() const {
  errno = 0;
  XrtOwned run{xrt_.run_open(kernel_.get()), {xrt_.run_close}};
  if (run == nullptr) return {Code::kExhausted, "XRT makes no run of unit '" + unit_name() + "' (" + why() + ")"};
  return run;
}

Status NodeUnit::set(xrt::RunHandle run, wact::Argument argument, const XrtBuffer& buffer) const {
  errno = 0;
  if (xrt_.run_set_argument(run, static_cast<int>(argument), buffer.handle.get()) == 0) return {};
  return refused("argument " + std::to_string(argument) + ", a buffer in the bank of the others,");
}

Status NodeUnit::set(xrt::RunHandle run, wact::Argument argument, std::uint32_t value) const {
  errno = 0;
  if (xrt_.run_set_argument(run, static_cast<int>(argument), value) == 0) return {};
  return refused("argument " + std::to_string(argument));
}

Status NodeUnit::sync(const XrtBuffer& buffer, xrt::SyncDirection direction, std::size_t bytes) const {
  errno = 0;
  if (bytes == 0 || xrt_.buffer_sync(buffer.handle.get(), direction, bytes, 0) == 0) return {};
  return {Code::kUnavailable, "copying " + bytes_text(bytes) + (direction == xrt::kToDevice ? " to" : " from") +
                                  " card '" + card_.description.device + "' failed (" + why() +
                                  "): the kernel's log tells more (`dmesg`)"};
}

Status NodeUnit::start(xrt::RunHandle run) const {
  errno = 0;
  return xrt_.run_start(run) == 0 ? Status() : refused("the start of a run");
}

Status NodeUnit::refused(const std::string& what) const {
  return {Code::kUnavailable, "XRT refuses " + what + " of unit '" + unit_name() + "' on card '" +
                                  card_.description.device + "' (" + why() + ")"};
}

Status NodeUnit::check_directory(const Line& directory, std::uint32_t ticket) const {
  const std::uint32_t magic = directory[wact::kDirectoryMagic], found = directory[wact::kDirectoryTicket];
  if (magic != wact::kDirectoryId || found != ticket) {
    if (!card_.computes)
      return {Code::kUnsupported, "'" + card_.description.device +
                                      "' runs no kernel: use a card, or the back-end `verilator`, which simulates the "
                                      "same RTL"};
    return {Code::kDataLoss, "it completed, and its result is not there: found ticket " + std::to_string(found) +
                                 " behind magic " + std::to_string(magic)};
  }
  switch (directory[wact::kDirectoryState]) {
    case wact::kStateDone: return {};
    case wact::kStateMemory:
      return {Code::kKernelFailed,
              "it could not reach its memory: the kernel's port is linked to another bank than the xclbin says, or the "
              "card must be reset (`xbutil reset`)"};
    case wact::kStateNoRoom: return {Code::kDataLoss, "it found no room for its result or output"};
    default: return {Code::kInternal, "it refused its command: the kernel and this program are of different versions"};
  }
}

Result<std::vector<NodeUnit::Line>> NodeUnit::run(std::vector<Line> command, std::size_t result_lines,
                                                  std::string_view what) {
  command[0][wact::kCommandTicket] = kStartTicket;
  auto in = allocate(command.size() * sizeof(Line), "a command");
  if (!in.ok()) return in.status();
  auto out = allocate((1 + result_lines) * sizeof(Line), "a result");
  if (!out.ok()) return out.status();
  auto made = make_run();
  if (!made.ok()) return made.status();
  std::memcpy(in->host.data(), command.data(), in->host.size());
  xrt::RunHandle handle = made->get();
  for (const auto& [argument, buffer] :
       {std::pair{wact::kArgumentCommand, &*in}, std::pair{wact::kArgumentInput, &*in},
        std::pair{wact::kArgumentOutput, &*out}, std::pair{wact::kArgumentResult, &*out}})
    WOA_RETURN_IF_ERROR(set(handle, argument, *buffer));
  WOA_RETURN_IF_ERROR(set(handle, wact::kArgumentCommandBytes, static_cast<std::uint32_t>(in->host.size())));
  WOA_RETURN_IF_ERROR(set(handle, wact::kArgumentInputBytes, 0U));
  WOA_RETURN_IF_ERROR(set(handle, wact::kArgumentOutputBytes, 0U));
  WOA_RETURN_IF_ERROR(set(handle, wact::kArgumentResultBytes, static_cast<std::uint32_t>(out->host.size())));
  WOA_RETURN_IF_ERROR(sync(*in, xrt::kToDevice, in->host.size()));
  WOA_RETURN_IF_ERROR(start(handle));
  const std::string failed = "unit '" + unit_name() + "' on card '" + card_.description.device +
                             "' did not carry out the command '" + std::string(what) + "': ";
  if (const int state = xrt_.run_wait(handle, kMostMs); state != xrt::kCompleted) {
    if (!run_has_ended(state))
      for (XrtOwned* const used : {&*made, &in->handle, &out->handle}) (void)used->release();  // the unit may use them
    return {Code::kKernelFailed, failed + "the run's state after at most 5 s is '" + std::string(state_text(state)) +
                                     "'; reset the card (`xbutil reset`)"};
  }
  WOA_RETURN_IF_ERROR(sync(*out, xrt::kFromDevice, out->host.size()));
  std::vector<Line> lines(1 + result_lines);
  std::memcpy(lines.data(), out->host.data(), out->host.size());
  const Status told = card_.computes ? check_directory(lines[0], kStartTicket) : Status();
  if (!told.ok()) return {told.code(), failed + told.message()};
  taken_bytes_ -= in->host.size() + out->host.size();
  return lines;
}

}  // namespace woa
