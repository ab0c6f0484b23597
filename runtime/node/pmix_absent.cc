// Built instead of pmix_job.cc if PMIx's header was not found.
#include "runtime/node/pmix_job.h"

namespace woa {

Result<std::unique_ptr<PmixJob>> connect_pmix(const PmixOptions&) { return {Code::kUnavailable, WOA_WHY_NOT}; }

}  // namespace woa
