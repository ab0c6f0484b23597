// Built instead of wire.cc where libfabric's headers were not found.
#include "bench/micro/packing.h"
#include "bench/micro/raw_fabric_job.h"
#include "bench/micro/wire.h"

namespace woa::bench {

Result<Report> bench_wire_hop(const WireOptions&) { return {Code::kUnavailable, WOA_WHY_NOT}; }
Result<Report> bench_wire_bandwidth(const WireOptions&) { return {Code::kUnavailable, WOA_WHY_NOT}; }
Result<Report> bench_wire_rate(const WireOptions&) { return {Code::kUnavailable, WOA_WHY_NOT}; }
Result<Report> bench_wire_randomaccess(const WireOptions&) { return {Code::kUnavailable, WOA_WHY_NOT}; }
Result<double> raw_fabric_shape_ns(const std::string&, PeerArguments) { return {Code::kUnavailable, WOA_WHY_NOT}; }
Result<Report> bench_packing(const PackingOptions&) { return {Code::kUnavailable, WOA_WHY_NOT}; }

}  // namespace woa::bench
