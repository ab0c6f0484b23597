// A process with the double of XRT's library, and the least that a back-end does with it.
#pragma once

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>

#include "controllers/fpga/generated/wact_interface.h"
#include "controllers/fpga/xrt/xrt_api.h"
#include "runtime/packet/activation_packet.h"
#include "tests/unit/doubles/double_process.h"

#define DOUBLES WOA_BUILD_DIR "/tests/doubles/"

namespace woa::xrt {

using test::Ended;

struct Functions : Library {
  Functions() {
    void* const library = dlopen(DOUBLES "xrt/libxrt_coreutil.so.2", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) std::fprintf(stderr, "%s\n", dlerror()), _exit(1);
#define WOA_LOAD(member, symbol, result, parameters)                    \
  member = reinterpret_cast<decltype(member)>(dlsym(library, #symbol)); \
  NEED(member != nullptr);
    WOA_XRT_FUNCTIONS(WOA_LOAD)
#undef WOA_LOAD
  }
};

// A card with the packet node: stage 1 copies, and sends to stage 2. Its input and output are blocks of one region.
struct Rig : Functions {
  static constexpr std::size_t kPage = 65536;  // of any machine
  static constexpr std::size_t kBlock = 4096, kPayload = 192;
  static constexpr std::uint32_t kCommandBytes = 3 * wact::kLineBytes;  // of each command
  static constexpr std::uint32_t kRegion = 7, kOffset = 9;              // of the consumer's block

  DeviceHandle device = nullptr;
  std::array<unsigned char, 16> uuid{};
  KernelHandle kernel = nullptr;
  std::byte* region = nullptr;
  BufferHandle whole = nullptr;
  std::array<BufferHandle, 2> inputs{}, outputs{};

  // A run with what belongs to it.
  struct Slot {
    RunHandle run = nullptr;
    BufferHandle command = nullptr, result = nullptr;
    std::uint32_t* command_words = nullptr;
    const std::uint32_t* result_words = nullptr;
    std::atomic<int> state{0};  // that the callback brought; 0: none
    static void ended(RunHandle, int state, void* slot) { static_cast<Slot*>(slot)->state.store(state); }
  };
  std::array<Slot, 2> slots;

  Rig() {
    NEED((device = device_open(0)) != nullptr);
    NEED(load_xclbin(device, DOUBLES "xrt/woa.xclbin") == 0 && xclbin_uuid(device, uuid.data()) == 0);
    NEED((kernel = kernel_open_exclusive(device, uuid.data(), "woa_wact:{woa_wact_1}")) != nullptr);
    NEED((region = static_cast<std::byte*>(std::aligned_alloc(kPage, kPage))) != nullptr);
    NEED((whole = buffer_user(device, region, kPage, 0, group(wact::kArgumentInput))) != nullptr);
    for (std::size_t k = 0; k < 2; ++k) {
      NEED((inputs[k] = buffer_part(whole, kBlock, 2 * k * kBlock)) != nullptr);
      NEED((outputs[k] = buffer_part(whole, kBlock, (2 * k + 1) * kBlock)) != nullptr);
    }
    for (Slot& slot : slots) prepare(slot);
  }

  unsigned group(int argument) const { return static_cast<unsigned>(kernel_group(kernel, argument)); }

  void prepare(Slot& slot) const {
    NEED((slot.command = buffer_alloc(device, kBlock, 0, group(wact::kArgumentCommand))) != nullptr);
    NEED((slot.result = buffer_alloc(device, kBlock, 0, group(wact::kArgumentResult))) != nullptr);
    slot.command_words = static_cast<std::uint32_t*>(buffer_map(slot.command));
    slot.result_words = static_cast<const std::uint32_t*>(buffer_map(slot.result));
    NEED((slot.run = run_open(kernel)) != nullptr);
    set_arguments(slot.run, slot);
    NEED(run_callback(slot.run, kCompleted, &Slot::ended, &slot) == 0);
  }

  // All arguments, with an empty input.
  void set_arguments(RunHandle run, const Slot& slot) const {
    NEED(run_set_argument(run, wact::kArgumentCommand, slot.command) == 0);
    NEED(run_set_argument(run, wact::kArgumentInput, inputs[0]) == 0);
    NEED(run_set_argument(run, wact::kArgumentOutput, outputs[0]) == 0);
    NEED(run_set_argument(run, wact::kArgumentResult, slot.result) == 0);
    NEED(run_set_argument(run, wact::kArgumentCommandBytes, kCommandBytes) == 0);
    NEED(run_set_argument(run, wact::kArgumentInputBytes, 0u) == 0);
    NEED(run_set_argument(run, wact::kArgumentOutputBytes, static_cast<unsigned>(kBlock)) == 0);
    NEED(run_set_argument(run, wact::kArgumentResultBytes, static_cast<unsigned>(kBlock)) == 0);
  }

  // Writes a command whose lines behind the first are the caller's.
  static void command(const Slot& slot, wact::Operation operation, std::uint32_t lines, std::uint32_t count,
                      std::uint32_t ticket) {
    std::memset(slot.command_words, 0, lines * wact::kLineBytes);
    slot.command_words[wact::kCommandMagic] = wact::kCommandId;
    slot.command_words[wact::kCommandOperation] = operation;
    slot.command_words[wact::kCommandLines] = lines;
    slot.command_words[wact::kCommandCount] = count;
    slot.command_words[wact::kCommandTicket] = ticket;
  }

  // False: the directory is another one, or the command was not carried out.
  static bool is_done(const Slot& slot, std::uint32_t ticket) {
    const std::uint32_t* const words = slot.result_words;
    return words[wact::kDirectoryMagic] == wact::kDirectoryId && words[wact::kDirectoryTicket] == ticket &&
           words[wact::kDirectoryState] == wact::kStateDone;
  }

  // Loads the tables, waiting for the run.
  bool load(unsigned milliseconds = 10000) {
    Slot& slot = slots[0];
    command(slot, wact::kOperationTables, 3, 1, 77);
    std::uint32_t* const stage = slot.command_words + 16;
    std::uint32_t* const route = stage + 16;
    stage[wact::kStageNumber] = 1;
    stage[wact::kStageFlags] = 1u << 18 | 1u << 19;
    stage[wact::kStageRoutes] = 1u << 16;
    stage[wact::kStageOutMax] = stage[wact::kStageInMax] = kBlock;
    for (std::uint32_t k = 0; k < 4; ++k)
      stage[wact::kStageInDims + k] = stage[wact::kStageOutDims + k] = k == 0 ? ~0u : 1u;
    route[wact::kRouteStage] = 2;
    route[wact::kRouteKeep] = route[wact::kRouteKeep + 1] = ~0u;
    if (buffer_sync(slot.command, kToDevice, 3 * wact::kLineBytes, 0) != 0 || run_start(slot.run) != 0) return false;
    if (run_wait(slot.run, milliseconds) != kCompleted) return false;
    return buffer_sync(slot.result, kFromDevice, wact::kLineBytes, 0) == 0 && is_done(slot, 77) && await(slot);
  }

  std::byte* input(std::size_t block) const { return region + 2 * block * kBlock; }
  const std::byte* output(std::size_t block) const { return region + (2 * block + 1) * kBlock; }
  static std::byte value(std::uint32_t number, std::size_t at) { return static_cast<std::byte>(number * 31 + at * 7); }

  // Starts the firing of this number: in slot number % 2, on blocks `block`. False: a call failed.
  bool start(std::uint32_t number, std::size_t block) {
    Slot& slot = slots[number % 2];
    for (std::size_t k = 0; k < kPayload; ++k) input(block)[k] = value(number, k);
    command(slot, wact::kOperationFire, 3, 1, number);
    ActivationPacket header;
    header.kind = static_cast<std::uint8_t>(PacketKind::kActivate);
    header.flags = kInline;
    header.instance = number;
    header.stage = 1;
    header.payload_bytes = kPayload;
    seal(header);
    std::memcpy(slot.command_words + 16, &header, sizeof header);
    slot.command_words[32] = kRegion << wact::kLandingRegion | std::uint32_t{1} << wact::kLandingDevice;
    slot.command_words[33] = kOffset;
    slot.state.store(0);
    return buffer_sync(slot.command, kToDevice, 3 * wact::kLineBytes, 0) == 0 &&
           buffer_sync(inputs[block], kToDevice, kPayload, 0) == 0 &&
           run_set_argument(slot.run, wact::kArgumentInput, inputs[block]) == 0 &&
           run_set_argument(slot.run, wact::kArgumentOutput, outputs[block]) == 0 &&
           run_set_argument(slot.run, wact::kArgumentInputBytes, static_cast<unsigned>(kPayload)) == 0 &&
           run_start(slot.run) == 0;
  }

  // Waits for the callback; false: it did not come within 3 s, or with another state.
  static bool await(const Slot& slot, int state = kCompleted,
                    std::chrono::milliseconds limit = std::chrono::seconds(10)) {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (slot.state.load() == 0) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    return slot.state.load() == state;
  }

  // Fetches the firing's result; false: it is not what the stage makes of it.
  bool finish(std::uint32_t number, std::size_t block, std::uint32_t sequence) {
    const Slot& slot = slots[number % 2];
    if (!await(slot, kCompleted, std::chrono::seconds(2))) return false;
    if (buffer_sync(slot.result, kFromDevice, 3 * wact::kLineBytes, 0) != 0 || !is_done(slot, number)) return false;
    if (slot.result_words[wact::kDirectoryOutputBytes] != kPayload) return false;
    ActivationPacket header;
    std::memcpy(static_cast<void*>(&header), slot.result_words + 16, sizeof header);
    if (header.instance != number || header.sequence != sequence || header.region != kRegion ||
        header.offset != kOffset)
      return false;
    if (buffer_sync(outputs[block], kFromDevice, kPayload, 0) != 0) return false;
    for (std::size_t k = 0; k < kPayload; ++k)
      if (output(block)[k] != value(number, k)) return false;
    return true;
  }

  // Pairs of firings, both under way at once; the blocks of a slot alternate. False: one went wrong.
  bool fire(std::uint32_t pairs) {
    for (std::uint32_t k = 0; k < pairs; ++k) {
      const std::size_t first = k % 2, second = 1 - first;
      if (!start(2 * k, first) || !start(2 * k + 1, second)) return false;
      if (!finish(2 * k, first, 2 * k + 1) || !finish(2 * k + 1, second, 2 * k + 2)) return false;
    }
    return true;
  }

  // Gives all of it back.
  void end() {
    for (const Slot& slot : slots) NEED(run_close(slot.run) == 0);
    for (const Slot& slot : slots) NEED(buffer_free(slot.command) == 0 && buffer_free(slot.result) == 0);
    for (std::size_t k = 0; k < 2; ++k) NEED(buffer_free(inputs[k]) == 0 && buffer_free(outputs[k]) == 0);
    NEED(buffer_free(whole) == 0 && kernel_close(kernel) == 0 && device_close(device) == 0);
    std::free(region);
  }
};

// Runs `body` in a process of its own, where WOA_XRT_DOUBLE is `words`. Its result is the exit code.
template <class Body>
Ended run_with(const std::string& words, Body&& body) {
  return test::run_with("WOA_XRT_DOUBLE", words, std::forward<Body>(body));
}

}  // namespace woa::xrt
