// The part of XRT's C interface that this back-end and its tests use, declared here: no part of XRT is needed to build,
// and the C interface is alike in 2.13 to 2.25, which the C++ one is not. A test compares all of it with XRT's headers
// where they are found.
//
// Source: xrt/xrt_device.h, xrt_bo.h, xrt_kernel.h, experimental/xrt_ini.h of XRT 2.13 (202210.2.13.466).
// A function that fails returns null or a number other than 0, may set errno, and may print a line.
#pragma once

#include <cstddef>
#include <cstdint>

namespace woa::xrt {

using DeviceHandle = void*;
using KernelHandle = void*;
using BufferHandle = void*;
using RunHandle = void*;

enum SyncDirection : int { kToDevice = 0, kFromDevice = 1 };

// States of a run (ert_cmd_state).
enum RunState : int {
  kNew = 1,
  kQueued = 2,
  kRunning = 3,
  kCompleted = 4,
  kError = 5,
  kAbort = 6,
  kSubmitted = 7,
  kTimeout = 8,  // a wait's time is over; the run goes on
  kNoResponse = 9
};

using RunCallback = void (*)(RunHandle run, int state, void* user);

// X(member of Library, symbol, result, parameters).
// device_open: `index` from 0. kernel_open: `name` is "kernel:{unit}"; shared with other processes, unless exclusive.
// kernel_group: the memory bank of an argument. buffer_user: `memory` begins with a page. buffer_part: a buffer within
// `parent`, whose memory it shares. run_set_argument: a BufferHandle, or the scalar's value. run_wait: 0 ms waits for
// ever. run_callback: `state` is kCompleted; called on a thread of the library for every end of the run.
#define WOA_XRT_FUNCTIONS(X)                                                                                           \
  X(device_open, xrtDeviceOpen, DeviceHandle, (unsigned index))                                                        \
  X(device_close, xrtDeviceClose, int, (DeviceHandle device))                                                          \
  X(load_xclbin, xrtDeviceLoadXclbinFile, int, (DeviceHandle device, const char* path))                                \
  X(xclbin_uuid, xrtDeviceGetXclbinUUID, int, (DeviceHandle device, unsigned char uuid[16]))                           \
  X(kernel_open, xrtPLKernelOpen, KernelHandle, (DeviceHandle device, const unsigned char uuid[16], const char* name)) \
  X(kernel_open_exclusive, xrtPLKernelOpenExclusive, KernelHandle,                                                     \
    (DeviceHandle device, const unsigned char uuid[16], const char* name))                                             \
  X(kernel_close, xrtKernelClose, int, (KernelHandle kernel))                                                          \
  X(kernel_group, xrtKernelArgGroupId, int, (KernelHandle kernel, int argument))                                       \
  X(kernel_offset, xrtKernelArgOffset, std::uint32_t, (KernelHandle kernel, int argument))                             \
  X(buffer_alloc, xrtBOAlloc, BufferHandle,                                                                            \
    (DeviceHandle device, std::size_t bytes, std::uint64_t flags, std::uint32_t group))                                \
  X(buffer_user, xrtBOAllocUserPtr, BufferHandle,                                                                      \
    (DeviceHandle device, void* memory, std::size_t bytes, std::uint64_t flags, std::uint32_t group))                  \
  X(buffer_part, xrtBOSubAlloc, BufferHandle, (BufferHandle parent, std::size_t bytes, std::size_t offset))            \
  X(buffer_free, xrtBOFree, int, (BufferHandle buffer))                                                                \
  X(buffer_size, xrtBOSize, std::size_t, (BufferHandle buffer))                                                        \
  X(buffer_map, xrtBOMap, void*, (BufferHandle buffer))                                                                \
  X(buffer_sync, xrtBOSync, int, (BufferHandle buffer, int direction, std::size_t bytes, std::size_t offset))          \
  X(buffer_address, xrtBOAddress, std::uint64_t, (BufferHandle buffer))                                                \
  X(run_open, xrtRunOpen, RunHandle, (KernelHandle kernel))                                                            \
  X(run_set_argument, xrtRunSetArg, int, (RunHandle run, int argument, ...))                                           \
  X(run_start, xrtRunStart, int, (RunHandle run))                                                                      \
  X(run_wait, xrtRunWaitFor, int, (RunHandle run, unsigned milliseconds))                                              \
  X(run_state, xrtRunState, int, (RunHandle run))                                                                      \
  X(run_callback, xrtRunSetCallback, int, (RunHandle run, int state, RunCallback callback, void* user))                \
  X(run_close, xrtRunClose, int, (RunHandle run))                                                                      \
  X(set_string, xrtIniStringSet, int, (const char* key, const char* value))                                            \
  X(set_number, xrtIniUintSet, int, (const char* key, unsigned value))

// The functions above, of one library. Any thread.
struct Library {
#define WOA_XRT_MEMBER(member, symbol, result, parameters) result(*member) parameters = nullptr;
  WOA_XRT_FUNCTIONS(WOA_XRT_MEMBER)
#undef WOA_XRT_MEMBER
};

}  // namespace woa::xrt
