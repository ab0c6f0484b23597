#include "compiler/place/pipelined_run.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <queue>
#include <set>
#include <utility>

namespace woa {
namespace {

using assign::Sum;

// Of a third of a run: every instance in flight once more than twice, and every replica.
std::size_t third_of(const Pipeline& pipeline) {
  return std::max<std::size_t>(2 * std::size_t{pipeline.window} + 32, 2 * std::size_t{pipeline.turns});
}

// How late the latest of `ends` is, from `first` to before `last`, if one is due every `period`.
Sum latest(const std::vector<Sum>& ends, std::size_t first, std::size_t last, Sum period) {
  Sum late = ends[first] - static_cast<Sum>(first) * period;
  for (std::size_t k = first; k < last; ++k) late = std::max(late, ends[k] - static_cast<Sum>(k) * period);
  return late;
}

// The lateness of later instances falls faster with the period than that of earlier ones, so that there is one least.
Sum least_period(const std::vector<Sum>& ends) {
  const std::size_t third = ends.size() / 3;
  Sum missed = -1, kept = ends.back();
  while (kept - missed > 1) {
    const Sum period = missed + (kept - missed) / 2;
    const bool keeps = latest(ends, 2 * third, ends.size(), period) <= latest(ends, third, 2 * third, period);
    (keeps ? kept : missed) = period;
  }
  return kept;
}

class Execution {
 public:
  Execution(const Pipeline& pipeline, const std::vector<std::uint32_t>& room)
      : pipeline_(pipeline),
        room_(room),
        wanted_(3 * third_of(pipeline)),
        instances_(pipeline.window),
        pools_(pipeline.pools.size()),
        next_in_order_(pipeline.jobs.size(), 0),
        others_(pipeline.edges.size(), 0) {
    for (std::size_t p = 0; p < pools_.size(); ++p) pools_[p].cores = pipeline.pools[p];
    for (const PipelineStation& station : pipeline.stations) lanes_.push_back(station.lanes);
    out_.room.assign(pipeline.edges.size(), 1);
  }

  Result<PipelinedRun> run() {
    admit();
    while (ends_.size() < wanted_) {
      for (Pool& pool : pools_)
        if (std::exchange(pool.changed, false)) start_jobs(pool);
      if (events_.empty()) return {Code::kInvalid, "the plan's stages wait for each other, in a cycle that is no loop"};
      now_ = events_.top().at_ps;
      while (!events_.empty() && events_.top().at_ps == now_) {
        const Event event = events_.top();
        events_.pop();
        apply(event);
      }
    }
    ends_.resize(wanted_);
    out_.period_ps = least_period(ends_);
    return std::move(out_);
  }

 private:
  enum class What : std::uint8_t { kEnded, kHeard, kFreed };
  struct Event {
    Sum at_ps = 0;
    std::uint64_t number = 0;  // in the order in which they were found out
    What what = What::kEnded;
    std::uint32_t of = 0;  // a job; kFreed: an edge
    std::uint64_t instance = 0;
    bool operator>(const Event& other) const { return std::pair(at_ps, number) > std::pair(other.at_ps, other.number); }
  };
  struct Instance {
    std::vector<std::uint32_t> waits;  // by job
    std::vector<bool> holds;           // by edge
    std::size_t left = 0;              // jobs
  };
  struct Pool {
    std::uint32_t cores = 0;                                  // free ones
    std::set<std::pair<std::uint64_t, std::uint32_t>> ready;  // instance, job
    bool changed = false;
  };

  [[nodiscard]] Instance& state_of(std::uint64_t instance) { return instances_[instance % pipeline_.window]; }
  [[nodiscard]] bool has(const Turns& turns, std::uint64_t instance) const { return turns[instance % pipeline_.turns]; }
  [[nodiscard]] Pool& pool_of(const PipelineJob& job) { return pools_[pipeline_.stations[job.station].pool]; }

  void after(Sum delay, What what, std::uint32_t of, std::uint64_t instance) {
    events_.push({now_ + delay, events_made_++, what, of, instance});
  }

  void admit() {
    for (; admitted_ < oldest_ + pipeline_.window; ++admitted_) {
      Instance& state = state_of(admitted_);
      state.waits.clear();
      for (const PipelineJob& job : pipeline_.jobs) state.waits.push_back(job.waits);
      state.holds.assign(pipeline_.edges.size(), false);
      state.left = pipeline_.jobs.size();
      for (std::uint32_t j = 0; j < pipeline_.jobs.size(); ++j)
        if (pipeline_.jobs[j].waits == 0) make_ready(j, admitted_);
    }
  }
  void make_ready(std::uint32_t j, std::uint64_t instance) {
    const PipelineJob& job = pipeline_.jobs[j];
    if (!has(job.turns, instance)) return after(0, What::kHeard, j, instance);
    if (job.station == kNoStation) return after(0, What::kEnded, j, instance);
    pool_of(job).ready.emplace(instance, j);
    pool_of(job).changed = true;
  }

