// Common to the programs of this folder, except RandomAccess:
//
//   PROGRAM WAY hop|stream|pipeline|fanout BYTES WINDOW COUNT PROCESSOR PROCESSOR...
//
// Runs a process on each PROCESSOR, in that order, that do a job by the library's WAY. Prints the nanoseconds of the
// job after a warm-up.
//   hop       two processes: COUNT round trips of BYTES
//   stream    two: COUNT messages of BYTES to the second process, until the first knows that the last one was received
//   pipeline  COUNT items of BYTES from the first process to each of the others in turn and back (shapes.h)
//   fanout    COUNT payloads of BYTES from the first process to all others; the next one when all have answered
// WINDOW: at most that many messages, items or payloads under way, where the library leaves that to its caller. Exit
// code 2: bad arguments; 1: it failed, with the reason on stderr.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "bench/micro/sides.h"

namespace woa::bench {

struct PeerArguments {
  enum class Shape : std::uint8_t { kHop, kStream, kPipeline, kFanout };
  std::string way;
  Shape shape = Shape::kHop;
  std::size_t bytes = 0;   // at least 1; 2 for an item of a pipeline
  std::size_t window = 1;  // at least 1
  SidesJob sides;
};

// Messages until all sides have taken their pages, for the buffers of a window, and the library its own.
std::uint64_t warm_up_of(std::size_t bytes, std::size_t window);

// kInvalid: the arguments are not as above. `ways`: the program's ways, separated by bars.
Result<PeerArguments> read_arguments(std::span<char*> arguments, const std::string& ways);

// Prints the figure or the failure; returns the exit code.
int say(const Result<double>& ns);

// The whole program, if the library does not start the processes itself. Opens each side in its own process, because
// libraries have threads, which do not survive a fork.
using OpenPeer = std::function<Result<Side>(const PeerArguments& arguments, const Talk& talk)>;
int run_peer(std::span<char*> arguments, const std::string& ways, const OpenPeer& open);

}  // namespace woa::bench
