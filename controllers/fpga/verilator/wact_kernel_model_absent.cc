// Built instead of wact_kernel_model.cc where Verilator was not found.
#include "controllers/fpga/verilator/wact_kernel_model.h"

namespace woa {

Result<std::unique_ptr<WactKernelModel>> WactKernelModel::make(std::size_t) {
  return {Code::kUnavailable, WOA_WHY_NOT};
}

}  // namespace woa
