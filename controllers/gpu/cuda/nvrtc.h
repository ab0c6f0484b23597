// NVRTC, NVIDIA's compiler as a library: makes PTX of a user's .cu that has none beside it. Opened when it is first
// needed, so that programs start without it; declared here, so that they build without it.
//
// Source: NVRTC documentation, 13.0. All functions are those of 11.2, the oldest version that is looked for.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>

#include "runtime/base/status.h"

struct _nvrtcProgram;

namespace woa::cuda {

using NvrtcResult = int;
using NvrtcProgram = _nvrtcProgram*;

// X(member, exported symbol, parameters). All return an NvrtcResult.
#define WOA_NVRTC_FUNCTIONS(X)                                                                            \
  X(version, nvrtcVersion, (int* major, int* minor))                                                      \
  X(target_count, nvrtcGetNumSupportedArchs, (int* count))                                                \
  X(targets, nvrtcGetSupportedArchs, (int* capabilities))                                                 \
  X(create, nvrtcCreateProgram,                                                                           \
    (NvrtcProgram * program, const char* source, const char* name, int headers, const char* const* texts, \
     const char* const* names))                                                                           \
  X(destroy, nvrtcDestroyProgram, (NvrtcProgram * program))                                               \
  X(compile, nvrtcCompileProgram, (NvrtcProgram program, int options, const char* const* texts))          \
  X(ptx_bytes, nvrtcGetPTXSize, (NvrtcProgram program, std::size_t * bytes))                              \
  X(ptx, nvrtcGetPTX, (NvrtcProgram program, char* text))                                                 \
  X(log_bytes, nvrtcGetProgramLogSize, (NvrtcProgram program, std::size_t * bytes))                       \
  X(log, nvrtcGetProgramLog, (NvrtcProgram program, char* text))

// 11.2 is the name of all versions from 11.2 to 11.8.
inline constexpr std::array<const char*, 3> kNvrtcLibraries{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"};

class Nvrtc {
 public:
  // Opens the first of `libraries` that is here. kUnavailable: none is, or it lacks a function; the message says how to
  // do without, too.
  static woa::Result<Nvrtc> load(std::span<const char* const> libraries);

  // For messages: "NVRTC 13.0".
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  // All but the source that decides what compile() makes: version, options, and the text of woa_cuda.h.
  [[nodiscard]] std::string identity() const;

  // PTX for the oldest GPU from sm_75 on that this NVRTC knows; products and sums are never joined. The source may
  // include woa_cuda.h and nothing else, so that it and identity() are all of the input. `file` is for messages. Takes
  // a second; any thread, one at a time. kInvalid: the compiler's log, with file and line. kUnavailable: NVRTC does
  // not work here. kExhausted: no memory.
  [[nodiscard]] woa::Result<std::string> compile(const std::string& file, const std::string& source) const;

 private:
#define WOA_NVRTC_MEMBER(member, symbol, parameters) NvrtcResult(*member##_) parameters = nullptr;
  WOA_NVRTC_FUNCTIONS(WOA_NVRTC_MEMBER)
#undef WOA_NVRTC_MEMBER

  Status find_functions(void* library, const char* file);
  Status ask();
  [[nodiscard]] Status failure(NvrtcProgram program, const std::string& file, NvrtcResult code) const;

  std::string name_, target_;
};

// The NVRTC of this process, opened by the first call. Any thread.
const woa::Result<Nvrtc>& open_nvrtc();

}  // namespace woa::cuda
