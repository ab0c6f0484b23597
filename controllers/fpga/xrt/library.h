// XRT's library, opened when the program first asks for it: the program starts without it.
#pragma once

#include <filesystem>
#include <string>

#include "controllers/fpga/xrt/xrt_api.h"
#include "runtime/base/status.h"

namespace woa {

inline constexpr const char* kXrtLibrary = "libxrt_coreutil.so.2";

struct XrtLibrary {
  xrt::Library functions;
  std::filesystem::path file;  // links resolved
  std::string version;         // "2.13.0", from the file's name; empty: it has none
  // The device behind the functions, where that is no card; empty: cards. XRT's no-op shim, or the name that a library
  // of tests gives in `const char woa_xrt_double[]`.
  std::string stand_in;
  bool opens_any = false;  // device_open() takes any number for one device, as the no-op shim does
};

// Opens the library, once per process, and silences it. Sets XILINX_XRT where XRT would not find its own files
// (xrt_overlay), so call it before threads start, as probe() of the back-end does. Nothing closes the library: its
// threads may outlive every user. A process that exits with a kernel or a run of these functions open ends at once,
// behind the handlers that were registered later. kUnavailable: there is none, it lacks a function, or
// XCL_EMULATION_MODE names a simulator.
const Result<XrtLibrary>& open_xrt();

// A folder whose `lib` is `libraries`, for XILINX_XRT: XRT looks for its files in the folder `lib` of that, and
// Debian's lie in one of another name. Made in `parent` once per user and `libraries`; processes share it, and it
// stays. kUnavailable: it cannot be made, or others could change it.
Result<std::filesystem::path> xrt_overlay(const std::filesystem::path& libraries, const std::filesystem::path& parent);

}  // namespace woa
