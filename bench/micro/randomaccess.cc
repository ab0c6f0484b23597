#include "bench/micro/randomaccess.h"

#include <unistd.h>

#include <bit>
#include <cstdlib>
#include <iterator>

#include "bench/harness/contest.h"
#include "bench/micro/header_stream.h"
#include "bench/micro/host_probe.h"
#include "bench/micro/program.h"
#include "bench/micro/random_limits.h"
#include "bench/micro/random_updates.h"
#include "runtime/onesided/packets.h"

namespace woa::bench {
namespace {

constexpr const char* kRawBuckets = "raw buckets";
constexpr const char* kHeaders = "headers alone";
constexpr const char* kNaive = "naive";
constexpr const char* kAggregated = "aggregated";
constexpr const char* kMpiNaive = "MPI_Accumulate";

struct MpiWay {
  const char* name;
  const char* argument;
};
constexpr MpiWay kMpiWays[] = {
    {kMpiNaive, "accumulate"}, {"MPI_Accumulate, datatypes", "datatypes"}, {"MPI_Fetch_and_op", "fetch"}};

Status check_size(std::uint64_t size) {
  if (std::has_single_bit(size) && size >= RandomTable::kProcesses * 2 * sizeof(std::uint64_t)) return {};
  return {Code::kInvalid,
          "a table of " + std::to_string(size) + " bytes; the rules ask for a power of two: choose another --size"};
}

// As naive updates send them.
ActivationPacket update_header() {
  ActivationPacket header = onesided::packet_to(onesided::kUpdatePort);
  header.payload_bytes = sizeof(std::uint64_t);
  return header;
}

// Why MPI does not take part, or nothing.
std::string mpi_absent(const RandomAccessOptions& options) {
  if (options.mpi_program.empty()) return options.mpi_absent;
  if (!can_run(options.mpi_program)) return "not installed: " + options.mpi_program + " is missing; build again";
  if (!can_run("mpirun")) return "not installed: mpirun is not on the PATH (Debian: openmpi-bin)";
  return "";
}

// The program times itself; what it prints is its figure.
Result<double> mpi_gups(const std::string& program, const char* way, std::uint64_t words) {
  std::vector<std::string> command{"mpirun", "-np", "2", "--bind-to", "none"};
  if (::geteuid() == 0) command.emplace_back("--allow-run-as-root");
  for (const std::string& argument : {program, std::string(way), std::to_string(words)}) command.push_back(argument);
  const auto text = run_program(command);
  if (!text.ok()) return text.status();
  const double gups = std::strtod(text->c_str(), nullptr);
  if (gups > 0) return gups;
  return {Code::kDataLoss, "the MPI program printed no figure, but: " + *text};
}

void add_mpi(Contest& contest, const RandomAccessOptions& options, std::uint64_t size) {
  for (const MpiWay& way : kMpiWays) {
    contest.contenders.push_back({way.name, "peer", size, [program = options.mpi_program, &way, size] {
                                    return mpi_gups(program, way.argument, size / sizeof(std::uint64_t));
                                  }});
  }
}

Contest contest_of(Transport& transport, const RandomAccessOptions& options, std::uint64_t size) {
  const RandomTable table{size / sizeof(std::uint64_t)};
  const auto updates = static_cast<double>(table.updates());
  const std::uint64_t messages = table.updates() / 2;  // as many as naive updates send in both directions
  return {
      "GUP/s",
      options.repetitions,
      kRawBuckets,
      {{"local, one process", "limit", size, [=] { return per_ns(updates, local_updates_ns(table)); }},
       {kRawBuckets, "limit", size, [=] { return per_ns(updates, raw_buckets_ns(table)); }},
       {kHeaders, "limit", size,
        [=, &transport] {
          const auto ns = header_stream_ns(transport, kNaiveRingSlots, update_header(), messages);
          return per_ns(static_cast<double>(messages), ns);
        }},
       {kNaive, "ours", size, [=, &transport] { return per_ns(updates, naive_updates_ns(transport, table)); }},
       {kAggregated, "ours", size,
        [=, &transport] { return per_ns(updates, aggregated_updates_ns(transport, table)); }},
       {"hardware", "ours", size, [=, &transport] { return per_ns(updates, hardware_updates_ns(transport, table)); }}}};
}

void add_ratio(Report& report, const std::vector<Row>& rows, const char* of, const char* to) {
  const Row *over = nullptr, *under = nullptr;
  for (const Row& row : rows) {
    if (row.contender == of) over = &row;
    if (row.contender == to) under = &row;
  }
  if (over != nullptr && under != nullptr)
    report.ratios.push_back({of, to, over->size, over->median() / under->median()});
}

}  // namespace

Result<Report> bench_randomaccess(Transport& transport, const RandomAccessOptions& options) {
  Report report{"randomaccess", std::string(transport.name()), Better::kMore, "", {}};
  const std::string absent = mpi_absent(options);
  if (!absent.empty())
    for (const MpiWay& way : kMpiWays) report.absent.push_back({way.name, absent});
  HostProbe probe;
  for (const std::uint64_t size : options.sizes) {
    WOA_RETURN_IF_ERROR(check_size(size));
    Contest contest = contest_of(transport, options, size);
    if (absent.empty()) add_mpi(contest, options, size);
    auto rows = run_contest(contest, [&] { return probe.look(); });
    if (!rows.ok()) return rows.status();
    add_ratio(report, *rows, kAggregated, kNaive);
    add_ratio(report, *rows, kAggregated, kMpiNaive);
    add_ratio(report, *rows, kAggregated, kRawBuckets);
    add_ratio(report, *rows, kNaive, kHeaders);
    std::ranges::move(*rows, std::back_inserter(report.rows));
  }
  report.host_state = probe.state();
  return report;
}

}  // namespace woa::bench
