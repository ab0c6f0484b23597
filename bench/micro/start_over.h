// Runs whose packets take libfabric.
#pragma once

#include <string>
#include <utility>

#include "runtime/measure/driven_run.h"
#include "runtime/transport/ofi/ofi_transport.h"

namespace woa::bench {

// Starts with the packets of all controllers over libfabric's `provider`, unless that is empty; nodes must be started
// with the same provider. Errors: as DrivenRun::start(), or as make_ofi_transport().
inline Result<measure::DrivenRun> start_over(const std::string& provider, Plan plan, RunOptions options,
                                             OnCompletion look = {}) {
  if (provider.empty()) return measure::DrivenRun::start(std::move(plan), std::move(options), std::move(look));
  OfiOptions ofi;
  ofi.provider = provider;
  ofi.start_ns = 60'000'000'000;  // longer than nodes take to get ready
  WOA_ASSIGN_OR_RETURN(auto wire, make_ofi_transport(ofi));
  options.wires = {wire.get()};
  for (std::uint32_t c = 0; c < plan.controllers.size(); ++c) options.apart.insert(c);
  return measure::DrivenRun::start(std::move(plan), std::move(options), std::move(look), std::move(wire));
}

}  // namespace woa::bench
