#include "runtime/measure/methods.h"

#include <algorithm>
#include <iterator>

#include "runtime/measure/contest.h"
#include "runtime/measure/crossing.h"
#include "runtime/measure/token_hop.h"

namespace woa::measure {
namespace {

constexpr const char *kInlineName = "inline", *kInPlaceName = "in place", *kChosenName = "chosen";

std::uint64_t hops_of(std::uint64_t bytes, std::uint64_t count) {
  constexpr std::uint64_t kMostBytes = 256 << 20, kFewest = 8, kMost = 20'000;
  return count != 0 ? count : std::clamp(kMostBytes / bytes, kFewest, kMost);
}

bool fits_behind_a_header(std::uint64_t bytes) { return bytes <= kMaxInlineBytes; }

// Counts launches.
class Meter {
 public:
  Meter(const MethodOptions& chosen, std::uint64_t all) : progress_(chosen.progress), all_(all) {}
  void launched() {
    ++done_;
    if (progress_) progress_(done_, all_);
  }

 private:
  std::function<void(std::uint64_t, std::uint64_t)> progress_;
  std::uint64_t all_, done_ = 0;
};

Contender contender(const RunOptions& options, const char* name, const char* role, const TokenHop& hop, Meter& meter) {
  return {name, role, hop.bytes, [&options, &meter, hop] {
            meter.launched();
            return token_hop_ns(options, hop);
          }};
}

// Each method by itself.
std::vector<Contender> single_methods(const RunOptions& options, std::uint64_t bytes, std::uint64_t count,
                                      Meter& meter) {
  const std::uint64_t hops = hops_of(bytes, count);
  std::vector<Contender> singles;
  if (fits_behind_a_header(bytes))
    singles.push_back(contender(options, kInlineName, "limit", {bytes, kMaxInlineBytes, hops}, meter));
  singles.push_back(contender(options, kInPlaceName, "limit", {bytes, 0, hops}, meter));
  return singles;
}

std::uint64_t launches_of(const MethodOptions& chosen, std::uint64_t beside) {
  std::uint64_t each = 0;
  for (const std::uint64_t bytes : chosen.sizes) each += (fits_behind_a_header(bytes) ? 2 : 1) + beside;
  return each * chosen.repetitions;
}

// Compares the last row of a size, the chosen method, with the better of the others.
void compare(std::span<Row> rows, Tally& tally) {
  constexpr double kWithin = 1.1;
  double best = rows.front().median();
  for (std::size_t k = 1; k + 1 < rows.size(); ++k) best = std::min(best, rows[k].median());
  Row& chosen = rows.back();
  chosen.ratio_to_limit = chosen.median() / best;
  ++tally.of;
  if (chosen.ratio_to_limit <= kWithin) ++tally.within;
  tally.worst = std::max(tally.worst, chosen.ratio_to_limit);
}

}  // namespace

std::vector<std::uint64_t> doubling_sizes(std::uint64_t most_bytes) {
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t bytes = 8; bytes <= most_bytes; bytes *= 2) sizes.push_back(bytes);
  return sizes;
}

Result<MethodCalibration> calibrate_methods(const RunOptions& options, const MethodOptions& chosen) {
  Meter meter(chosen, launches_of(chosen, 0));
  Contest contest{"ns", chosen.repetitions, "", {}};
  for (const std::uint64_t bytes : chosen.sizes)
    std::ranges::move(single_methods(options, bytes, chosen.count, meter), std::back_inserter(contest.contenders));
  HostProbe probe;
  const auto rows = run_contest(contest, [&] { return probe.look(); });
  if (!rows.ok()) return rows.status();
  MethodCalibration out{std::string(options.transport->name()), probe.state(), 0, {}};
  std::vector<TwoWaysRepeated> both;
  const Row* inlined = nullptr;
  for (const Row& row : *rows) {
    if (out.medians.empty() || out.medians.back().bytes != row.size) out.medians.push_back({row.size});
    MethodTimes& times = out.medians.back();
    (row.contender == kInlineName ? times.inline_ns : times.in_place_ns) = row.median();
    if (row.contender == kInlineName) inlined = &row;
    if (row.contender == kInPlaceName && times.inline_ns > 0) both.push_back({row.size, inlined->samples, row.samples});
  }
  out.inline_bytes = static_cast<std::uint32_t>(steady_crossing(both));
  return out;
}

Result<Report> bench_methods(const RunOptions& options, std::uint32_t inline_bytes, const MethodOptions& chosen) {
  Report report{"methods", std::string(options.transport->name()), Better::kLess};
  Tally tally{"chosen (inline to " + std::to_string(inline_bytes) + " bytes) within 10 % of the best single method", 0,
              0, 0};
  Meter meter(chosen, launches_of(chosen, 1));
  HostProbe probe;
  for (const std::uint64_t bytes : chosen.sizes) {
    Contest contest{"ns", chosen.repetitions, "", single_methods(options, bytes, chosen.count, meter)};
    contest.contenders.push_back(
        contender(options, kChosenName, "ours", {bytes, inline_bytes, hops_of(bytes, chosen.count)}, meter));
    const auto rows = run_contest(contest, probe, report);
    if (!rows.ok()) return rows.status();
    compare(*rows, tally);
  }
  report.tallies.push_back(tally);
  return report;
}

}  // namespace woa::measure
