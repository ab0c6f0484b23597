#include "bench/gpu/own_launches.h"

#include <algorithm>
#include <optional>

#include "bench/gpu/own_device.h"
#include "bench/gpu/random_payloads.h"
#include "runtime/base/clock.h"
#include "runtime/measure/pinned_group.h"
#include "runtime/measure/statistics.h"

namespace woa::bench {

using namespace measure;
namespace {

// A stream with memory for one packet between each two stages.
class OwnChain {
 public:
  static Result<OwnChain> open(const OwnJob& job, bool copies) {
    WOA_ASSIGN_OR_RETURN(auto stream, OwnStream::open(job.kernel_path, chain_of(job.stages)));
    OwnChain chain(std::move(stream), job.bytes, copies);
    WOA_RETURN_IF_ERROR(chain.take(job.stages));
    return chain;
  }

  OwnStream& stream() noexcept { return stream_; }
  std::span<std::byte> in() const noexcept { return {in_.host(), bytes_}; }
  std::span<std::byte> out() const noexcept { return {out_.host(), bytes_}; }

  Status bring() { return copies_ ? stream_.to_device(between_.front(), in()) : Status(); }
  Status compute() {
    for (std::size_t k = 0; k + 1 < between_.size(); ++k)
      WOA_RETURN_IF_ERROR(stream_.launch(k, between_[k], between_[k + 1], bytes_));
    return {};
  }
  Status fetch() { return copies_ ? stream_.to_host(out(), between_.back()) : Status(); }

 private:
  OwnChain(OwnStream stream, std::uint64_t bytes, bool copies)
      : stream_(std::move(stream)), bytes_(bytes), copies_(copies) {}

  Status take(std::uint32_t stages) {
    for (PinnedMemory* const pinned : {&in_, &out_}) {
      WOA_ASSIGN_OR_RETURN(auto taken, PinnedMemory::make(stream_.context(), bytes_));
      *pinned = std::move(taken);
    }
    for (std::uint32_t k = 0; k <= stages; ++k) {
      WOA_ASSIGN_OR_RETURN(auto taken, DeviceMemory::make(stream_.context(), bytes_));
      between_.push_back(taken.at());
      memory_.push_back(std::move(taken));
    }
    if (!copies_) between_.front() = in_.device(), between_.back() = out_.device();
    return {};
  }

  OwnStream stream_;  // goes last
  std::uint64_t bytes_;
  bool copies_;
  PinnedMemory in_, out_;
  std::vector<DeviceMemory> memory_;
  std::vector<cuda::DevicePtr> between_;  // what each stage reads; the last one's output
};

// The chain's launches as one.
class Replay {
 public:
  static Result<Replay> capture(OwnChain& chain) {
    const cuda::Library& cuda = chain.stream().context().cuda();
    cuda::Graph graph = nullptr;
    Replay replay;
    WOA_RETURN_IF_ERROR(cuda_status("cuStreamBeginCapture",
                                    cuda.stream_begin_capture(chain.stream().get(), cuda::kCaptureThreadLocal)));
    WOA_RETURN_IF_ERROR(chain.compute());
    WOA_RETURN_IF_ERROR(cuda_status("cuStreamEndCapture", cuda.stream_end_capture(chain.stream().get(), &graph)));
    WOA_RETURN_IF_ERROR(cuda_status("cuGraphInstantiateWithFlags", cuda.graph_instantiate(&replay.graph_, graph, 0)));
    return replay;
  }
  Status launch(OwnStream& stream) const {
    return cuda_status("cuGraphLaunch", stream.context().cuda().graph_launch(graph_, stream.get()));
  }

