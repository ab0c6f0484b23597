#include "runtime/controller/kernel_call.h"

namespace woa {

Code to_code(int status) noexcept {
  switch (status) {
    case WOA_OK: return Code::kOk;
    case WOA_INVALID: return Code::kInvalid;
    case WOA_UNSUPPORTED: return Code::kUnsupported;
    case WOA_UNAVAILABLE: return Code::kUnavailable;
    case WOA_EXHAUSTED: return Code::kExhausted;
    case WOA_KERNEL_FAILED: return Code::kKernelFailed;
    case WOA_TOO_LARGE: return Code::kTooLarge;
    case WOA_UNAUTHENTIC: return Code::kUnauthentic;
  }
  return Code::kBrokenContract;
}

Status kernel_status(std::string_view function, int answer, woa_error& error) {
  error.message[sizeof error.message - 1] = '\0';
  const Code code = to_code(answer);
  if (code != Code::kBrokenContract) return {code, error.message};
  std::string text(function);
  text += "() answered " + std::to_string(answer) + ", which is no woa_status of woa/woa_kernel.h";
  if (error.message[0] != '\0') text += std::string("; it said: ") + error.message;
  return {code, std::move(text)};
}

Status kernel_threw(std::string_view function, std::string_view what) {
  return {Code::kBrokenContract, std::string(function) + "() threw an exception (" + std::string(what) +
                                     "); a kernel returns a status instead, see woa/woa_kernel.h"};
}

}  // namespace woa
