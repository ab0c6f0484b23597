// Runs one firing at a time on its own OpenCL queue: inputs over, kernel, outputs back, completion. Payloads that stay
// in the device are not moved.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "controllers/gpu/opencl/device_blocks.h"
#include "controllers/gpu/opencl/device_program.h"
#include "runtime/controller/backend.h"
#include "runtime/transport/doorbell.h"

namespace woa {

class OpenClQueue {
 public:
  // `blocks` outlives the queue.
  OpenClQueue(const OpenCl& cl, std::uint32_t number, const DeviceBlocks& blocks, Doorbell wakeup)
      : cl_(cl), number_(number), blocks_(blocks), wakeup_(wakeup) {}
  ~OpenClQueue();  // waits for the firing that runs
  OpenClQueue(const OpenClQueue&) = delete;
  OpenClQueue& operator=(const OpenClQueue&) = delete;

  // Creates the queue, and room for stages with at most `inputs` and `outputs` ports.
  Status open(cl_context context, cl_device_id device, std::size_t inputs, std::size_t outputs);

  [[nodiscard]] bool idle() const noexcept { return firing_ == nullptr; }
  // Idle queues only. A firing that fails here is reported as a completion, like any other.
  void start(const DeviceProgram& program, Firing& firing) noexcept;
  // The firing, if it has completed; the queue is idle again. Null otherwise.
  Firing* finish() noexcept;

 private:
  struct Buffer {
    ClOwned<cl_mem> memory;
    std::uint64_t bytes = 0;
  };
  // Written by the driver's thread, read by the controller's once `done` says so.
  struct Completion {
    std::atomic<bool> done{false};
    std::atomic<std::uint32_t> callbacks{0};  // callbacks that may still touch this queue; each decrements it last
    cl_int status = CL_SUCCESS;
    std::uint64_t ended_ns = 0;
  };

  Status enqueue(const DeviceProgram& program, Firing& firing);
  Status size_outputs(const DeviceProgram& program, Firing& firing);
  Status send_inputs(const DeviceProgram& program, Firing& firing);
  Status launch(const DeviceProgram& program, const Firing& firing);
  Status receive_outputs(const DeviceProgram& program, Firing& firing);
  Status announce_completion();
  Status set_port(cl_kernel kernel, cl_uint& argument, cl_mem memory, std::uint64_t bytes, const std::uint32_t* dims,
                  cl_uint rank);
  Status find_memory(const PortMemory& port, Buffer& buffer, std::uint64_t bytes, cl_mem& memory);
  Status grow(Buffer& buffer, std::uint64_t bytes);
  Status result_of(Firing& firing) noexcept;
  static void CL_CALLBACK on_complete(cl_event event, cl_int status, void* queue);

  const OpenCl& cl_;
  const std::uint32_t number_;
  const DeviceBlocks& blocks_;
  const Doorbell wakeup_;
  cl_context context_ = nullptr;
  ClOwned<cl_command_queue> command_queue_;
  std::vector<Buffer> input_buffers_, output_buffers_;  // by port, for all stages; grown as needed and kept
  Firing* firing_ = nullptr;
  Status failed_;  // why the firing could not be enqueued
  ClOwned<cl_event> kernel_event_, last_event_;
  Completion completion_;
};

}  // namespace woa
