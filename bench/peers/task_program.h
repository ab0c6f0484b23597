// Common to the programs of libraries of tasks:
//
//   PROGRAM tasks chain|fan-out|wavefront RUNS PROCESSOR
//
// Runs a graph of tasks that do nothing but count (task_graph.h) RUNS times with one thread, on PROCESSOR. Prints the
// nanoseconds after a warm-up. Exit code 2: bad arguments; 1: it failed, with the reason on stderr.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "runtime/measure/task_graph.h"

namespace woa::bench {

using namespace measure;

// Builds the graph once and runs it `runs` times, `task` for each of its tasks each time.
using RunTasks = std::function<void(std::uint64_t runs)>;
using BuildTasks = std::function<RunTasks(const TaskGraph& graph, std::uint64_t& count)>;

// The whole program. `build` makes what runs the graph; each of its tasks adds 1 to `count`.
int run_task_peer(std::span<char*> arguments, const BuildTasks& build);

}  // namespace woa::bench
