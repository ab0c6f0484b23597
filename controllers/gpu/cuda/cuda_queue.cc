#include "controllers/gpu/cuda/cuda_queue.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "runtime/base/clock.h"
#include "runtime/base/quantities.h"

namespace woa {
namespace {

// A kernel reads and writes payloads of up to so many bytes in host memory; larger ones are copied, because a copy
// uses the bus better than loads and stores do. The limit is an estimate: `woa bench gpu --part in-place` measures it
// on a device.
constexpr std::size_t kMostInPlace = 16 << 10;
constexpr std::size_t kStagedAtOnce = 4 << 20;

std::byte* as_bytes(const std::uint8_t* data) noexcept {
  return reinterpret_cast<std::byte*>(const_cast<std::uint8_t*>(data));
}

}  // namespace

// A payload in the device alone needs no room elsewhere; its copy for readers elsewhere may be staged.
void QueueNeeds::include(const CudaStage& stage, const Layout& layout) {
  const std::uint32_t id = stage.stage.id;
  const StagePlan& plan = *stage.stage.plan;
  std::size_t memory = 0, scratch = 0, stage_copies = 0;
  const auto add = [&](const PortType& type, bool in_device) {
    const std::size_t bytes = type.block_bytes();
    if (!in_device) memory += FiringMemory::whole_lines(std::min(bytes, kMostInPlace));
    if (!in_device && bytes > kMostInPlace) scratch += FiringMemory::whole_lines(bytes);
    staged_bytes = std::max(staged_bytes, std::min(bytes, kStagedAtOnce));
    stage_copies += (bytes + kStagedAtOnce - 1) / kStagedAtOnce;
  };
  const auto in_device = [&](std::int32_t region) {
    return region >= 0 && layout.regions[static_cast<std::size_t>(region)].is_in_device();
  };
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    bool all = !layout.in_edges[id][i].empty();
    for (const std::uint32_t edge : layout.in_edges[id][i])
      all = all && std::ranges::all_of(layout.edges[edge].regions, in_device);
    add(plan.inputs[i].type, all);
  }
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) add(plan.outputs[i].type, in_device(layout.region_of[id][i]));
  memory_bytes = std::max(memory_bytes, memory);
  scratch_bytes = std::max(scratch_bytes, scratch);
  copies = std::max(copies, stage_copies);
  words = std::max<std::size_t>(words, stage.words);
  ports = std::max(ports, plan.inputs.size() + plan.outputs.size());
}

Status CudaQueue::open(const QueueNeeds& needs, std::size_t launches) {
  needs_ = needs;
  launches_ = launches;
  words_.resize(needs.words);
  ports_.reserve(needs.ports);
  own_outputs_.reserve(needs.ports);
  reserve_marks(0);
  auto counter = PinnedMemory::make(setup_.context, CountingStream::kCounterBytes);
  auto memory = PinnedMemory::make(setup_.context, std::max<std::size_t>(launches * needs.memory_bytes, 1));
  auto staging = PinnedMemory::make(setup_.context, std::max<std::size_t>(needs.staged_bytes, 1));
  auto scratch = DeviceMemory::make(setup_.context, std::max<std::size_t>(needs.scratch_bytes, 1));
  auto ready = setup_.context.make_event();
  for (const Status* status :
       {&counter.status(), &memory.status(), &staging.status(), &scratch.status(), &ready.status()}) {
    if (!status->ok())
      return {status->code(), "queue " + std::to_string(number_) + " needs " + bytes_text(needs.scratch_bytes) +
                                  " of the device for its largest firing, and " +
                                  bytes_text(launches * needs.memory_bytes + needs.staged_bytes) +
                                  " of pinned memory: " + status->message() +
                                  "; give the controller fewer workers, or the stages' ports smaller bounds"};
  }
  counter_ = std::move(counter).value();
  memory_ = std::move(memory).value();
  staging_ = std::move(staging).value();
  scratch_ = std::move(scratch).value();
  ready_ = std::move(ready).value();
  clocks_.resize(launches);
  for (KernelClock& clock : clocks_) WOA_RETURN_IF_ERROR(clock.open(setup_.context));
  return stream_.open(setup_.context, setup_.store, counter_.host(), counter_.device(), setup_.calls);
}

Status CudaQueue::start(const CudaStage& stage, Firing& firing, std::uint64_t order) noexcept {
  Launch& launch = under_way_.begin(firing, order);
  firing.worker = number_;
  return enqueue(stage, launch);
}

