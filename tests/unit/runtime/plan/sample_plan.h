// A valid plan that uses every field at least once.
#pragma once

#include "runtime/plan/plan.h"

namespace woa::test {

inline PortType bytes_type(std::uint64_t max_bytes) { return {.element = "bytes", .dims = {}, .max_bytes = max_bytes}; }

inline PortType vector_type(std::uint64_t max_bytes) {
  return {.element = "f64",
          .dims = {{.name = "n", .size = 0, .max = 1000}, {.name = "", .size = 3, .max = 0}},
          .max_bytes = max_bytes};
}

inline StagePlan step_stage() {
  StagePlan step;
  step.name = "step";
  step.kernel = "newton_step";
  step.kernel_file = "/kernels/newton_step/kernel.yaml";
  step.library = "libnewton_step.so";
  step.declaration = "0123456789abcdef";
  step.variant = {.kind = "opencl",
                  .source = "newton.cl",
                  .entry = "newton",
                  .global = {"n"},
                  .core = "newton",
                  .clock_mhz = 250,
                  .has_size = true,
                  .block = {16, 4, 2},
                  .shared_bytes = 4096,
                  .resident = true};
  step.controller = 1;
  step.params = {{.name = "width", .value = "3", .type = ParamType::kInt, .secret_env = ""},
                 {.name = "table", .value = "/data/table", .type = ParamType::kFile, .secret_env = ""},
                 {.name = "key", .value = "", .type = ParamType::kString, .secret_env = "WOA_KEY"},
                 {.name = "fit", .value = "cover", .type = ParamType::kString, .secret_env = "", .choice = 2}};
  step.inputs = {{.name = "x", .type = vector_type(24000), .hold = false, .hold_mask = 0},
                 {.name = "f", .type = bytes_type(64), .hold = true, .hold_mask = 0x7, .renewed = true}};
  step.outputs = {{.name = "again", .type = vector_type(24000), .one_of = 0},
                  {.name = "done", .type = vector_type(24000), .one_of = 0}};
  step.stateful = Stateful::kInstance;
  step.scratch_bytes = 4096;
  return step;
}

// source.x, source.f -> step (a loop with a choice) -> relay -> sink
inline Plan sample_plan() {
  Plan plan;
  plan.graph = "newton";
  plan.model = "rpc-hub";
  plan.window = 4;
  plan.timeout_ns = 500'000'000;
  plan.controllers = {{.name = "host", .kind = ControllerKind::kHost, .backend = "host", .workers = 1},
                      {.name = "gpu:0", .kind = ControllerKind::kGpu, .backend = "opencl", .workers = 2}};
  StagePlan source;
  source.name = "source";
  source.role = StageRole::kSource;
  source.outputs = {{.name = "x", .type = vector_type(24000), .one_of = -1},
                    {.name = "f", .type = bytes_type(64), .one_of = -1}};
  StagePlan sink;
  sink.name = "sink";
  sink.role = StageRole::kSink;
  sink.inputs = {{.name = "result", .type = vector_type(24000), .hold = false, .hold_mask = 0, .optional = true}};
  StagePlan relay;
  relay.name = "step.done via host";
  relay.role = StageRole::kRelay;
  relay.inputs = {{.name = "in", .type = vector_type(24000), .hold = false, .hold_mask = 0, .optional = true}};
  relay.outputs = {{.name = "out", .type = vector_type(24000), .one_of = -1, .optional = true}};
  plan.stages = {source, sink, step_stage(), relay};
  plan.loops = {{.name = "step", .shift = 2, .bits = 6, .max = 50}};
  // from stage, port; to stage, port; keep, step; loop; min_blocks, blocks
  plan.edges = {{0, 0, 2, 0, 0, 0, -1, 1, 4},
                {0, 1, 2, 1, 0, 0, -1, 1, 4},
                {2, 0, 2, 0, ~0ULL, 4, 0, 2, 8},
                {2, 1, 3, 0, 0, 0, -1, 1, 4},
                {3, 0, 1, 0, ~3ULL, 0, -1, 1, 4}};
  plan.edges[1].lane = "bulk";
  plan.edges[3].choice.replicas = 2;
  plan.edges[3].choice.replica = 1;
  plan.edges[4].claimed = true;
  return plan;
}

}  // namespace woa::test
