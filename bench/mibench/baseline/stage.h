// A stage's kernel, called directly: no controller, no packets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/micro/loaded_stage.h"
#include "runtime/controller/kernel_library.h"

namespace woa::mibench {

// Ends the program with exit code 1 and `message` on stderr: a baseline has nobody else to tell.
[[noreturn]] void fail(const std::string& message);

// Values of all parameters of kernel.yaml, in any order; defaults are not filled in.
using Params = std::vector<std::pair<std::string, std::string>>;

class Stage {
 public:
  // Loads the kernel NAME from `folder`/NAME. `rooms`: the bytes of each output's memory, in the order of kernel.yaml;
  // `inputs`: the number of input ports. fail() if there is
  // no such kernel, or with the message of its create().
  Stage(const std::filesystem::path& folder, const std::string& name, std::size_t inputs,
        const std::vector<std::uint64_t>& rooms, const Params& params = {}, std::uint64_t scratch_bytes = 0);
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  // Begins an instance: the kernel's state is zero again.
  void begin();

  // Fires once, with the inputs of the last give(). fail() with the kernel's message if it fails.
  void fire() {
    for (woa_output& out : outs_) out.written = 0;
    if (kernel_->run(library_->self(), &firing_, ins_.data(), outs_.data(), &error_) != WOA_OK) failed();
  }

  // The data stay the caller's and must live until the firing that reads them.
  void give(std::size_t port, const std::uint8_t* data, std::uint64_t bytes) {
    bench::show_token(ins_[port], data, bytes);
  }
  // Hands over what another stage wrote, as type bytes.
  void give(std::size_t port, const woa_output& out) { give(port, out.data, out.bytes); }
  // Hands over an array with its dimensions.
  void give(std::size_t port, const woa_output& out, std::uint32_t rank);

  [[nodiscard]] const woa_output& out(std::size_t port) const { return outs_[port]; }
  [[nodiscard]] bool wrote(std::size_t port) const { return outs_[port].written != 0; }

 private:
  [[noreturn]] void failed() const;

  std::string name_;
  std::unique_ptr<KernelLibrary> library_;
  const woa_kernel* kernel_ = nullptr;
  std::vector<bench::MemoryLine> state_, scratch_;
  std::vector<std::vector<bench::MemoryLine>> memory_;  // by output
  woa_firing firing_{};
  std::vector<woa_input> ins_;
  std::vector<woa_output> outs_;
  woa_error error_{};
};

}  // namespace woa::mibench