  void start_jobs(Pool& pool) {
    for (auto at = pool.ready.begin(); at != pool.ready.end() && pool.cores > 0;) {
      const auto [instance, j] = *at;
      if (may_start(j, instance)) {
        start(pool, j, instance);
        at = pool.ready.erase(at);
      } else {
        ++at;
      }
    }
  }
  [[nodiscard]] bool may_start(std::uint32_t j, std::uint64_t instance) const {
    const PipelineJob& job = pipeline_.jobs[j];
    if (lanes_[job.station] == 0 || (job.in_order && next_in_order_[j] != instance)) return false;
    return std::ranges::all_of(job.claims, [&](std::uint32_t e) {
      return !has(pipeline_.edges[e].turns, instance) || needed(e, instance) <= room_[e];
    });
  }
  // So many instances' blocks the edge has to have if this one is to get some. Those of the oldest are kept for it.
  [[nodiscard]] std::uint32_t needed(std::uint32_t e, std::uint64_t instance) const {
    return others_[e] + (instance == oldest_ ? 1 : 2);
  }
  void start(Pool& pool, std::uint32_t j, std::uint64_t instance) {
    const PipelineJob& job = pipeline_.jobs[j];
    --pool.cores, --lanes_[job.station];
    for (const std::uint32_t e : job.claims) {
      if (!has(pipeline_.edges[e].turns, instance)) continue;
      out_.room[e] = std::max(out_.room[e], needed(e, instance));
      state_of(instance).holds[e] = true;
      if (instance != oldest_) ++others_[e];
    }
    after(job.time_ps, What::kEnded, j, instance);
  }

  void apply(const Event& event) {
    if (event.what == What::kFreed) return get_back(event.of, event.instance);
    const PipelineJob& job = pipeline_.jobs[event.of];
    if (event.what == What::kHeard) return tell(job, event.instance);
    if (job.station != kNoStation) {
      Pool& pool = pool_of(job);
      ++pool.cores, ++lanes_[job.station];
      pool.changed = true;
      if (job.in_order) ++next_in_order_[event.of];
    }
    for (const std::uint32_t e : job.frees)
      if (has(pipeline_.edges[e].turns, event.instance)) give_back(e, event.instance);
    if (job.delay_ps == 0) return tell(job, event.instance);
    after(job.delay_ps, What::kHeard, event.of, event.instance);
  }
  void tell(const PipelineJob& job, std::uint64_t instance) {
    ++out_.steps;
    Instance& state = state_of(instance);
    for (const std::uint32_t next : job.next)
      if (--state.waits[next] == 0) make_ready(next, instance);
    if (--state.left != 0) return;
    ends_.push_back(now_);
    while (oldest_ < admitted_ && state_of(oldest_).left == 0) retire();
    admit();
  }

  void give_back(std::uint32_t e, std::uint64_t instance) {
    const Sum news = pipeline_.edges[e].news_ps;
    news == 0 ? get_back(e, instance) : after(news, What::kFreed, e, instance);
  }
  void get_back(std::uint32_t e, std::uint64_t instance) {
    if (instance >= oldest_) state_of(instance).holds[e] = false;
    if (instance != oldest_) --others_[e];
    pool_of(pipeline_.jobs[pipeline_.edges[e].writer]).changed = true;
  }
  // What the oldest has not got back yet is then one of the others'; what the next holds is no longer.
  void retire() {
    const std::uint64_t retired = oldest_++;
    const std::vector<bool>& held = state_of(retired).holds;
    for (std::uint32_t e = 0; e < held.size(); ++e) {
      if (!held[e]) continue;
      ++others_[e];
      if (pipeline_.edges[e].held) give_back(e, retired);
    }
    if (oldest_ < admitted_) {
      const std::vector<bool>& holds = state_of(oldest_).holds;
      for (std::uint32_t e = 0; e < holds.size(); ++e)
        if (holds[e]) --others_[e];
    }
    for (Pool& pool : pools_) pool.changed = true;
  }

  const Pipeline& pipeline_;
  const std::vector<std::uint32_t>& room_;
  std::size_t wanted_;
  std::vector<Instance> instances_;  // in flight, by number modulo the window
  std::vector<Pool> pools_;
  std::vector<std::uint32_t> lanes_;          // free ones, by station
  std::vector<std::uint64_t> next_in_order_;  // by job: the instance that is due
  std::vector<std::uint32_t> others_;         // by edge: instances that hold blocks, but the oldest in flight
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t events_made_ = 0, admitted_ = 0, oldest_ = 0;
  std::vector<Sum> ends_;  // of instances, in the order in which they ended
  Sum now_ = 0;
  PipelinedRun out_;
};

}  // namespace

Result<PipelinedRun> run_pipelined(const Pipeline& pipeline, const std::vector<std::uint32_t>& room) {
  return Execution(pipeline, room).run();
}

}  // namespace woa