bool CudaQueue::has_done() noexcept {
  if (under_way_.size() == 0) return false;
  const auto reached = [](const StreamMark& mark) { return mark.stream->reached(mark.number); };
  const Launch& launch = under_way_.oldest();
  return !launch.marks.empty() && std::ranges::all_of(launch.marks, reached);
}

Firing* CudaQueue::finish() noexcept {
  if (!has_done()) return nullptr;
  const KernelClock& clock = clocks_[under_way_.place_of(under_way_.oldest())];
  Firing& firing = under_way_.end_oldest();
  firing.code = Code::kOk;
  if (!firing.timed) return &firing;
  const auto [started_ns, ended_ns] = clock.read(setup_.context.cuda(), now_ns());
  firing.started_ns = started_ns;
  firing.ended_ns = ended_ns;
  return &firing;
}

Status CudaQueue::enqueue(const CudaStage& stage, Launch& launch) {
  Firing& firing = *launch.firing;
  const std::size_t offset = under_way_.place_of(launch) * needs_.memory_bytes;
  FiringMemory own({memory_.host(offset), needs_.memory_bytes}, memory_.device(offset));
  ports_.clear();
  own_outputs_.clear();
  scratch_used_ = 0;
  for (std::size_t i = 0; i < firing.inputs.size(); ++i)
    WOA_RETURN_IF_ERROR(send_input(firing.inputs[i], firing.input_memory[i], launch, own));
  for (std::size_t i = 0; i < firing.outputs.size(); ++i)
    WOA_RETURN_IF_ERROR(place_output(firing.outputs[i], firing.output_memory[i], own));
  const cuda::Library& cuda = setup_.context.cuda();
  KernelClock* const clock = firing.timed ? &clocks_[under_way_.place_of(launch)] : nullptr;
  if (clock != nullptr) WOA_RETURN_IF_ERROR(clock->begin(cuda, stream_.get()));
  WOA_RETURN_IF_ERROR(launch_kernel(stage, firing));
  if (clock != nullptr) WOA_RETURN_IF_ERROR(clock->end(cuda, stream_.get()));
  for (std::size_t i = 0; i < firing.outputs.size(); ++i)
    WOA_RETURN_IF_ERROR(receive_output(i, firing.outputs[i], firing.output_memory[i], launch));
  if (clock != nullptr) WOA_RETURN_IF_ERROR(clock->done(cuda, stream_.get()));
  return announce(launch);
}

cuda::DevicePtr CudaQueue::take_scratch(std::size_t bytes) noexcept {
  const std::size_t at = scratch_used_;
  scratch_used_ += FiringMemory::whole_lines(bytes);
  return scratch_.at(at);
}

Status CudaQueue::send_input(const woa_input& input, PortMemory& memory, Launch& launch, FiringMemory& own) {
  const cuda::Library& cuda = setup_.context.cuda();
  if (CudaBlocks::hold(memory)) {
    ports_.push_back(setup_.blocks.address(memory));
    return setup_.blocks.wait_for_writer(cuda, memory, number_, stream_.get());
  }
  const cuda::DevicePtr mapped = setup_.mapped.find(input.data, input.bytes).device;
  if (input.bytes <= kMostInPlace) {
    const FiringMemory::Part part = mapped == 0 ? own.take(input.bytes) : FiringMemory::Part{nullptr, mapped};
    ports_.push_back(part.device);
    if (mapped != 0 || input.bytes == 0) return {};
    std::memcpy(part.host, input.data, input.bytes);
    memory.copied_bytes = input.bytes;
    return {};
  }
  const cuda::DevicePtr scratch = take_scratch(input.bytes);
  ports_.push_back(scratch);
  memory.copied_bytes = input.bytes;
  if (mapped == 0) return copy_staged(launch, scratch, as_bytes(input.data), input.bytes, true);
  return cuda_status("cuMemcpyHtoDAsync", cuda.copy_to_device_async(scratch, input.data, input.bytes, stream_.get()));
}

// The kernel writes what is small where it belongs, if the device reaches that.
Status CudaQueue::place_output(const woa_output& output, const PortMemory& memory, FiringMemory& own) {
  own_outputs_.push_back(nullptr);
  if (CudaBlocks::hold(memory)) {
    ports_.push_back(setup_.blocks.address(memory));
    return setup_.blocks.wait_for_writer(setup_.context.cuda(), memory, number_, stream_.get());
  }
  FiringMemory::Part part{nullptr, setup_.mapped.find(output.data, output.bytes).device};
  if (output.bytes > kMostInPlace)
    part.device = take_scratch(output.bytes);
  else if (part.device == 0)
    part = own.take(output.bytes);
  ports_.push_back(part.device);
  own_outputs_.back() = part.host;
  return {};
}

