// A plan of one GPU stage between the graph's input and output.
#pragma once

#include "runtime/plan/plan.h"
#include "tests/litmus/litmus_run.h"

namespace woa {

inline constexpr std::uint32_t kLitmusHost = 0, kLitmusGpu = 1;  // controllers
inline constexpr std::uint32_t kLitmusStage = 2;
inline constexpr std::uint32_t kLitmusIn = 0, kLitmusOut = 1;  // edges, and their regions
inline constexpr std::uint32_t kLitmusWindow = 16;
inline constexpr std::uint32_t kLitmusQueues = 2;

inline PortType litmus_words(std::uint32_t count) {
  return {.element = "u64", .dims = {{.name = "", .size = count, .max = 0}}, .max_bytes = std::uint64_t{count} * 8};
}

inline Plan litmus_plan(const LitmusCase& what) {
  Plan plan;
  plan.graph = "gpu_litmus";
  plan.window = kLitmusWindow;
  plan.controllers = {make_controller("host", *find_backend("host")),
                      make_controller("gpu:0", *find_backend("cuda"), kLitmusQueues)};
  const PortType out = litmus_words(what.bytes / 8), in = what.from_host ? out : litmus_words(1);
  plan.stages.resize(3);
  StagePlan &source = plan.stages[kSourceStage], &sink = plan.stages[kSinkStage], &stage = plan.stages[kLitmusStage];
  source.name = "source";
  source.role = StageRole::kSource;
  source.outputs = {{.name = "message", .type = in}};
  sink.name = "sink";
  sink.role = StageRole::kSink;
  sink.inputs = {{.name = "payload", .type = out}};
  stage.name = what.from_host ? "echo" : "stamp";
  stage.kernel = stage.name;
  stage.controller = kLitmusGpu;
  stage.inputs = {{.name = "in", .type = in}};
  stage.outputs = {{.name = "out", .type = out}};
  stage.publishes = what.resident ? Publisher::kWorker : Publisher::kQueue;
  stage.variant.kind = "cuda";
  stage.variant.source = "litmus.cu";
  stage.variant.entry = stage.name;
  stage.variant.global = {"bytes"};
  stage.variant.has_size = true;
  stage.variant.resident = what.resident;
  plan.edges.resize(2);
  plan.edges[kLitmusIn].from_stage = kSourceStage;
  plan.edges[kLitmusIn].to_stage = kLitmusStage;
  plan.edges[kLitmusOut].from_stage = kLitmusStage;
  plan.edges[kLitmusOut].to_stage = kSinkStage;
  for (EdgePlan& edge : plan.edges) {
    edge.blocks = kLitmusWindow;
    edge.inline_bytes = 0;
  }
  return plan;
}

}  // namespace woa
