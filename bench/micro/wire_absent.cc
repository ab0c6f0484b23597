// Built instead of wire.cc where libfabric's headers were not found.
#include "bench/micro/packing.h"
#include "bench/micro/wire.h"

namespace woa::bench {

Result<Report> bench_wire_hop(const WireOptions&) { return {Code::kUnavailable, WOA_WHY_NOT}; }
Result<Report> bench_wire_bandwidth(const WireOptions&) { return {Code::kUnavailable, WOA_WHY_NOT}; }
Result<Report> bench_packing(const PackingOptions&) { return {Code::kUnavailable, WOA_WHY_NOT}; }

}  // namespace woa::bench