 private:
  cuda::GraphExec graph_ = nullptr;  // ends with its context
};

Status send_packet(OwnChain& chain, const std::optional<Replay>& replay) {
  if (replay) return replay->launch(chain.stream());
  WOA_RETURN_IF_ERROR(chain.bring());
  WOA_RETURN_IF_ERROR(chain.compute());
  return chain.fetch();
}

}  // namespace

bool has_graphs(const cuda::Library& cuda) noexcept {
  return cuda.stream_begin_capture != nullptr && cuda.stream_end_capture != nullptr &&
         cuda.graph_instantiate != nullptr && cuda.graph_launch != nullptr;
}

Result<Figures> own_packet_us(OwnWay way, const OwnJob& job) {
  WOA_ASSIGN_OR_RETURN(auto chain, OwnChain::open(job, way == OwnWay::kCopies));
  WOA_ASSIGN_OR_RETURN(const auto here, PinnedGroup::start({}, 0));  // now: the driver's threads stay off processor 0
  std::optional<Replay> replay;
  if (way == OwnWay::kGraph) {
    WOA_ASSIGN_OR_RETURN(replay, Replay::capture(chain));
  }
  const RandomPayloads payloads(job.bytes);
  const auto send = [&](std::uint64_t count) -> Status {
    for (std::uint64_t n = 0; n < count; ++n) {
      payloads.fill(n, chain.in());
      WOA_RETURN_IF_ERROR(send_packet(chain, replay));
      WOA_RETURN_IF_ERROR(chain.stream().synchronise());
      WOA_RETURN_IF_ERROR(payloads.check_inverted(n, chain.out()));
    }
    return {};
  };
  WOA_RETURN_IF_ERROR(send(kWarmUp));
  const std::uint64_t start = now_ns();
  WOA_RETURN_IF_ERROR(send(job.count));
  return Figures{static_cast<double>(now_ns() - start) / 1e3 / static_cast<double>(job.count)};
}

Result<Figures> own_pipeline_us(const OwnJob& job) {
  WOA_ASSIGN_OR_RETURN(auto chain, OwnChain::open(job, true));
  WOA_ASSIGN_OR_RETURN(const auto here, PinnedGroup::start({}, 0));  // now: the driver's threads stay off processor 0
  OwnStream& stream = chain.stream();
  WOA_ASSIGN_OR_RETURN(const auto begin, stream.context().make_event(cuda::kEventTiming));
  WOA_ASSIGN_OR_RETURN(const auto end, stream.context().make_event(cuda::kEventTiming));
  const RandomPayloads payloads(job.bytes);
  std::vector<double> stages, whole;
  for (std::uint64_t n = 0; n < kWarmUp + job.count; ++n) {
    payloads.fill(n, chain.in());
    const std::uint64_t start = now_ns();
    WOA_RETURN_IF_ERROR(chain.bring());
    WOA_RETURN_IF_ERROR(stream.record(begin));
    WOA_RETURN_IF_ERROR(chain.compute());
    WOA_RETURN_IF_ERROR(stream.record(end));
    WOA_RETURN_IF_ERROR(chain.fetch());
    WOA_RETURN_IF_ERROR(stream.synchronise());
    const auto whole_ns = static_cast<double>(now_ns() - start);
    WOA_RETURN_IF_ERROR(payloads.check_inverted(n, chain.out()));
    WOA_ASSIGN_OR_RETURN(const auto stages_ns, between_ns(stream.context(), begin, end));
    if (n >= kWarmUp) stages.push_back(stages_ns / 1e3), whole.push_back(whole_ns / 1e3);
  }
  return Figures{median(std::move(stages)), median(std::move(whole))};
}

Result<Figures> moved_us(Mover mover, const OwnJob& job) {
  WOA_ASSIGN_OR_RETURN(auto stream, OwnStream::open(job.kernel_path, chain_of(1)));
  const std::uint64_t bytes = job.bytes;
  WOA_ASSIGN_OR_RETURN(const auto in, PinnedMemory::make(stream.context(), bytes));
  WOA_ASSIGN_OR_RETURN(const auto out, PinnedMemory::make(stream.context(), bytes));
  WOA_ASSIGN_OR_RETURN(const auto read, DeviceMemory::make(stream.context(), bytes));
  WOA_ASSIGN_OR_RETURN(const auto written, DeviceMemory::make(stream.context(), bytes));
  const RandomPayloads payloads(bytes);
  const std::span<std::byte> to{out.host(), bytes};
  const bool copies = mover == Mover::kCopyEngine;
  payloads.fill(0, {in.host(), bytes});
  const auto bring = [&]() -> Status {
    if (!copies) return stream.launch(0, in.device(), written.at(), bytes);
    WOA_RETURN_IF_ERROR(stream.to_device(read.at(), {in.host(), bytes}));
    return stream.launch(0, read.at(), written.at(), bytes);
  };
  WOA_ASSIGN_OR_RETURN(const double there, us_of_each(stream.context(), stream.get(), {kWarmUp, job.count}, bring));
  WOA_RETURN_IF_ERROR(stream.to_host(to, written.at()));
  WOA_RETURN_IF_ERROR(stream.synchronise());
  WOA_RETURN_IF_ERROR(payloads.check_inverted(0, to));
  payloads.fill(1, {in.host(), bytes});
  WOA_RETURN_IF_ERROR(stream.to_device(read.at(), {in.host(), bytes}));
  const auto fetch = [&]() -> Status {
    if (!copies) return stream.launch(0, read.at(), out.device(), bytes);
    WOA_RETURN_IF_ERROR(stream.launch(0, read.at(), written.at(), bytes));
    return stream.to_host(to, written.at());
  };
  WOA_ASSIGN_OR_RETURN(const double back, us_of_each(stream.context(), stream.get(), {kWarmUp, job.count}, fetch));
  WOA_RETURN_IF_ERROR(payloads.check_inverted(1, to));
  return Figures{there, back};
}

}  // namespace woa::bench
