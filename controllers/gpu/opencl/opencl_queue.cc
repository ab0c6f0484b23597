#include "controllers/gpu/opencl/opencl_queue.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <string>
#include <thread>

#include "runtime/base/clock.h"

namespace woa {
namespace {

constexpr std::uint64_t kSmallestBuffer = 4096;

}  // namespace

Status OpenClQueue::open(cl_context context, cl_device_id device, std::size_t launches, std::size_t inputs,
                         std::size_t outputs) {
  context_ = context;
  input_buffers_.resize(inputs);
  output_buffers_.resize(outputs);
  writers_.reserve(inputs + outputs);
  launches_ = std::make_unique<Launch[]>(launches);
  places_ = launches;
  cl_int code = CL_SUCCESS;
  command_queue_ = {cl_.clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &code),
                    {cl_.clReleaseCommandQueue}};
  return code == CL_SUCCESS ? Status() : cl_failure("clCreateCommandQueue", code);
}

OpenClQueue::~OpenClQueue() {
  if (command_queue_ != nullptr) cl_.clFinish(command_queue_.get());
  // clFinish does not wait for callbacks, and they write to the OpenClQueue.
  while (callbacks_.load(std::memory_order_acquire) != 0) {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

// Once its commands are enqueued, only the device can fail: sizes are exact, and no output is left out. What later
// firings read and write in the device then waits for them.
Start OpenClQueue::start(const DeviceProgram& program, Firing& firing) noexcept {
  Launch& launch = launches_[(oldest_ + running_++) % places_];
  launch.queue = this;
  launch.firing = &firing;
  launch.done.store(false, std::memory_order_relaxed);
  firing.worker = number_;
  firing.started_ns = firing.ended_ns = now_ns();
  launch.failed = program.size_outputs(firing);
  if (launch.failed.ok()) {
    launch.failed = enqueue(program, launch);
    if (launch.failed.ok()) return DeviceBlocks::used_by(firing) ? Start::kOrdered : Start::kStarted;
    cl_.clFinish(command_queue_.get());  // enqueued commands use the firing's memory
  }
  launch.done.store(true, std::memory_order_relaxed);
  return Start::kStarted;
}

Firing* OpenClQueue::finish() noexcept {
  Launch& launch = launches_[oldest_];
  if (running_ == 0 || !launch.done.load(std::memory_order_acquire)) return nullptr;
  Firing& firing = *launch.firing;
  const Status status = result_of(launch);
  firing.code = status.code();
  firing.message.assign(status.message());
  if (!status.ok()) {
    for (woa_output& output : firing.outputs) output.written = 0;
  }
  launch.kernel.reset();
  launch.last.reset();
  oldest_ = (oldest_ + 1) % places_;
  --running_;
  return &firing;
}

// The firing's status; sets the times when the kernel itself ran.
Status OpenClQueue::result_of(Launch& launch) noexcept {
  if (!launch.failed.ok()) return launch.failed;
  if (launch.status < 0) return cl_failure("a command of the firing", launch.status);
  Firing& firing = *launch.firing;
  firing.started_ns = firing.ended_ns = launch.ended_ns;
  if (launch.kernel == nullptr) return {};
  cl_int kernel_status = CL_COMPLETE;
  cl_.clGetEventInfo(launch.kernel.get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof kernel_status, &kernel_status,
                     nullptr);
  if (kernel_status < 0) return cl_failure("the kernel", kernel_status);
  cl_ulong begin = 0, end = 0;
  const bool timed = cl_.clGetEventProfilingInfo(launch.kernel.get(), CL_PROFILING_COMMAND_START, sizeof begin, &begin,
                                                 nullptr) == CL_SUCCESS &&
                     cl_.clGetEventProfilingInfo(launch.kernel.get(), CL_PROFILING_COMMAND_END, sizeof end, &end,
                                                 nullptr) == CL_SUCCESS;
  if (timed && end > begin) firing.started_ns -= std::min<std::uint64_t>(end - begin, firing.started_ns);
  return {};
}

Status OpenClQueue::enqueue(const DeviceProgram& program, Launch& launch) {
  WOA_RETURN_IF_ERROR(send_inputs(program, *launch.firing));
  WOA_RETURN_IF_ERROR(launch_kernel(program, launch));
  WOA_RETURN_IF_ERROR(receive_outputs(program, *launch.firing));
  return announce_completion(launch);
}

Status OpenClQueue::grow(Buffer& buffer, std::uint64_t bytes) {
  if (buffer.memory != nullptr && bytes <= buffer.bytes) return {};
  const std::uint64_t rounded = std::bit_ceil(std::max(bytes, kSmallestBuffer));
  cl_int code = CL_SUCCESS;
  buffer.memory.reset();  // before the allocation, so that both need not fit at once
  buffer.memory = {cl_.clCreateBuffer(context_, CL_MEM_READ_WRITE, rounded, nullptr, &code), {cl_.clReleaseMemObject}};
  buffer.bytes = rounded;
  return code == CL_SUCCESS ? Status() : cl_failure("clCreateBuffer of " + std::to_string(rounded) + " bytes", code);
}

// A port's memory in the device: the block that it names, or one of this queue's buffers.
Status OpenClQueue::find_memory(const PortMemory& port, Buffer& buffer, std::uint64_t bytes, cl_mem& memory) {
  if (!DeviceBlocks::hold(port)) WOA_RETURN_IF_ERROR(grow(buffer, bytes));
  memory = DeviceBlocks::hold(port) ? blocks_.memory(port) : buffer.memory.get();
  return {};
}

Status OpenClQueue::set_port(cl_kernel kernel, cl_uint& argument, cl_mem memory, std::uint64_t bytes,
                             const std::uint32_t* dims, cl_uint rank) {
  const auto size = static_cast<cl_uint>(bytes);
  cl_uint4 extents{};
  std::copy_n(dims, rank, extents.s);
  const std::array<cl_int, 3> codes{cl_.clSetKernelArg(kernel, argument, sizeof memory, &memory),
                                    cl_.clSetKernelArg(kernel, argument + 1, sizeof size, &size),
                                    cl_.clSetKernelArg(kernel, argument + 2, sizeof extents, &extents)};
  for (std::size_t i = 0; i < codes.size(); ++i) {
    if (codes[i] != CL_SUCCESS) return cl_failure("clSetKernelArg " + std::to_string(argument + i), codes[i]);
  }
  argument += 3;
  return {};
}

// Also sets all arguments, those of outputs and parameters included.
Status OpenClQueue::send_inputs(const DeviceProgram& program, Firing& firing) {
  const StagePlan& plan = *program.stage.plan;
  const cl_kernel kernel = program.kernel.get();
  cl_uint argument = 0;
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    const woa_input& input = firing.inputs[i];
    cl_mem memory = nullptr;
    WOA_RETURN_IF_ERROR(find_memory(firing.input_memory[i], input_buffers_[i], input.bytes, memory));
    WOA_RETURN_IF_ERROR(set_port(kernel, argument, memory, input.bytes, input.dims, input.rank));
    if (input.bytes == 0 || DeviceBlocks::hold(firing.input_memory[i])) continue;
    const cl_int code = cl_.clEnqueueWriteBuffer(command_queue_.get(), memory, CL_FALSE, 0, input.bytes, input.data, 0,
                                                 nullptr, nullptr);
    if (code != CL_SUCCESS) return cl_failure("clEnqueueWriteBuffer", code);
    firing.input_memory[i].copied_bytes = input.bytes;
  }
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
    const auto rank = static_cast<cl_uint>(std::max<std::size_t>(plan.outputs[i].type.dims.size(), 1));
    const woa_output& output = firing.outputs[i];
    cl_mem memory = nullptr;
    WOA_RETURN_IF_ERROR(find_memory(firing.output_memory[i], output_buffers_[i], output.bytes, memory));
    WOA_RETURN_IF_ERROR(set_port(kernel, argument, memory, output.bytes, output.dims, rank));
  }
  for (const cl_int param : program.int_params) {
    const cl_int code = cl_.clSetKernelArg(kernel, argument++, sizeof param, &param);
    if (code != CL_SUCCESS) return cl_failure("clSetKernelArg " + std::to_string(argument - 1), code);
  }
  return {};
}

