// Runs firings on an OpenCL queue of its own, one after the other: inputs over, kernel, outputs back, completion.
// Payloads that stay in the device are not moved; a firing waits there for those that wrote them, on whatever queue.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "controllers/gpu/opencl/device_blocks.h"
#include "controllers/gpu/opencl/device_program.h"
#include "runtime/controller/backend.h"
#include "runtime/transport/doorbell.h"

namespace woa {

class OpenClQueue {
 public:
  // `blocks` outlives the queue.
  OpenClQueue(const OpenCl& cl, std::uint32_t number, DeviceBlocks& blocks, Doorbell wakeup)
      : cl_(cl), number_(number), blocks_(blocks), wakeup_(wakeup) {}
  ~OpenClQueue();  // waits for the firings that run
  OpenClQueue(const OpenClQueue&) = delete;
  OpenClQueue& operator=(const OpenClQueue&) = delete;

  // Creates the queue, with room for `launches` firings at a time, of stages with at most `inputs` and `outputs` ports.
  Status open(cl_context context, cl_device_id device, std::size_t launches, std::size_t inputs, std::size_t outputs);

  [[nodiscard]] std::size_t running() const noexcept { return running_; }
  // Not while as many run as there is room for. A firing that fails here is reported as a completion, like any other.
  Start start(const DeviceProgram& program, Firing& firing) noexcept;
  // The oldest firing, if it has completed. Null otherwise.
  Firing* finish() noexcept;

 private:
  struct Buffer {
    ClOwned<cl_mem> memory;
    std::uint64_t bytes = 0;
  };
  // One firing. The driver's thread writes `status` and `ended_ns`; the controller's reads them once `done` says so.
  struct Launch {
    OpenClQueue* queue = nullptr;
    Firing* firing = nullptr;
    Status failed;  // why it could not be enqueued
    ClOwned<cl_event> kernel, last;
    std::atomic<bool> done{false};
    cl_int status = CL_SUCCESS;
    std::uint64_t ended_ns = 0;
  };

  Status enqueue(const DeviceProgram& program, Launch& launch);
  Status send_inputs(const DeviceProgram& program, Firing& firing);
  Status launch_kernel(const DeviceProgram& program, Launch& launch);
  Status receive_outputs(const DeviceProgram& program, Firing& firing);
  Status announce_completion(Launch& launch);
  Status set_port(cl_kernel kernel, cl_uint& argument, cl_mem memory, std::uint64_t bytes, const std::uint32_t* dims,
                  cl_uint rank);
  Status find_memory(const PortMemory& port, Buffer& buffer, std::uint64_t bytes, cl_mem& memory);
  Status grow(Buffer& buffer, std::uint64_t bytes);
  void wait_for_writers(const Firing& firing);
  Status result_of(Launch& launch) noexcept;
  static void CL_CALLBACK on_complete(cl_event event, cl_int status, void* launch);

  const OpenCl& cl_;
  const std::uint32_t number_;
  DeviceBlocks& blocks_;
  const Doorbell wakeup_;
  cl_context context_ = nullptr;
  ClOwned<cl_command_queue> command_queue_;
  // By port, for all stages; grown as needed and kept. Commands run in order, so the firings share them.
  std::vector<Buffer> input_buffers_, output_buffers_;
  std::vector<cl_event> writers_;  // scratch: of the blocks of one firing
  std::unique_ptr<Launch[]> launches_;
  std::size_t places_ = 0, oldest_ = 0, running_ = 0;  // of launches_
  std::atomic<std::uint32_t> callbacks_{0};            // that may still touch this queue; each decrements it last
};

}  // namespace woa
