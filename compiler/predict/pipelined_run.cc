#include "compiler/predict/pipelined_run.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <set>
#include <utility>

namespace woa {
namespace {

// Instances in a third of a run: more than two windows, and each replica's at least twice.
std::size_t third_of(const Pipeline& pipeline) {
  return std::max<std::size_t>(2 * std::size_t{pipeline.window} + 32, 2 * std::size_t{pipeline.turns});
}

// Times at which something began or ended, in each instance of the last two thirds of a run; kNever: it did not.
using Times = std::vector<Sum>;
constexpr Sum kNever = -1;

// The largest lateness of the instances from `first` to before `last`, if one is due every `period`.
Sum latest(const Times& times, std::size_t first, std::size_t last, Sum period) {
  Sum late = -(Sum{1} << 120);
  for (std::size_t k = first; k < last; ++k)
    if (times[k] != kNever) late = std::max(late, times[k] - static_cast<Sum>(k) * period);
  return late;
}

bool keeps(const Times& times, Sum period) {
  const std::size_t half = times.size() / 2;
  return latest(times, half, times.size(), period) <= latest(times, 0, half, period);
}

// The least period, from `least` on, that keeps() accepts. It exists: the lateness of later instances falls faster with
// the period than that of earlier ones.
Sum least_period(const Times& times, Sum least) {
  if (keeps(times, least)) return least;
  Sum missed = least, kept = std::ranges::max(times);
  while (kept - missed > 1) {
    const Sum period = missed + (kept - missed) / 2;
    (keeps(times, period) ? kept : missed) = period;
  }
  return kept;
}

class Execution {
 public:
  Execution(const Pipeline& pipeline, const std::vector<std::uint32_t>& room)
      : pipeline_(pipeline),
        room_(room),
        third_(third_of(pipeline)),
        instances_(pipeline.window),
        stations_(pipeline.stations.size()),
        pools_(pipeline.pools.size()),
        jobs_(pipeline.jobs.size()),
        edges_(pipeline.edges.size()),
        controllers_(pipeline.told_ps.size()),
        ends_(2 * third_, kNever) {
    for (std::size_t p = 0; p < pools_.size(); ++p) pools_[p].cores = pipeline.pools[p];
    for (std::uint32_t s = 0; s < stations_.size(); ++s) {
      stations_[s].workers = pipeline.stations[s].workers;
      pools_[pipeline.stations[s].pool].stations.push_back(s);
    }
    for (std::uint32_t j = 0; j < jobs_.size(); ++j) {
      if (pipeline.jobs[j].claims.empty()) continue;
      controllers_[pipeline.jobs[j].station].writers.push_back(j);
      jobs_[j].starts.assign(2 * third_, kNever);
    }
    for (std::uint32_t e = 0; e < edges_.size(); ++e)
      if (pipeline.edges[e].holder) controllers_[*pipeline.edges[e].holder].held.push_back(e);
    for (Edge& edge : edges_) edge.holders.assign(pipeline.window, false);
    out_.room.assign(edges_.size(), 1);
  }

  Result<PipelinedRun> run() {
    admit();
    while (oldest_ < 3 * third_) {
      while (!changed_.empty()) {
        const std::uint32_t p = changed_.back();
        changed_.pop_back();
        pools_[p].changed = false;
        start_jobs(pools_[p]);
      }
      if (events_.empty()) return {Code::kInvalid, "the plan's stages wait for each other, in a cycle that is no loop"};
      now_ = events_.top().at_ps;
      while (!events_.empty() && events_.top().at_ps == now_) {
        const Event event = events_.top();
        events_.pop();
        apply(event);
      }
    }
    out_.period_ps = least_period(ends_, 0);
    for (const Job& job : jobs_)
      if (!job.starts.empty()) out_.period_ps = least_period(job.starts, out_.period_ps);
    return std::move(out_);
  }

