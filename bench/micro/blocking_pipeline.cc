#include "bench/micro/blocking_pipeline.h"

#include <fcntl.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "runtime/base/clock.h"
#include "runtime/measure/pinned_group.h"

namespace woa::bench {

using namespace measure;

namespace {

const Status kWorkerLost{Code::kPeerLost, "a worker of the blocking pipeline ended early"};

// A write to a process that has ended fails, here and in children, instead of ending the writer.
class BrokenPipesAreErrors {
 public:
  BrokenPipesAreErrors() = default;
  BrokenPipesAreErrors(const BrokenPipesAreErrors&) = delete;
  BrokenPipesAreErrors& operator=(const BrokenPipesAreErrors&) = delete;
  ~BrokenPipesAreErrors() { std::signal(SIGPIPE, before_); }

 private:
  void (*before_)(int) = std::signal(SIGPIPE, SIG_IGN);
};

InboxOptions inbox_of(const BlockingPipeline& pipeline) { return {pipeline.way, pipeline.size, pipeline.window}; }

void add_one(std::byte& byte) { byte = std::byte(std::to_integer<int>(byte) + 1); }

// In the process of worker `number`, which keeps none but its own ends of the links: whoever ends is missed at once.
int work(const BlockingPipeline& pipeline, std::vector<BlockingLink>& links, std::uint32_t number,
         std::uint64_t items) {
  UniqueFd in = std::move(links[number].in), out = std::move(links[number + 1].out);
  links.clear();
  const auto inbox = open_inbox(inbox_of(pipeline), std::move(in));
  if (!inbox.ok()) return 1;
  for (std::uint64_t k = 0; k < items; ++k) {
    const std::span<std::byte> item = (*inbox)->next();
    if (item.empty()) return 1;
    add_one(item.front()), add_one(item.back());
    if (!write_all(out.get(), item)) return 1;
  }
  return 0;
}

// Source and sink.
class Client {
 public:
  // Takes the ends of the links that no worker has.
  static Result<Client> open(const BlockingPipeline& pipeline, std::vector<BlockingLink> links) {
    Client out(pipeline, std::move(links.front().out), links.back().in.get());
    WOA_ASSIGN_OR_RETURN(out.inbox_, open_inbox(inbox_of(pipeline), std::move(links.back().in)));
    // A writer that waits for room in a pipe takes results meanwhile, or all would wait. A thread reads the socket.
    if (pipeline.way == BlockingWay::kPipe) ::fcntl(out.out_.get(), F_SETFL, O_NONBLOCK);
    return out;
  }

  [[nodiscard]] Status run(std::uint64_t items) {
    done_ = 0;
    for (std::uint64_t started = 0; done_ < items;) {
      const bool has_room = started < items && started - done_ < pipeline_.window;
      if (!(has_room ? send() : take())) return kWorkerLost;
      if (has_room) ++started;
      if (wrong_) return {Code::kDataLoss, "an item of the blocking pipeline came back without the workers' changes"};
    }
    return {};
  }

 private:
  Client(const BlockingPipeline& pipeline, UniqueFd out, int results)
      : pipeline_(pipeline), out_(std::move(out)), results_(results), source_(pipeline.size, std::byte{1}) {}

  [[nodiscard]] bool send() {
    for (std::span<const std::byte> rest = source_; !rest.empty();) {
      if (write_some(out_.get(), rest)) continue;
      if (errno != EAGAIN || !wait_for_room()) return false;
    }
    return true;
  }
  [[nodiscard]] bool wait_for_room() {
    std::array<pollfd, 2> ends{{{out_.get(), POLLOUT, 0}, {results_, POLLIN, 0}}};
    ::poll(ends.data(), ends.size(), -1);
    return ends[1].revents == 0 || take();
  }
  [[nodiscard]] bool take() {
    const std::span<const std::byte> item = inbox_->next();
    if (item.empty()) return false;
    const auto touched = std::byte(1 + pipeline_.workers);
    wrong_ = wrong_ || item.front() != touched || item.back() != touched;
    ++done_;
    return true;
  }

  BlockingPipeline pipeline_;
  UniqueFd out_;
  int results_;  // the inbox has it
  std::unique_ptr<Inbox> inbox_;
  std::vector<std::byte> source_;
  std::uint64_t done_ = 0;
  bool wrong_ = false;
};

}  // namespace

Result<double> blocking_pipeline_ns(const BlockingPipeline& pipeline, std::uint64_t items) {
  const BrokenPipesAreErrors quiet;
  const std::uint64_t warm_up = std::min<std::uint64_t>(items, 4 * (pipeline.window + 1));
  std::vector<BlockingLink> links;
  while (links.size() <= pipeline.workers) {
    WOA_ASSIGN_OR_RETURN(auto link, BlockingLink::make(pipeline.way));
    links.push_back(std::move(link));
  }
  std::vector<Member> workers;
  for (std::uint32_t k = 0; k < pipeline.workers; ++k)
    workers.push_back({kAnyProcessor, [&, k] { return work(pipeline, links, k, warm_up + items); }});
  WOA_ASSIGN_OR_RETURN(auto group, PinnedGroup::start(workers, kAnyProcessor));
  WOA_ASSIGN_OR_RETURN(auto client, Client::open(pipeline, std::move(links)));
  WOA_RETURN_IF_ERROR(client.run(warm_up));
  const std::uint64_t start_ns = now_ns();
  WOA_RETURN_IF_ERROR(client.run(items));
  const std::uint64_t end_ns = now_ns();
  return group.wait() == 0 ? Result<double>(static_cast<double>(end_ns - start_ns)) : kWorkerLost;
}

}  // namespace woa::bench
