// The PTX of a stage's cuda variant: the file beside its source, or what NVRTC makes of the source, kept in a cache.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "runtime/base/status.h"

namespace woa::cuda {

struct PtxOptions {
  int capability = 0;           // of the device: 90 for 9.0
  int driver_version = 0;       // as cuDriverGetVersion says it: 12040 for CUDA 12.4
  std::filesystem::path cache;  // the folder of what NVRTC made, which is created; empty: there is none
};

struct Ptx {
  std::string file;  // for messages: where it is from
  std::string text;
};

// The PTX for `source`, a .cu: NAME.ptx beside it, which is never compared with it; else the cache's entry for it; else
// what NVRTC makes of it now, which goes into the cache. A cache that cannot be written is no error: one line of the
// log says so. Any thread and process; may take a second. kNotFound: there is neither source nor PTX. kInvalid: it does
// not compile, and the message has the compiler's log. kUnavailable: there is no NVRTC, or the driver is older than the
// PTX. kUnsupported: the PTX is for newer GPUs.
woa::Result<Ptx> stage_ptx(const std::filesystem::path& source, const PtxOptions& options);

// The cache's folder: ptx in the user's cache_folder(). Null or empty: the variable is not
// set. Empty if neither is.
std::filesystem::path ptx_cache_folder(const char* xdg_cache_home, const char* home);

// The CUDA version that brought a PTX version, and so the oldest driver that loads it: 10000 for 63, PTX 6.3. Nothing
// for a version that this program does not know, and for those before 6.3, which every driver here loads.
std::optional<int> cuda_of_ptx(int version) noexcept;

// Compares .version and .target with the driver and the device, since a driver refuses PTX without naming versions.
Status check_ptx(const Ptx& ptx, const PtxOptions& options);

}  // namespace woa::cuda