 private:
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  enum class What : std::uint8_t { kEnded, kHeard, kFreed, kTold };
  struct Event {
    Sum at_ps = 0;
    std::uint64_t number = 0;  // in order of creation
    What what = What::kEnded;
    std::uint32_t of = 0;        // a job; kFreed: an edge; kTold: a controller
    std::uint64_t instance = 0;  // kTold: the oldest in flight
    bool operator>(const Event& other) const { return std::pair(at_ps, number) > std::pair(other.at_ps, other.number); }
  };
  struct Instance {
    std::vector<std::uint32_t> waits;  // by job
    std::size_t left = 0;              // jobs
  };
  struct Job {
    std::vector<std::uint64_t> waiting;  // instances that lack only a worker and blocks, the oldest first
    std::uint64_t next = kNone;          // the one of them that is offered to the station
    std::uint64_t due = 0;               // in_order: the next instance to start
    Times starts;
  };
  struct Station {
    std::uint32_t workers = 0;                                // free ones
    std::set<std::pair<std::uint64_t, std::uint32_t>> ready;  // instance, job: each job's next
  };
  struct Pool {
    std::uint32_t cores = 0;  // free ones
    std::vector<std::uint32_t> stations;
    bool changed = false;
  };
  struct Edge {                 // as its writer knows it
    std::vector<bool> holders;  // instances with blocks that have not retired, by number modulo the window
    std::uint32_t others = 0;   // instances with blocks, without the oldest, but with retired ones
  };
  struct Controller {
    std::uint64_t oldest = 0;            // in flight, as it has last heard
    std::vector<std::uint32_t> writers;  // jobs there that claim blocks
    std::vector<std::uint32_t> held;     // edges whose tokens are kept there until their instance has retired
  };

  [[nodiscard]] Instance& state_of(std::uint64_t instance) { return instances_[instance % pipeline_.window]; }
  [[nodiscard]] bool has(const InstanceSet& turns, std::uint64_t instance) const {
    return turns[instance % pipeline_.turns];
  }
  [[nodiscard]] std::vector<bool>::reference holds(std::uint32_t e, std::uint64_t instance) {
    return edges_[e].holders[instance % pipeline_.window];
  }
  [[nodiscard]] std::uint32_t writer_at(std::uint32_t e) const {
    return pipeline_.jobs[pipeline_.edges[e].writer].station;
  }
  void record(Times& times, std::uint64_t instance) const {
    if (instance >= third_ && instance < 3 * third_) times[instance - third_] = now_;
  }

  void after(Sum delay, What what, std::uint32_t of, std::uint64_t instance) {
    events_.push({now_ + delay, events_made_++, what, of, instance});
  }

  void admit() {
    for (; admitted_ < oldest_ + pipeline_.window; ++admitted_) {
      Instance& state = state_of(admitted_);
      state.waits.clear();
      for (const PipelineJob& job : pipeline_.jobs) state.waits.push_back(job.waits);
      state.left = pipeline_.jobs.size();
      for (std::uint32_t j = 0; j < pipeline_.jobs.size(); ++j)
        if (pipeline_.jobs[j].waits == 0) make_ready(j, admitted_);
    }
  }
  void make_ready(std::uint32_t j, std::uint64_t instance) {
    const PipelineJob& job = pipeline_.jobs[j];
    if (!has(job.turns, instance)) return after(0, What::kHeard, j, instance);
    if (job.station == kNoStation) return after(0, What::kEnded, j, instance);
    // An instance that was admitted tells which older ones have retired.
    if (!job.claims.empty() && instance >= pipeline_.window) tell_oldest(job.station, instance + 1 - pipeline_.window);
    auto& waiting = jobs_[j].waiting;
    waiting.insert(std::ranges::upper_bound(waiting, instance), instance);
    offer(j, instance);
  }

  // Offers the instance to the job's station, unless an older one is offered.
  void offer(std::uint32_t j, std::uint64_t instance) {
    if (jobs_[j].next <= instance) return;
    withdraw(j);
    jobs_[j].next = instance;
    stations_[pipeline_.jobs[j].station].ready.emplace(instance, j);
    note_change(pipeline_.jobs[j].station);
  }
  void withdraw(std::uint32_t j) {
    stations_[pipeline_.jobs[j].station].ready.erase({jobs_[j].next, j});
    jobs_[j].next = kNone;
  }
  void offer_first(std::uint32_t j) {
    if (!jobs_[j].waiting.empty()) offer(j, jobs_[j].waiting.front());
  }
  void note_change(std::uint32_t station) {
    const std::uint32_t p = pipeline_.stations[station].pool;
    if (!std::exchange(pools_[p].changed, true)) changed_.push_back(p);
  }

