// Built instead of the transport where libfabric's headers were not found.
#include "runtime/transport/ofi/ofi_transport.h"

namespace woa {

Result<std::unique_ptr<OfiTransport>> make_ofi_transport(const OfiOptions&) {
  return {Code::kUnavailable, WOA_WHY_NOT};
}

}  // namespace woa