Status OpenClQueue::launch_kernel(const DeviceProgram& program, Launch& launch) {
  std::array<std::size_t, 3> work{};
  if (!program.work_of(*launch.firing, work)) return {};  // OpenCL 1.2 does not take an empty range
  wait_for_writers(*launch.firing);
  cl_event event = nullptr;
  const cl_int code = cl_.clEnqueueNDRangeKernel(command_queue_.get(), program.kernel.get(), program.work_dims, nullptr,
                                                 work.data(), nullptr, static_cast<cl_uint>(writers_.size()),
                                                 writers_.empty() ? nullptr : writers_.data(), &event);
  if (code != CL_SUCCESS) return cl_failure("clEnqueueNDRangeKernel", code);
  launch.kernel = {event, {cl_.clReleaseEvent}};
  for (const PortMemory& port : launch.firing->output_memory) {
    if (DeviceBlocks::hold(port)) blocks_.set_writer(cl_, port, event);
  }
  return {};
}

// The kernel waits for whoever writes a block that it reads or writes over. Readers of the latter are done: they gave
// it back.
void OpenClQueue::wait_for_writers(const Firing& firing) {
  writers_.clear();
  for (const std::span<PortMemory> ports : {firing.input_memory, firing.output_memory}) {
    for (const PortMemory& port : ports) {
      if (const cl_event writer = DeviceBlocks::hold(port) ? blocks_.writer(port) : nullptr; writer != nullptr)
        writers_.push_back(writer);
    }
  }
}