Status CudaQueue::launch_kernel(const CudaStage& stage, const Firing& firing) {
  const cuda::Library& cuda = setup_.context.cuda();
  stage.write_words(firing, ports_, words_);
  const std::array<std::uint32_t, 3> grid = stage.blocks(words_);
  if (grid[0] != 0 && grid[1] != 0 && grid[2] != 0)
    WOA_RETURN_IF_ERROR(cuda_launch(cuda, "cuLaunchKernel", {stage.launched, grid, stage.block, stage.shared_bytes},
                                    stream_.get(), std::as_bytes(std::span(words_).first(stage.words))));
  for (const PortMemory& port : firing.output_memory) {
    if (CudaBlocks::hold(port)) WOA_RETURN_IF_ERROR(setup_.blocks.set_writer(cuda, port, number_, stream_.get()));
  }
  return {};
}

Status CudaQueue::receive_output(std::size_t port, const woa_output& output, PortMemory& memory, Launch& launch) {
  const bool in_block = CudaBlocks::hold(memory);
  if (output.bytes == 0 || output.data == nullptr) return {};
  std::byte* const to = as_bytes(output.data);
  if (std::byte* const own = own_outputs_[port]; own != nullptr) {
    memory.copied_bytes = output.bytes;
    return copy_by_host(launch, to, own, output.bytes);
  }
  if (!in_block && output.bytes <= kMostInPlace) return {};
  memory.copied_bytes = output.bytes;
  const cuda::DevicePtr from = ports_[launch.firing->inputs.size() + port];
  if (setup_.mapped.find(output.data, output.bytes).device == 0)
    return copy_staged(launch, from, to, output.bytes, false);
  return cuda_status("cuMemcpyDtoHAsync",
                     setup_.context.cuda().copy_to_host_async(to, from, output.bytes, stream_.get()));
}

// The streams of its rings complete the firing, if the device publishes some of it.
Status CudaQueue::announce(Launch& launch) {
  const auto by_device = [](const Publication& publication) { return publication.word != nullptr; };
  if (std::ranges::any_of(launch.firing->publications, by_device)) {
    WOA_RETURN_IF_ERROR(cuda_status("cuEventRecord", setup_.context.cuda().event_record(ready_.get(), stream_.get())));
    return setup_.rings.publish(launch, ready_.get());
  }
  WOA_RETURN_IF_ERROR(stream_.mark());
  launch.marks.push_back({&stream_, stream_.last_mark()});
  return {};
}

Status CudaQueue::copy_by_host(Launch& launch, std::byte* to, const std::byte* from, std::size_t bytes) {
  DriverCalls::Copy& copy = launch.copies.emplace_back(DriverCalls::Copy{to, from, bytes, &setup_.calls});
  return cuda_status("cuLaunchHostFunc",
                     setup_.context.cuda().stream_host_function(stream_.get(), &DriverCalls::run_copy, &copy));
}

// Part after part through the staging memory: each waits, in the stream, until the one before has left it.
Status CudaQueue::copy_staged(Launch& launch, cuda::DevicePtr device, std::byte* host, std::size_t bytes,
                              bool to_device) {
  const cuda::Library& cuda = setup_.context.cuda();
  for (std::size_t at = 0; at < bytes; at += kStagedAtOnce) {
    const std::size_t part = std::min(bytes - at, kStagedAtOnce);
    if (to_device) {
      WOA_RETURN_IF_ERROR(copy_by_host(launch, staging_.host(), host + at, part));
      WOA_RETURN_IF_ERROR(cuda_status("cuMemcpyHtoDAsync",
                                      cuda.copy_to_device_async(device + at, staging_.host(), part, stream_.get())));
    } else {
      WOA_RETURN_IF_ERROR(
          cuda_status("cuMemcpyDtoHAsync", cuda.copy_to_host_async(staging_.host(), device + at, part, stream_.get())));
      WOA_RETURN_IF_ERROR(copy_by_host(launch, host + at, staging_.host(), part));
    }
  }
  return {};
}

}  // namespace woa
