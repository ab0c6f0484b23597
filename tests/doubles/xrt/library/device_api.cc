// Devices, xclbin files, kernels, and the configuration.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "tests/doubles/xrt/library/exports.h"
#include "tests/doubles/xrt/library/library.h"

const char woa_xrt_double[] = "Test double of a card (RTL verilated)";

namespace woa::xrt {
namespace {

using xrt_double::Board;
using xrt_double::broken;
using xrt_double::Device;
using xrt_double::enter;
using xrt_double::fails;
using xrt_double::Failure;
using xrt_double::find;
using xrt_double::Kernel;
using xrt_double::library;
using xrt_double::options;
using xrt_double::refuse;

constexpr int kNoGroup = -EINVAL;
constexpr std::array kWidths = {64U, 512U};  // bits, of the kernels that Verilator made

// Offsets of the kernel's arguments among its registers.
constexpr std::uint32_t kOffsets[] = {wact::kArgumentAtCommand,      wact::kArgumentAtInput,
                                      wact::kArgumentAtOutput,       wact::kArgumentAtResult,
                                      wact::kArgumentAtCommandBytes, wact::kArgumentAtInputBytes,
                                      wact::kArgumentAtOutputBytes,  wact::kArgumentAtResultBytes};
static_assert(std::size(kOffsets) == xrt_double::kArguments);

// Locks or unlocks a byte of the file that stands for the card; false: another process has it.
bool lock_card(Board& board, std::uint32_t slot, short type) {
  if (options().card.empty()) return true;
  if (board.lock_file < 0)
    board.lock_file =
        ::open((options().card + std::to_string(board.index)).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = slot;
  lock.l_len = 1;
  return ::fcntl(board.lock_file, F_SETLK, &lock) == 0;
}

// The unit of "kernel" or "kernel:{unit}"; none: errno says why.
std::optional<std::uint32_t> find_unit(const Xclbin& xclbin, std::string_view name) {
  const std::size_t colon = name.find(":{");
  const std::string_view kernel = name.substr(0, colon);
  const std::vector<std::uint32_t> units = xclbin.units_of(kernel);
  if (units.empty()) return refuse("xrtPLKernelOpen", ENOENT, "no such kernel"), std::nullopt;
  if (colon == std::string_view::npos) {
    if (units.size() == 1) return units.front();
    broken("unit", "xrtPLKernelOpen", "the kernel has several units, and each counts for itself: name one");
    return std::nullopt;
  }
  for (const std::uint32_t unit : units)
    if (name.substr(colon) == ":{" + xclbin.units[unit].name + "}") return unit;
  return refuse("xrtPLKernelOpen", ENOENT, "no such unit of the kernel"), std::nullopt;
}

// Takes the unit; false: it is taken already.
bool take_unit(Board& board, std::uint32_t unit, bool exclusive) {
  Board::Slot& slot = board.slots[unit];
  if (slot.exclusive != 0 || (exclusive && slot.shared != 0)) return false;
  const bool is_first = slot.shared == 0;
  if (is_first && !lock_card(board, unit, exclusive ? F_WRLCK : F_RDLCK)) return false;
  ++(exclusive ? slot.exclusive : slot.shared);
  static std::mutex making;  // Verilator keeps the model that it makes in a global
  const std::lock_guard lock(making);
  if (slot.unit == nullptr)
    slot.unit = std::make_unique<xrt_double::Unit>(board.banks, options().seed * 1000003 + board.index * 101 + unit,
                                                   board.xclbin->node ? board.xclbin->node->width : kWidths.back());
  return true;
}

KernelHandle open_kernel(DeviceHandle handle, const unsigned char uuid[16], const char* name, bool exclusive) {
  Device* const device = find(library().devices, handle, "xrtPLKernelOpen");
  if (device == nullptr) return nullptr;
  Board& board = *device->board;
  if (board.lost()) return refuse("xrtPLKernelOpen", ENODEV, "the card is lost"), nullptr;
  if (fails(Failure::kernel)) return refuse("xrtPLKernelOpen", EIO, "the driver failed"), nullptr;
  const std::lock_guard lock(board.mutex);
  if (!board.xclbin || std::memcmp(board.xclbin->uuid.data(), uuid, board.xclbin->uuid.size()) != 0) {
    broken("xclbin", "xrtPLKernelOpen", "this is not the xclbin that the card has loaded");
    return nullptr;
  }
  const std::optional<std::uint32_t> unit = find_unit(*board.xclbin, name);
  if (!unit) return nullptr;
  if (fails(Failure::busy) || !take_unit(board, *unit, exclusive))
    return refuse("xrtPLKernelOpen", EBUSY, "another one has the unit"), nullptr;
  auto kernel = std::make_unique<Kernel>();
  *kernel = {device, *unit, exclusive, board.xclbin->units[*unit].kernel == wact::kKernelName};
  return library().kernels.add(std::move(kernel));
}

}  // namespace

DeviceHandle xrtDeviceOpen(unsigned index) {
  if (!enter("xrtDeviceOpen")) return nullptr;
  library().opened.store(true);
  if (index >= library().boards.size() || fails(Failure::no_card))
    return refuse("xrtDeviceOpen", ENODEV, "no such card"), nullptr;
  return library().devices.add(std::make_unique<Device>(Device{library().boards[index].get()}));
}

int xrtDeviceClose(DeviceHandle handle) {
  const Device* const device = find(library().devices, handle, "xrtDeviceClose");
  if (device == nullptr) return EPERM;
  const std::string leaks = device->board->failed() ? "" : leaks_of(*device);
  if (!leaks.empty()) return broken("leak", "xrtDeviceClose", "the device still has " + leaks);
  library().devices.end(device);
  return 0;
}

int xrtDeviceLoadXclbinFile(DeviceHandle handle, const char* path) {
  constexpr const char* kName = "xrtDeviceLoadXclbinFile";
  const Device* const device = find(library().devices, handle, kName);
  if (device == nullptr) return EPERM;
  Board& board = *device->board;
  if (fails(Failure::load)) return refuse(kName, EIO, "the driver failed");
  auto xclbin = read_xclbin(path);
  if (!xclbin.ok()) return refuse(kName, EINVAL, xclbin.status().message());
  if (xclbin->node && std::ranges::find(kWidths, xclbin->node->width) == kWidths.end())
    return refuse(kName, EINVAL, "the double has the kernel at 64 and at 512 bits");
  if (fails(Failure::wrong_shell)) return refuse(kName, EINVAL, "the xclbin does not fit the card's shell");
  std::vector<Board::Slot> before;  // its threads end without the lock
  const std::lock_guard lock(board.mutex);
  if (board.xclbin && board.xclbin->uuid == xclbin->uuid) return 0;
  const auto of_board = [&](const auto& object) { return object.device->board == &board; };
  if (library().kernels.count(of_board) + library().buffers.count(of_board) != 0)
    return broken("xclbin", kName, "kernels or buffers of the xclbin before are open");
  std::vector<std::uint64_t> banks;
  for (const Xclbin::Bank& bank : xclbin->banks)
    banks.push_back(bank.used ? std::min(bank.bytes, options().memory_bytes) : 0);
  board.banks.set(std::move(banks));
  before.swap(board.slots);
  board.slots.resize(xclbin->units.size());
  board.xclbin = *std::move(xclbin);
  return 0;
}

int xrtDeviceGetXclbinUUID(DeviceHandle handle, unsigned char uuid[16]) {
  const Device* const device = find(library().devices, handle, "xrtDeviceGetXclbinUUID");
  if (device == nullptr) return EPERM;
  const std::lock_guard lock(device->board->mutex);
  if (!device->board->xclbin) return refuse("xrtDeviceGetXclbinUUID", EINVAL, "no xclbin is loaded");
  std::memcpy(uuid, device->board->xclbin->uuid.data(), device->board->xclbin->uuid.size());
  return 0;
}

KernelHandle xrtPLKernelOpen(DeviceHandle device, const unsigned char uuid[16], const char* name) {
  return open_kernel(device, uuid, name, false);
}

KernelHandle xrtPLKernelOpenExclusive(DeviceHandle device, const unsigned char uuid[16], const char* name) {
  return open_kernel(device, uuid, name, true);
}

int xrtKernelClose(KernelHandle handle) {
  const Kernel* const kernel = find(library().kernels, handle, "xrtKernelClose");
  if (kernel == nullptr) return EPERM;
  Board& board = *kernel->device->board;
  const auto of_kernel = [&](const xrt_double::Run& run) { return run.kernel == kernel; };
  if (!board.failed() && library().runs.count(of_kernel) != 0)
    return broken("in_use", "xrtKernelClose", "runs of the kernel are open");
  library().kernels.end(kernel);
  const std::lock_guard lock(board.mutex);
  Board::Slot& slot = board.slots[kernel->slot];
  --(kernel->exclusive ? slot.exclusive : slot.shared);
  if (slot.exclusive + slot.shared == 0) lock_card(board, kernel->slot, F_UNLCK);
  return 0;
}

int xrtKernelArgGroupId(KernelHandle handle, int argument) {
  const Kernel* const kernel = find(library().kernels, handle, "xrtKernelArgGroupId");
  if (kernel == nullptr) return -EPERM;
  Board& board = *kernel->device->board;
  const std::lock_guard lock(board.mutex);
  const auto banks = board.xclbin->banks_of(kernel->slot, static_cast<std::uint32_t>(argument));
  if (argument < 0 || banks.empty() || fails(Failure::group))
    return refuse("xrtKernelArgGroupId", EINVAL, "the argument lies in no memory"), kNoGroup;
  return static_cast<int>(options().ignore.bank ? (banks.front() + 1) % board.banks.count() : banks.front());
}

std::uint32_t xrtKernelArgOffset(KernelHandle handle, int argument) {
  const Kernel* const kernel = find(library().kernels, handle, "xrtKernelArgOffset");
  if (kernel != nullptr && kernel->is_node && argument >= 0 && argument < xrt_double::kArguments)
    return kOffsets[argument];
  if (kernel != nullptr) refuse("xrtKernelArgOffset", EINVAL, "no such argument");
  return ~std::uint32_t{0};
}

int xrtIniStringSet(const char* key, const char* value) {
  if (!enter("xrtIniStringSet")) return EPERM;
  if (std::strcmp(key, "Runtime.runtime_log") == 0) library().silent.store(std::strcmp(value, "null") == 0);
  return 0;
}

int xrtIniUintSet(const char*, unsigned) { return enter("xrtIniUintSet") ? 0 : EPERM; }

}  // namespace woa::xrt
