// A table of back-ends and their traits. The compiler copies a controller's traits into the plan, and tools read the
// rest. Programs register the back-ends themselves elsewhere (runtime/controller/backend.h), so that a graph compiles
// where its devices are absent (docs/adr/0045-a-back-end-is-a-row-of-traits.md).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "runtime/packet/activation_packet.h"

namespace woa {

enum class ControllerKind : std::uint8_t { kHost = 0, kCpu = 1, kGpu = 2, kFpga = 3 };
std::string_view to_string(ControllerKind kind) noexcept;  // "host", "cpu", "gpu", "fpga"
// The kinds that run kernels. A stage that is pinned to no kind tries them in this order.
inline constexpr std::array kKernelKinds{ControllerKind::kCpu, ControllerKind::kGpu, ControllerKind::kFpga};

// The side that writes the headers of a stage's packets.
enum class HeaderWriter : std::uint8_t { kHost = 0, kDevice = 1 };
std::string_view to_string(HeaderWriter writer) noexcept;  // "host", "device"

// The agent that makes a stage's packets visible to readers. A device that can be one can be each one before it, too.
enum class Publisher : std::uint8_t { kHost = 0, kQueue = 1, kWorker = 2 };  // a device's queue, its resident worker
std::string_view to_string(Publisher publisher) noexcept;                    // "host", "queue", "worker"

struct BackendTraits {
  // The device reads and writes headers of its kernels' packets, and numbers those that it sends.
  bool writes_packets = false;
  // The memory for payloads that only the back-end's own stages read: host memory (kCpu), or memory of its device.
  MemoryKind memory = MemoryKind::kCpu;
  // The last agent that can publish packets of its kernel stages, if their outputs allow it (may_publish() in plan.h).
  Publisher publishes = Publisher::kHost;
  // The most bytes of regions' pages that the back-end registers with its device (docs/adr/0049-mappings.md). 0 means
  // that it registers none.
  std::uint64_t registers = 0;
  // The device runs stages of a chain behind one another, and passes payloads from one to the next by itself
  // (EdgePlan::on_card). Only a device that writes packets joins.
  bool joins = false;
  bool operator==(const BackendTraits&) const = default;
  // The side that writes headers of its kernel stages.
  [[nodiscard]] constexpr HeaderWriter headers() const noexcept {
    return writes_packets ? HeaderWriter::kDevice : HeaderWriter::kHost;
  }
  [[nodiscard]] constexpr bool keeps_payloads() const noexcept { return memory != MemoryKind::kCpu; }
};

// Abilities of kernels beyond one output that is computed of one input, with one token each in a firing.
struct KernelFeatures {
  bool state = false;    // keeps state between firings
  bool choice = false;   // writes one output of a `one_of` group
  bool counted = false;  // has `optional`, `many` or `gather` ports
  bool pair = false;     // has two inputs and one output
  bool ports = false;    // has other than one or two inputs and one output
};

struct KnownBackend {
  std::string_view name;  // in plans and machine files
  ControllerKind kind = ControllerKind::kCpu;
  std::string_view variant;  // of kernels that it runs; several back-ends may name the same; empty: it runs no kernel
  BackendTraits traits = {};
  KernelFeatures runs = {};  // what its kernels may do
};

// The first feature of `kernel` that `able` lacks, as the end of "the kernel ...". Empty: `able` has all of them.
constexpr std::string_view first_beyond(const KernelFeatures& kernel, const KernelFeatures& able) noexcept {
  if (kernel.state && !able.state) return "keeps state";
  if (kernel.choice && !able.choice) return "chooses between outputs";
  if (kernel.counted && !able.counted) return "has `optional`, `many` or `gather` ports";
  if (kernel.pair && !able.pair) return "has two inputs";
  if (kernel.ports && !able.ports) return "has other than one or two inputs and one output";
  return {};
}

// The first row of a kind is the kind's default, which counts if a machine file names no back-end.
inline constexpr std::array kBackends{
    KnownBackend{"host", ControllerKind::kHost, ""},
    KnownBackend{"cpu",
                 ControllerKind::kCpu,
                 "cpu",
                 {},
                 {.state = true, .choice = true, .counted = true, .pair = true, .ports = true}},
    KnownBackend{
        "opencl", ControllerKind::kGpu, "opencl", {.memory = MemoryKind::kOpencl}, {.pair = true, .ports = true}},
    KnownBackend{"cuda",
                 ControllerKind::kGpu,
                 "cuda",
                 {.memory = MemoryKind::kCuda, .publishes = Publisher::kWorker, .registers = std::uint64_t{1} << 30},
                 {.pair = true, .ports = true}},
    KnownBackend{"verilator", ControllerKind::kFpga, "rtl", {.writes_packets = true, .joins = true}, {.pair = true}},
    KnownBackend{"xrt",
                 ControllerKind::kFpga,
                 "rtl",
                 {.writes_packets = true, .registers = std::uint64_t{1} << 30, .joins = true}},
};

// The row with that name. Null: the table has none.
constexpr const KnownBackend* find_backend(std::string_view name) noexcept {
  const auto* const found = std::ranges::find(kBackends, name, &KnownBackend::name);
  return found == kBackends.end() ? nullptr : found;
}

constexpr const KnownBackend& default_backend(ControllerKind kind) noexcept {
  return *std::ranges::find(kBackends, kind, &KnownBackend::kind);
}

// The variant that a back-end runs. Empty: it runs no kernel, or the table lacks it.
constexpr std::string_view variant_of(std::string_view backend) noexcept {
  const KnownBackend* const row = find_backend(backend);
  return row == nullptr ? std::string_view() : row->variant;
}

}  // namespace woa
