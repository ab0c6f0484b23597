// Buffers, and the copies between their two sides.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <random>
#include <thread>

#include "tests/doubles/common/delays.h"
#include "tests/doubles/common/pages.h"
#include "tests/doubles/xrt/library/exports.h"
#include "tests/doubles/xrt/library/library.h"

namespace woa::xrt {
namespace {

using doubles::Pages;
using xrt_double::broken;
using xrt_double::Buffer;
using xrt_double::Device;
using xrt_double::fails;
using xrt_double::Failure;
using xrt_double::find;
using xrt_double::library;
using xrt_double::options;
using xrt_double::refuse;
using xrt_double::Run;

constexpr std::size_t kLine = wact::kLineBytes;

// Draws of all threads together, since each thread has copies of its own to delay.
struct Chance {
  std::uint64_t delay_us = 0;
  bool ignored = false;
};
Chance draw() {
  static std::mutex mutex;
  static std::mt19937_64 random(options().seed * 7919);
  const std::lock_guard lock(mutex);
  const auto delay = options().seed == 0 ? std::chrono::microseconds(0) : doubles::draw_delay(random);
  return {static_cast<std::uint64_t>(delay.count()), random() % xrt_double::kIgnoredOften == 0};
}

BufferHandle add_buffer(std::string_view function, Device* device, std::size_t bytes, std::uint64_t flags,
                        std::uint32_t group, std::byte* user) {
  xrt_double::Board& board = *device->board;
  if (board.lost()) return refuse(function, ENODEV, "the card is lost"), nullptr;
  if (bytes == 0 || flags != 0) return refuse(function, EINVAL, "a size of 0, or flags"), nullptr;
  if (group >= board.banks.count()) return refuse(function, EINVAL, "no such bank"), nullptr;
  const bool refused = fails(Failure::alloc);
  auto memory = refused ? nullptr : board.banks.add(group, bytes, user);
  if (memory == nullptr) return refuse(function, ENOMEM, "out of memory"), nullptr;
  auto buffer = std::make_unique<Buffer>();
  buffer->device = device;
  buffer->memory = std::move(memory);
  buffer->bytes = bytes;
  return library().buffers.add(std::move(buffer));
}

// Bytes of the card's memory.
struct Range {
  std::uint64_t at, bytes;
};

// Bytes that a run wrote, and that shall not come to the host.
Range withheld_result(const WactArguments& run) {
  const auto& ignore = options().ignore;
  if (ignore.result_sync) return {run.result, run.result_bytes};
  return ignore.result_short ? Range{run.result + kLine, run.result_bytes - kLine} : Range{};  // the directory comes
}

Range withheld_output(const WactArguments& run, xrt_double::Board& board) {
  const auto& ignore = options().ignore;
  if (ignore.output_sync) return {run.output, run.output_bytes};
  const std::span<const std::byte> directory = board.banks.at(run.result, kLine);
  if (!ignore.output_short || directory.empty()) return {};
  std::uint32_t written = 0;
  std::memcpy(&written, directory.data() + sizeof written * wact::kDirectoryOutputBytes, sizeof written);
  written = std::min(written, run.output_bytes);
  const std::uint32_t last = std::min<std::uint32_t>(written, kLine);
  return {run.output + written - last, last};
}

std::vector<Range> withheld_of(xrt_double::Board& board) {
  const auto& ignore = options().ignore;
  if (!ignore.result_sync && !ignore.result_short && !ignore.output_sync && !ignore.output_short) return {};
  std::vector<Range> withheld;
  library().runs.each([&](Run& run) {
    const std::lock_guard lock(run.mutex);
    if (!run.started || run.kernel->device->board != &board) return;
    withheld.push_back(withheld_result(run.arguments));
    withheld.push_back(withheld_output(run.arguments, board));
  });
  return withheld;
}

// Copies what is not withheld.
void copy_to_host(Buffer& buffer, std::size_t at, std::size_t bytes) {
  const std::vector<Range> withheld = withheld_of(*buffer.device->board);
  if (withheld.empty()) {
    std::memcpy(buffer.host() + at, buffer.card() + at, bytes);
    return;
  }
  std::vector<std::byte> copied(buffer.card() + at, buffer.card() + at + bytes);
  const std::uint64_t begin = buffer.address() + at, end = begin + bytes;
  for (const Range& range : withheld) {
    const std::uint64_t from = std::max(begin, range.at), to = std::min(end, range.at + range.bytes);
    if (from < to) std::memcpy(copied.data() + (from - begin), buffer.host() + at + (from - begin), to - from);
  }
  std::memcpy(buffer.host() + at, copied.data(), bytes);
}

void copy(Buffer& buffer, int direction, std::size_t at, std::size_t bytes) {
  const Chance chance = draw();
  std::this_thread::sleep_for(options().transfer + std::chrono::microseconds(chance.delay_us));
  if (options().ignore.sync && chance.ignored) return;
  if (direction == kFromDevice) {
    copy_to_host(buffer, at, bytes);
  } else {
    std::memcpy(buffer.card() + at, buffer.host() + at, bytes);
  }
}

}  // namespace

BufferHandle xrtBOAlloc(DeviceHandle handle, std::size_t bytes, std::uint64_t flags, std::uint32_t group) {
  Device* const device = find(library().devices, handle, "xrtBOAlloc");
  return device == nullptr ? nullptr : add_buffer("xrtBOAlloc", device, bytes, flags, group, nullptr);
}

BufferHandle xrtBOAllocUserPtr(DeviceHandle handle, void* memory, std::size_t bytes, std::uint64_t flags,
                               std::uint32_t group) {
  constexpr const char* kName = "xrtBOAllocUserPtr";
  Device* const device = find(library().devices, handle, kName);
  if (device == nullptr) return nullptr;
  if (options().no_user_pointer) return refuse(kName, EOPNOTSUPP, "the driver takes no memory of the caller"), nullptr;
  if (reinterpret_cast<std::uintptr_t>(memory) % static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE)) != 0)
    return refuse(kName, EINVAL, "the memory does not begin with a page"), nullptr;
  if (bytes != 0 && doubles::pages_of(memory, bytes) != Pages::kWritable)
    return refuse(kName, EFAULT, "the memory is not mapped, or not for writing"), nullptr;
  return add_buffer(kName, device, bytes, flags, group, static_cast<std::byte*>(memory));
}

