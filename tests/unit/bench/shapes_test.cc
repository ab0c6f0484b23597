// Pipelines and fan-outs of peers: the messages of each side, and that nothing damaged passes.
#include "bench/peers/shapes.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <utility>

#include "tests/support/catch.h"

namespace woa::bench {
namespace {

using Shape = PeerArguments::Shape;
using Message = std::vector<std::byte>;
using Messages = std::deque<Message>;

constexpr std::uint64_t kWarmUp = 20, kTimed = 50;
constexpr std::size_t kBytes = 10'000;

PeerArguments job_of(Shape shape, std::size_t bytes = kBytes, std::size_t window = 3) {
  PeerArguments job;
  job.shape = shape, job.bytes = bytes, job.window = window;
  job.sides = {kWarmUp, kTimed, {0, 1, 0, 1}};
  return job;
}

// The rest of a job, in this process: `reply` decides what comes after a message was sent.
class Rest final : public Messenger {
 public:
  using Reply = std::function<void(const Message& sent, Messages& coming)>;
  explicit Rest(Reply reply, Messages coming = {}) : coming_(std::move(coming)), reply_(std::move(reply)) {}

  Status send(std::span<const std::byte> message) override {
    sent_.emplace_back(message.begin(), message.end());
    reply_(sent_.back(), coming_);
    most_coming_ = std::max(most_coming_, coming_.size());
    return {};
  }
  Result<std::span<std::byte>> receive() override {
    if (coming_.empty()) return {Code::kPeerLost, "nothing comes"};
    held_ = std::move(coming_.front());
    coming_.pop_front();
    return std::span(held_);
  }
  Status settle() override { return ++settled_, Status(); }

  Messages sent_, coming_;
  std::size_t most_coming_ = 0, settled_ = 0;

