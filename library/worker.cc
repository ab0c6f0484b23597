// The functions of woa.h for worker programs.
#include <cstddef>
#include <span>
#include <string>

#include "compiler/compiler.h"
#include "controllers/cpu/register.h"
#include "runtime/controller/kernel_call.h"
#include "woa/woa.h"

int woa_worker_serve(woa_receive receive, void* context) {
  const auto made = [&](const std::string& sent) -> woa::Result<woa::ProgramKernel> {
    woa::ProgramKernel kernel;
    WOA_RETURN_IF_ERROR(woa::call_kernel("receive", [&](woa_error& error) {
      return receive(context, sent.data(), sent.size(), &kernel.functions, &kernel.user, &error);
    }));
    if (kernel.functions == nullptr) return {woa::Code::kInvalid, "receive() gave no functions"};
    return kernel;
  };
  return woa::serve_worker({woa::read_declaration, false, made});
}

void woa_worker_attach(const void* bytes, size_t size) {
  woa::attach_to_failure({static_cast<const std::byte*>(bytes), size});
}