BufferHandle xrtBOSubAlloc(BufferHandle handle, std::size_t bytes, std::size_t offset) {
  constexpr const char* kName = "xrtBOSubAlloc";
  Buffer* const parent = find(library().buffers, handle, kName);
  if (parent == nullptr) return nullptr;
  if (bytes == 0 || offset > parent->bytes || bytes > parent->bytes - offset)
    return broken("part", kName, "the part is empty, or reaches beyond its parent"), nullptr;
  if (offset % kLine != 0) return broken("alignment", kName, "the offset is no multiple of 64 bytes"), nullptr;
  if (fails(Failure::alloc)) return refuse(kName, ENOMEM, "out of memory"), nullptr;
  auto part = std::make_unique<Buffer>();
  part->device = parent->device;
  part->memory = parent->memory;
  part->offset = parent->offset + offset;
  part->bytes = bytes;
  part->parent = parent;
  if (options().ignore.alignment && bytes > kLine / 2) {
    part->offset += kLine / 2;
    part->bytes -= kLine / 2;
  }
  return library().buffers.add(std::move(part));
}

int xrtBOFree(BufferHandle handle) {
  const Buffer* const buffer = find(library().buffers, handle, "xrtBOFree");
  if (buffer == nullptr) return EPERM;
  if (buffer->users.load() != 0) return broken("in_use", "xrtBOFree", "a run under way uses the buffer");
  if (library().buffers.count([&](const Buffer& part) { return part.parent == buffer; }) != 0)
    return broken("in_use", "xrtBOFree", "the buffer has parts: free them first");
  library().buffers.end(buffer);
  if (buffer->parent == nullptr) buffer->device->board->banks.remove(*buffer->memory);
  const_cast<Buffer*>(buffer)->memory.reset();
  return 0;
}

std::size_t xrtBOSize(BufferHandle handle) {
  const Buffer* const buffer = find(library().buffers, handle, "xrtBOSize");
  return buffer == nullptr ? 0 : buffer->bytes;
}

void* xrtBOMap(BufferHandle handle) {
  const Buffer* const buffer = find(library().buffers, handle, "xrtBOMap");
  return buffer == nullptr ? nullptr : buffer->host();
}

int xrtBOSync(BufferHandle handle, int direction, std::size_t bytes, std::size_t offset) {
  constexpr const char* kName = "xrtBOSync";
  Buffer* const buffer = find(library().buffers, handle, kName);
  if (buffer == nullptr) return EPERM;
  if (direction != kToDevice && direction != kFromDevice) return refuse(kName, EINVAL, "no such direction");
  if (offset > buffer->bytes || bytes > buffer->bytes - offset)
    return broken("range", kName, "the bytes reach beyond the buffer");
  if (buffer->device->board->lost()) return refuse(kName, ENODEV, "the card is lost");
  if (fails(Failure::sync)) return refuse(kName, EIO, "the transfer failed");
  copy(*buffer, direction, offset, bytes);
  return 0;
}

std::uint64_t xrtBOAddress(BufferHandle handle) {
  const Buffer* const buffer = find(library().buffers, handle, "xrtBOAddress");
  return buffer == nullptr ? ~std::uint64_t{0} : buffer->address();
}

}  // namespace woa::xrt