  void start_jobs(Pool& pool) {
    while (pool.cores > 0) {
      Station* first = nullptr;
      for (const std::uint32_t s : pool.stations) {
        Station& station = stations_[s];
        if (station.workers == 0 || station.ready.empty()) continue;
        if (first == nullptr || *station.ready.begin() < *first->ready.begin()) first = &station;
      }
      if (first == nullptr) return;
      const auto [instance, j] = *first->ready.begin();
      withdraw(j);
      const bool starts = may_start(j, instance);
      if (starts) start(pool, j, instance);
      auto& waiting = jobs_[j].waiting;
      const auto next = std::ranges::upper_bound(waiting, instance);
      const std::uint64_t younger = next == waiting.end() ? kNone : *next;
      if (starts) std::erase(waiting, instance);
      // Younger instances are refused with this one, unless replicas have edges of their own.
      if (younger != kNone && (starts || pipeline_.turns > 1)) offer(j, younger);
    }
  }
  [[nodiscard]] bool may_start(std::uint32_t j, std::uint64_t instance) const {
    const PipelineJob& job = pipeline_.jobs[j];
    if (job.in_order && jobs_[j].due != instance) return false;
    return std::ranges::all_of(job.claims, [&](std::uint32_t e) {
      return !has(pipeline_.edges[e].turns, instance) || needed(e, instance) <= room_[e];
    });
  }
  // The room that the edge needs so that this instance gets blocks. The oldest instance's are kept for it.
  [[nodiscard]] std::uint32_t needed(std::uint32_t e, std::uint64_t instance) const {
    return edges_[e].others + (instance == controllers_[writer_at(e)].oldest ? 1 : 2);
  }
  void start(Pool& pool, std::uint32_t j, std::uint64_t instance) {
    const PipelineJob& job = pipeline_.jobs[j];
    --pool.cores, --stations_[job.station].workers;
    for (const std::uint32_t e : job.claims) {
      if (!has(pipeline_.edges[e].turns, instance)) continue;
      out_.room[e] = std::max(out_.room[e], needed(e, instance));
      holds(e, instance) = true;
      if (instance != controllers_[job.station].oldest) ++edges_[e].others;
    }
    if (!job.claims.empty()) record(jobs_[j].starts, instance);
    after(job.time_ps, What::kEnded, j, instance);
  }

  void apply(const Event& event) {
    if (event.what == What::kFreed) return get_back(event.of, event.instance);
    if (event.what == What::kTold) return tell_oldest(event.of, event.instance);
    const PipelineJob& job = pipeline_.jobs[event.of];
    if (event.what == What::kHeard) return tell(job, event.instance);
    if (job.station != kNoStation) {
      ++pools_[pipeline_.stations[job.station].pool].cores, ++stations_[job.station].workers;
      note_change(job.station);
      ++jobs_[event.of].due;
      if (job.in_order) offer_first(event.of);
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
    record(ends_, instance);
    while (oldest_ < admitted_ && state_of(oldest_).left == 0) retire();
    admit();
  }

  void give_back(std::uint32_t e, std::uint64_t instance) {
    const Sum news = pipeline_.edges[e].news_ps;
    news == 0 ? get_back(e, instance) : after(news, What::kFreed, e, instance);
  }
  void get_back(std::uint32_t e, std::uint64_t instance) {
    const std::uint64_t oldest = controllers_[writer_at(e)].oldest;
    if (instance >= oldest) holds(e, instance) = false;
    if (instance != oldest) --edges_[e].others;
    offer_first(pipeline_.edges[e].writer);
  }
  void retire() {
    ++oldest_;
    for (std::uint32_t c = 0; c < controllers_.size(); ++c)
      pipeline_.told_ps[c] == 0 ? tell_oldest(c, oldest_) : after(pipeline_.told_ps[c], What::kTold, c, oldest_);
  }
  void tell_oldest(std::uint32_t c, std::uint64_t oldest) {
    while (controllers_[c].oldest < oldest) learn_of_end(c);
  }
  // Blocks that the retired instance has not got back count among the others' from now on; those of the new oldest no
  // longer do.
  void learn_of_end(std::uint32_t c) {
    Controller& controller = controllers_[c];
    const std::uint64_t retired = controller.oldest++;
    for (const std::uint32_t j : controller.writers) {
      for (const std::uint32_t e : pipeline_.jobs[j].claims) {
        if (holds(e, retired)) ++edges_[e].others;
        holds(e, retired) = false;
        if (holds(e, controller.oldest)) --edges_[e].others;
      }
      offer_first(j);
    }
    for (const std::uint32_t e : controller.held)
      if (has(pipeline_.edges[e].turns, retired)) give_back(e, retired);
  }

  const Pipeline& pipeline_;
  const std::vector<std::uint32_t>& room_;
  std::size_t third_;
  std::vector<Instance> instances_;  // in flight, by number modulo the window
  std::vector<Station> stations_;
  std::vector<Pool> pools_;
  std::vector<std::uint32_t> changed_;  // pools in which a job may be able to start
  std::vector<Job> jobs_;
  std::vector<Edge> edges_;
  std::vector<Controller> controllers_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t events_made_ = 0, admitted_ = 0, oldest_ = 0;
  Times ends_;
  Sum now_ = 0;
  PipelinedRun out_;
};

}  // namespace

Result<PipelinedRun> run_pipelined(const Pipeline& pipeline, const std::vector<std::uint32_t>& room) {
  return Execution(pipeline, room).run();
}

}  // namespace woa