 private:
  Reply reply_;
  Message held_;
};

Code run(const PeerArguments& job, std::size_t number, const std::shared_ptr<Rest>& rest) {
  const Side side = side_of(job, number, rest);
  const Status warm_up = side(job.sides.warm_up);
  return warm_up.ok() ? side(job.sides.messages).code() : warm_up.code();
}

// An item after three workers.
Message worked_on(Message item) {
  for (int worker = 0; worker < 3; ++worker) add_one(item);
  return item;
}

Code run_source(const Rest::Reply& spoil) {
  return run(job_of(Shape::kPipeline), 0, std::make_shared<Rest>([&](const Message& sent, Messages& coming) {
               coming.push_back(worked_on(sent));
               spoil(sent, coming);
             }));
}

TEST_CASE("the source of a pipeline takes what its workers have changed") {
  for (const std::size_t window : {1U, 3U, 8U}) {
    const auto rest =
        std::make_shared<Rest>([](const Message& sent, Messages& coming) { coming.push_back(worked_on(sent)); });
    CHECK(run(job_of(Shape::kPipeline, 2, window), 0, rest) == Code::kOk);
    CHECK(rest->sent_.size() == kWarmUp + kTimed);
    CHECK(rest->most_coming_ == window);
    CHECK(rest->settled_ == 2);
    CHECK(rest->sent_[0] != rest->sent_[1]);
    CHECK(std::all_of(rest->sent_.begin() + kWarmUp, rest->sent_.end(),
                      [&](const Message& each) { return each == rest->sent_.back(); }));
  }
}

TEST_CASE("the source of a pipeline refuses what arrives damaged") {
  std::uint64_t number = 0;
  const auto at = [&](std::uint64_t wanted, const std::function<void(const Message&, Messages&)>& spoil) {
    number = 0;
    return run_source([&, wanted](const Message& sent, Messages& coming) {
      if (number++ == wanted) spoil(sent, coming);
    });
  };
  REQUIRE(at(5, [](const Message&, Messages&) {}) == Code::kOk);
  const auto byte = [](std::size_t place) {
    return [place](const Message&, Messages& coming) { coming.back()[place] ^= std::byte{4}; };
  };
  for (const std::size_t place : {std::size_t{0}, std::size_t{1}, kBytes / 2, kBytes - 1})
    CHECK(at(5, byte(place)) == Code::kDataLoss);
  CHECK(at(kWarmUp + 5, byte(0)) == Code::kDataLoss);
  CHECK(at(kWarmUp + 5, byte(kBytes - 1)) == Code::kDataLoss);
  const auto shorter = [](const Message&, Messages& coming) { coming.back().pop_back(); };
  const auto longer = [](const Message&, Messages& coming) { coming.back().push_back(std::byte{1}); };
  const auto empty = [](const Message&, Messages& coming) { coming.back().clear(); };
  for (const std::uint64_t item : {std::uint64_t{5}, kWarmUp + 5}) {
    CHECK(at(item, shorter) == Code::kDataLoss);
    CHECK(at(item, longer) == Code::kDataLoss);
    CHECK(at(item, empty) == Code::kDataLoss);
    CHECK(at(item, [](const Message& sent, Messages& coming) { coming.back() = sent; }) == Code::kDataLoss);
  }
  CHECK(at(5, [](const Message&, Messages& coming) { std::swap(coming.back(), coming.front()); }) == Code::kDataLoss);
  CHECK(at(5, [](const Message&, Messages& coming) { coming.push_back(coming.back()); }) == Code::kDataLoss);
  CHECK(at(5, [](const Message&, Messages& coming) { coming.pop_back(); }) == Code::kDataLoss);
  CHECK(at(kWarmUp + kTimed - 1, [](const Message&, Messages& coming) { coming.pop_back(); }) == Code::kPeerLost);
}

TEST_CASE("a worker adds one to both ends and sends the item on") {
  const Message item{std::byte{1}, std::byte{7}, std::byte{255}};
  const auto rest = std::make_shared<Rest>([](const Message&, Messages&) {}, Messages(kWarmUp + kTimed, item));
  CHECK(run(job_of(Shape::kPipeline, item.size()), 2, rest) == Code::kOk);
  CHECK(rest->sent_ == Messages(kWarmUp + kTimed, Message{std::byte{2}, std::byte{7}, std::byte{0}}));
  const auto other = std::make_shared<Rest>([](const Message&, Messages&) {}, Messages{item});
  CHECK(run(job_of(Shape::kPipeline, item.size() + 1), 2, other) == Code::kDataLoss);
}

TEST_CASE("the source of a fan-out waits for every consumer") {
  const auto rest = std::make_shared<Rest>([](const Message&, Messages& coming) {
    CHECK(coming.empty());
    coming.resize(3);
  });
  CHECK(run(job_of(Shape::kFanout), 0, rest) == Code::kOk);
  CHECK(rest->sent_.size() == kWarmUp + kTimed);
  const auto fewer = std::make_shared<Rest>([](const Message&, Messages& coming) { coming.resize(2); });
  CHECK(run(job_of(Shape::kFanout), 0, fewer) == Code::kPeerLost);
  const auto no_answer = std::make_shared<Rest>([](const Message& sent, Messages& coming) { coming = {sent}; });
  CHECK(run(job_of(Shape::kFanout), 0, no_answer) == Code::kDataLoss);
}

TEST_CASE("a consumer of a fan-out refuses what arrives damaged") {
  const auto source = std::make_shared<Rest>([](const Message&, Messages& coming) { coming.resize(3); });
  REQUIRE(run(job_of(Shape::kFanout), 0, source) == Code::kOk);
  const auto consume = [&](const std::function<void(Messages&)>& spoil) {
    Messages coming = source->sent_;
    spoil(coming);
    const auto rest = std::make_shared<Rest>([](const Message& sent, Messages&) { CHECK(sent.empty()); }, coming);
    return run(job_of(Shape::kFanout), 1, rest);
  };
  CHECK(consume([](Messages&) {}) == Code::kOk);
  CHECK(consume([](Messages& coming) { coming[7][kBytes / 2] ^= std::byte{1}; }) == Code::kDataLoss);
  CHECK(consume([](Messages& coming) { coming[kWarmUp + 1].back() ^= std::byte{1}; }) == Code::kDataLoss);
  CHECK(consume([](Messages& coming) { coming[7] = coming[6]; }) == Code::kDataLoss);
  CHECK(consume([](Messages& coming) { coming[7].clear(); }) == Code::kDataLoss);
}

TEST_CASE("who sends to whom") {
  const auto pipeline = job_of(Shape::kPipeline), fanout = job_of(Shape::kFanout);
  for (const std::size_t number : {0U, 1U, 2U, 3U}) {
    CHECK(routing_of(pipeline, number).targets == std::vector<std::size_t>{(number + 1) % 4});
    CHECK(routing_of(pipeline, number).bytes == kBytes);
    CHECK(routing_of(pipeline, number).rooms == 4);
  }
  CHECK(routing_of(fanout, 0).targets == std::vector<std::size_t>{1, 2, 3});
  CHECK(routing_of(fanout, 0).bytes == 0);
  CHECK(routing_of(fanout, 0).rooms == 3);
  CHECK(routing_of(fanout, 2).targets == std::vector<std::size_t>{0});
  CHECK(routing_of(fanout, 2).bytes == kBytes);
}

}  // namespace
}  // namespace woa::bench
