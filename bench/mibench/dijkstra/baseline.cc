// dijkstra without a runtime: its kernel for a whole source, one source after another. The two kernels of fine.yaml are
// timed beside the same plain loop.
#include "bench/mibench/baseline/program.h"
#include "bench/mibench/dijkstra/dijkstra.h"
#include "bench/mibench/dijkstra/plain.h"

namespace woa::mibench {
namespace {

class Dijkstra : public Program {
 public:
  explicit Dijkstra(const Files& files)
      : parse_(files.kernels, "dijkstra_parse", 1, {sizeof(int32_t) * kNodes * kNodes, sizeof(uint32_t)},
               {{"pairs", files.settings.at("pairs")}}),
        next_(files.kernels, "dijkstra_next", 1, {sizeof(candidate), 64 << 10}),
        solve_(files.kernels, "dijkstra_solve", 2, {kLineRoom}, {}, kSolveScratch),
        queue_(files.kernels, "dijkstra_fifo", 1, {sizeof(candidate)}),
        relax_(files.kernels, "dijkstra_paths", 2, {sizeof(candidate) * kNodes, kLineRoom}) {}

  void run(Repetition& repetition) override {
    repetition.read_by(parse_, "text");
    next_.begin();
    solve_.give(1, parse_.out(0), 2);
    next_.give(0, parse_.out(1));
    for (;;) {
      repetition.system([&] { next_.fire(); });
      if (next_.wrote(1)) break;
      solve_.give(0, next_.out(0));
      solve_.fire();
      next_.give(0, solve_.out(0));
    }
    repetition.write("text", next_.out(1));
  }

  // All sources, by each way of calling the kernels.
  std::vector<HotLoop> loops() override {
    queue_.begin();
    relax_.give(1, parse_.out(0), 2);
    return {
        {"solve", [this] { solve_all(); }, [this] { plain_all(); }, [this] { return same_lengths(&Dijkstra::solve); }},
        {"queue and relax", [this] { search_all(); }, [this] { plain_all(); },
         [this] { return turns_ == plain_turns_ && same_lengths(&Dijkstra::search); }}};
  }

 private:
  using Line = const woa_output& (Dijkstra::*)(const woa_output& source);

  const woa_output& solve(const woa_output& source) {
    solve_.give(0, source);
    solve_.fire();
    return solve_.out(0);
  }

  const woa_output& search(const woa_output& source) {
    queue_.give(0, source);
    relax_.give(0, queue_.out(0));
    for (;;) {
      queue_.fire();
      relax_.give(0, queue_.out(0));
      relax_.fire();
      ++turns_;
      if (relax_.wrote(1)) return relax_.out(1);
      queue_.give(0, relax_.out(0));
    }
  }

  template <class Search>
  static void for_all_sources(Search&& search) {
    for (int32_t source = 0; source < kSources; ++source) {
      candidate first = {source, 0, kFromNowhere};
      woa_output out{};
      out.data = reinterpret_cast<std::uint8_t*>(&first);
      out.bytes = sizeof first;
      search(out);
    }
  }

  void search_all() {
    turns_ = 0;
    for_all_sources([this](const woa_output& source) { search(source); });
  }

  void solve_all() {
    for_all_sources([this](const woa_output& source) { solve(source); });
  }

  // Compares the length in each source's line with the one that the plain loop finds.
  [[nodiscard]] bool same_lengths(Line line_of) {
    bool same = true;
    for_all_sources([&](const woa_output& source) {
      const std::int32_t node = reinterpret_cast<const candidate*>(source.data)->node;
      plain_search(reinterpret_cast<const std::int32_t*>(parse_.out(0).data), node, length_, from_);
      const int target = (node + kNodes / 2) % kNodes;
      const int length = length_[target] == kFar ? kNoEdge : length_[target];
      const woa_output& line = (this->*line_of)(source);
      same = same && std::string_view(reinterpret_cast<const char*>(line.data), line.bytes)
                         .starts_with("Shortest path is " + std::to_string(length) + " in cost.");
    });
    return same;
  }

  void plain_all() {
    const auto* matrix = reinterpret_cast<const std::int32_t*>(parse_.out(0).data);
    plain_turns_ = 0;
    for (int32_t source = 0; source < kSources; ++source)
      plain_turns_ += 1 + plain_search(matrix, source, length_, from_);  // the kernels see the queue's end, too
  }

  static constexpr int32_t kSources = 20;
  static constexpr std::uint64_t kSolveScratch = 64 << 10;  // as in kernel.yaml
  Stage parse_, next_, solve_, queue_, relax_;
  std::int64_t turns_ = 0, plain_turns_ = 0;
  std::int32_t length_[kNodes]{}, from_[kNodes]{};
};

}  // namespace
}  // namespace woa::mibench

int main(int argc, char** argv) {
  return woa::mibench::run_baseline<woa::mibench::Dijkstra>(argc, argv,
                                                            {.inputs = {"text"}, .settings = {{"pairs", "20"}}});
}