Status OpenClQueue::receive_outputs(const DeviceProgram& program, Firing& firing) {
  for (std::size_t i = 0; i < program.stage.plan->outputs.size(); ++i) {
    const woa_output& output = firing.outputs[i];
    if (output.bytes == 0 || output.data == nullptr) continue;
    cl_mem memory = nullptr;
    WOA_RETURN_IF_ERROR(find_memory(firing.output_memory[i], output_buffers_[i], output.bytes, memory));
    const cl_int code = cl_.clEnqueueReadBuffer(command_queue_.get(), memory, CL_FALSE, 0, output.bytes, output.data, 0,
                                                nullptr, nullptr);
    if (code != CL_SUCCESS) return cl_failure("clEnqueueReadBuffer", code);
    firing.output_memory[i].copied_bytes = output.bytes;
  }
  return {};
}

// The queue is in order: a marker at its end completes after everything.
Status OpenClQueue::announce_completion(Launch& launch) {
  cl_event event = nullptr;
  if (const cl_int code = cl_.clEnqueueMarkerWithWaitList(command_queue_.get(), 0, nullptr, &event);
      code != CL_SUCCESS) {
    return cl_failure("clEnqueueMarkerWithWaitList", code);
  }
  launch.last = {event, {cl_.clReleaseEvent}};
  callbacks_.fetch_add(1, std::memory_order_relaxed);
  if (const cl_int code = cl_.clSetEventCallback(event, CL_COMPLETE, &OpenClQueue::on_complete, &launch);
      code != CL_SUCCESS) {
    callbacks_.fetch_sub(1, std::memory_order_relaxed);
    return cl_failure("clSetEventCallback", code);
  }
  // From here on the firing completes by the callback alone; a failed flush would only delay it.
  cl_.clFlush(command_queue_.get());
  return {};
}

// Runs on a thread of the driver, once per firing.
void OpenClQueue::on_complete(cl_event, cl_int status, void* launch) {
  auto& self = *static_cast<Launch*>(launch);
  OpenClQueue& queue = *self.queue;  // once it is done, the launch is another firing's
  self.status = status;
  self.ended_ns = now_ns();
  self.done.store(true, std::memory_order_release);
  queue.wakeup_.ring();
  queue.callbacks_.fetch_sub(1, std::memory_order_release);
}

}  // namespace woa
