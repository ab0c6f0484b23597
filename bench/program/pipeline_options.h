// The options of `woa bench pipeline` that say what is run: items, placement, and programs of others beside it.
#pragma once

#include <CLI/CLI.hpp>

#include "bench/micro/pipeline.h"

namespace woa::tools {

inline constexpr const char* kAboutBeside =
    R"(With --beside N busy loops of other programs run all the time, and 0 measures the same alone. Nothing is pinned, and
ours wait as a run does by default: `woa` with a process for each controller, `woa, one process` with a thread for
each, as `woa run --processes one`. The limit is `blocking pipes`, a process for each stage that reads and writes a
pipe. Over libfabric it is `TCP sockets`, where a thread of each process reads the socket and hands items to the
stage. Raw mailboxes and peers take no part, since they poll. `host state` is n/a.

  woa bench pipeline --beside 8 --size 64,1MiB --workers 2
  woa bench pipeline --beside 8 --beside-nice 19 --transport ofi)";

// --size, --window, --cores, --beside, --beside-nice and --workers. `chosen` must outlive the command.
void add_pipeline_options(CLI::App& command, bench::PipelineOptions& chosen);

}  // namespace woa::tools
