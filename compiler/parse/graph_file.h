// A graph file as written: names are not looked up yet.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/parse/port_type.h"
#include "compiler/report.h"

namespace woa {

struct LoopMark {  // `loop: {max: N, name: L}`
  Place place;
  std::string name;                  // empty: the stage that the edge enters
  std::optional<std::uint32_t> max;  // may be left to another edge of the loop
  bool broken = false;               // reported as unreadable
};

struct WriterRef {  // `stage.port` or a graph input
  Place place;
  std::string stage;  // empty: `port` is a graph input
  std::string port;
  bool hold = false;
  std::optional<LoopMark> loop;
  std::string lane = {};
  bool unclear = false;  // whether it is held or starts a turn could not be read
};

struct PortUse {  // one key of `in` or of `outputs`
  std::string name;
  Place place;
  std::vector<WriterRef> writers;
  bool complete = true;  // each writer could be read
};

struct ParamUse {
  std::string name;
  Place name_place, place;
  std::optional<std::string> value;  // nothing if it could not be read
  bool in_graph = true;              // else from the command line
};

struct StageDecl {
  std::string name;
  Place place;
  std::string kernel;  // empty if it could not be read
  Place kernel_place;
  std::vector<PortUse> in;
  bool in_complete = true;  // nothing of `in` was left out because it could not be read
  std::vector<ParamUse> params;
  bool params_complete = true;
  std::string on;  // empty: the compiler decides
  Place on_place;
  std::uint32_t replicas = 1;
  Place replicas_place;
};

struct GraphInput {
  std::string name;
  Place place;
  std::optional<PortType> type;  // nothing if it could not be read
};

struct KernelRef {  // a kernel.yaml of the user
  std::string path;
  Place place;
};

struct GraphFile {
  std::string name;
  std::vector<GraphInput> inputs;
  std::vector<StageDecl> stages;
  std::vector<PortUse> outputs;
  std::vector<KernelRef> kernels;
  std::optional<std::uint32_t> window;
  std::optional<std::uint64_t> deadline_ns;
  bool complete = true;  // nothing was left out because it could not be read
};

// Nothing if the source is not a graph at all; else whatever could be read of it, problems being reported.
std::optional<GraphFile> read_graph(std::uint32_t source, Report& report);

}  // namespace woa
