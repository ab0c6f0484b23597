// The packet node on a card: one compute unit, which is this object's alone since the node numbers its packets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "controllers/fpga/generated/wact_interface.h"
#include "controllers/fpga/xrt/xclbin.h"
#include "controllers/fpga/xrt/xrt_api.h"
#include "runtime/base/status.h"
#include "runtime/controller/backend.h"

namespace woa {

// "error", "aborted": a state of a run.
std::string_view state_text(int state) noexcept;
// A run in this state uses its buffers no more. A failed wait's answer, which may be below 0, is no such state.
bool run_has_ended(int state) noexcept;

// A handle of the library, given back at the end of its life.
struct XrtRelease {
  int (*call)(void* handle) = nullptr;
  void operator()(void* handle) const noexcept { (void)call(handle); }
};
using XrtOwned = std::unique_ptr<void, XrtRelease>;

// A device, and the file that configures it.
struct XrtCard {
  unsigned index = 0;  // of the library's devices
  DeviceDescription description;
  std::filesystem::path xclbin_file;
  Xclbin xclbin;         // that file's contents, with a node (check_node)
  bool computes = true;  // the no-op shim does not
};

// Memory of the card with a copy in host memory. The library synchronises them when asked.
struct XrtBuffer {
  XrtOwned handle;
  std::span<std::byte> host;
};

// Its later calls need an open unit. sync(), set() and start() are for any thread, the others for one.
class NodeUnit {
 public:
  NodeUnit(const xrt::Library& xrt, XrtCard card) : xrt_(xrt), card_(std::move(card)) {}

  // Configures the card, and takes a unit. kUnavailable: the card is gone or in use with another configuration, or all
  // units are taken. kUnsupported: the unit's arguments lie in different banks.
  Status open();

  // Runs one command and waits for it, at most 5 s. Answers with the result's lines, the directory first.
  // kKernelFailed: the unit did not carry it out; the message names the command, `what`. Otherwise like
  // check_directory(). The driver keeps a run that may not have ended.
  using Line = std::array<std::uint32_t, wact::kLineBytes / sizeof(std::uint32_t)>;
  Result<std::vector<Line>> run(std::vector<Line> command, std::size_t result_lines, std::string_view what);

  // The result's first line tells what became of the command. A run writes it last: if it is not this run's, the rest
  // is not, either. kDataLoss: it is not, or there was no room. kKernelFailed: it could not reach its
  // memory. kInternal: it took its command for none. kUnsupported: the device runs no kernel.
  Status check_directory(const Line& directory, std::uint32_t ticket) const;

  // Memory of the unit's bank. kExhausted: it has no room; the message names `what`, the bank and sizes.
  Result<XrtBuffer> allocate(std::size_t bytes, const std::string& what);
  // A buffer whose host memory this is: whole pages, which the process can write to. kExhausted as above.
  Result<XrtBuffer> share(std::span<std::byte> memory, const std::string& what);
  // Part of a buffer, whose memory it shares, from a multiple of 64 bytes on. It goes before the buffer does.
  Result<XrtBuffer> part(const XrtBuffer& buffer, std::size_t offset, std::size_t bytes) const;

  Result<XrtOwned> make_run() const;
  Status set(xrt::RunHandle run, wact::Argument argument, const XrtBuffer& buffer) const;
  Status set(xrt::RunHandle run, wact::Argument argument, std::uint32_t value) const;
  // Copies the first bytes of a buffer; blocks until that is done.
  Status sync(const XrtBuffer& buffer, xrt::SyncDirection direction, std::size_t bytes) const;
  Status start(xrt::RunHandle run) const;

  [[nodiscard]] const xrt::Library& xrt() const noexcept { return xrt_; }
  [[nodiscard]] const XrtCard& card() const noexcept { return card_; }
  [[nodiscard]] const std::string& unit_name() const noexcept { return card_.xclbin.units[unit_].name; }

 private:
  Status take_unit(const std::string& at);
  Status choose_bank();
  [[nodiscard]] int group_of(wact::Argument argument) const;
  [[nodiscard]] std::string bank_text() const;
  [[nodiscard]] Status no_room(std::size_t bytes, const std::string& what, const std::string& reason) const;
  [[nodiscard]] Status refused(const std::string& what) const;

  const xrt::Library& xrt_;
  const XrtCard card_;
  XrtOwned device_, kernel_;
  std::uint32_t unit_ = 0;  // of the xclbin's
  int group_ = -1;          // the bank of all arguments
  std::size_t taken_bytes_ = 0;
};

}  // namespace woa
