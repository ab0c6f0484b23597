// A kernel that is called directly, again and again, on the same inputs: its own time, with no runtime around it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/micro/kernel_payloads.h"
#include "compiler/compiler.h"
#include "runtime/controller/kernel_library.h"

namespace woa::bench {

using KernelParams = std::map<std::string, std::string>;  // by name

// Tells if a kernel has a picture among its ports, or bytes alone. kUnsupported: it has no cpu variant, or a port of
// another type, or one that holds no more than a token of 64 bytes.
enum class PayloadKind : std::uint8_t { kBytes, kPicture };
Result<PayloadKind> payload_kind(const KernelListing& kernel);

class KernelJob {
 public:
  // Loads the kernel's library as a controller does, with defaults for parameters that `params` omits. Inputs of type
  // bytes share the payload's bytes out, a gather gets its lines; `first`, if not empty, replaces that of input 0.
  // Outputs lie in memory of their own, those declared in_place, too. `payloads` and `first` must outlive the job.
  // kInvalid: a parameter is missing. kUnsupported: as payload_kind(). Otherwise as KernelLibrary::load().
  static Result<std::unique_ptr<KernelJob>> load(const KernelListing& kernel, const KernelParams& params,
                                                 const KernelPayloads& payloads,
                                                 std::span<const std::filesystem::path> folders,
                                                 std::span<const std::uint8_t> first = {});
  KernelJob(const KernelJob&) = delete;
  KernelJob& operator=(const KernelJob&) = delete;
  ~KernelJob();

  // One firing. The kernel's code and message if it fails.
  Status call() noexcept;
  // Output 0 of the last call, until the next.
  [[nodiscard]] std::span<const std::uint8_t> output() const noexcept { return {outs_[0].data, outs_[0].bytes}; }

 private:
  using Room = std::unique_ptr<MemoryLine[]>;
  explicit KernelJob(KernelLibrary library) : library_(std::move(library)) {}
  Status show_inputs(const KernelDescription& kernel, const KernelPayloads& payloads,
                     std::span<const std::uint8_t> first);
  Status reserve_outputs(const KernelDescription& kernel, const PayloadSizes& sizes);
  std::uint8_t* reserve(std::uint64_t bytes);

  KernelLibrary library_;
  std::vector<MemoryLine> state_, scratch_;
  std::vector<Room> rooms_;
  woa_firing firing_{};
  std::vector<woa_input> ins_, pieces_;  // pieces_: of a gather
  std::vector<woa_output> outs_;
  std::vector<std::vector<woa_output>> elements_;  // by output
};

}  // namespace woa::bench
