// A graph file as written: names are not looked up yet.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/diagnostics/report.h"
#include "compiler/parse/param_decl.h"
#include "compiler/parse/port_type.h"
#include "compiler/parse/resources.h"

namespace woa {

struct LoopMark {  // `loop: {max: N, name: L}`
  Place place;
  std::string name;                  // empty: the stage that the edge enters
  std::optional<std::uint32_t> max;  // may be left to another edge of the loop
  bool broken = false;               // reported as unreadable
  std::string max_param = {};        // `max: {param: NAME}`; not in a flat graph
  Place max_place = {};
};

struct GraphInput {
  std::string name;
  Place place;
  std::optional<PortType> type;  // nothing if it could not be read
};

// An input of a sub-graph that an edge of the flat graph passes; the edge must have its type, too.
struct PassedInput {
  const GraphInput* input = nullptr;  // of the sub-graph's declaration
  std::string name = {};              // "stage.input", the stage being the use of the sub-graph
  Place read = {};                    // where the sub-graph reads it
};

struct WriterRef {  // `stage.port` or a graph input
  Place place;
  std::string stage;  // empty: `port` is a graph input
  std::string port;
  bool hold = false;
  std::optional<LoopMark> loop;
  std::string lane = {};
  bool unclear = false;                  // whether it is held or starts a turn could not be read
  std::vector<PassedInput> passed = {};  // of a flat graph
  bool mentioned = false;                // of a flat graph: GraphBody::mentions has it, too, with its own place
  bool lost = false;                     // names nothing, which is reported

  // The part of `place` that has either name of `stage.port`: the fix of a name stands in its place.
  [[nodiscard]] Place stage_place() const;
  [[nodiscard]] Place port_place() const;
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
  std::optional<std::string> value = {};  // nothing if it could not be read
  bool in_graph = true;                   // else from the command line
  std::string param = {};                 // `{param: NAME}`, which gives the value; not in a flat graph
  bool passed = false;                    // a parameter of the sub-graph around gave the value, under another name
};

struct PortBound {   // one key of a stage's `max`
  std::string name;  // of an input, an output, or of both
  Place place;
  std::uint64_t bytes = 0;
};

struct StageDecl {
  std::string name;
  Place place;
  std::string kernel;  // empty if it could not be read, and where there is `graph`
  Place kernel_place;
  std::string graph = {};  // the sub-graph that it uses; not in a flat graph
  std::vector<PortUse> in;
  bool in_complete = true;  // nothing of `in` was left out because it could not be read
  std::vector<ParamUse> params;
  bool params_complete = true;
  std::string on;  // empty: the compiler decides
  Place on_place;
  std::optional<std::uint32_t> replicas = {};  // nothing: one
  Place replicas_place = {};
  std::vector<NeedUse> needs = {};
  std::vector<PortBound> max = {};             // replaces the kernel's bounds
  std::optional<bool> isolate = {};            // nothing: as the kernel says
  std::optional<std::uint64_t> limit_ns = {};  // of a firing, which implies isolation
  Place isolation_place = {};                  // of `limit` or `isolate`
};

struct KernelRef {  // a kernel.yaml of the user
  std::string path;
  Place place;
};

struct IncludeRef {  // another file whose sub-graphs and kernels may be used
  std::string path;
  Place place;
};

struct GraphBody {  // of a graph or a sub-graph
  std::vector<GraphInput> inputs;
  std::vector<StageDecl> stages;
  std::vector<PortUse> outputs;
  std::vector<WriterRef> mentions;  // read by something that is left out: must not be reported as unread
  bool complete = true;             // nothing was left out because it could not be read
};

struct SubgraphDecl : GraphBody {
  std::string name;
  Place place;
  std::vector<ParamDecl> params;
  bool all_declared = true;  // no input, parameter or output was left out because it could not be read
};

// The part of a file that others may include: its sub-graphs and kernels, and those of the files that it includes.
struct GraphLibrary {
  std::vector<IncludeRef> includes;
  std::vector<KernelRef> kernels;
  std::vector<SubgraphDecl> graphs;
  bool all_named = true;    // no sub-graph was left out because its name or its file could not be read
  bool all_kernels = true;  // no entry of `kernels` was left out because it could not be read
};

struct GraphFile : GraphBody, GraphLibrary {
  std::uint32_t source = 0;
  std::string name;
  std::optional<std::uint32_t> window;
  std::optional<std::uint64_t> timeout_ns;
  // By source (this file and those that it includes): the folder that its paths are relative to.
  std::map<std::uint32_t, std::filesystem::path> folders;
};

// Nothing, after a report, if the source is no graph at all; else all that could be read, after reports of the rest.
std::optional<GraphFile> read_graph(std::uint32_t source, Report& report);
// Like read_graph(), for an included file, which has no stages of its own.
std::optional<GraphLibrary> read_library(std::uint32_t source, Report& report);

}  // namespace woa
