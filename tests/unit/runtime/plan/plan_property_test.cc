// Any valid plan survives the file; any bytes are parsed or refused, never worse.
#include <rapidcheck.h>

#include <string>

#include "runtime/plan/plan_file.h"
#include "tests/support/catch.h"
#include "tests/unit/runtime/plan/sample_plan.h"

namespace woa {
namespace {

std::string any_text() { return *rc::gen::arbitrary<std::string>(); }
// A name that is shown: without control characters.
std::string any_name() {
  std::string name;
  for (const char c : any_text()) name += c >= 0x20 && c < 0x7F ? std::string(1, c) : "\xc3\xbc";
  return name;
}
std::uint32_t any_number(std::uint32_t from, std::uint32_t to) { return *rc::gen::inRange(from, to); }

PortType any_type() {
  if (*rc::gen::arbitrary<bool>()) return test::bytes_type(any_number(0, 1U << 30));
  PortType type{.element = *rc::gen::element<std::string>("u8", "i16", "f32", "f64"), .dims = {}, .max_bytes = 0};
  type.dims.push_back({.name = "n" + any_name(), .size = 0, .max = *rc::gen::arbitrary<std::uint32_t>()});
  for (std::uint32_t extra = any_number(0, 4); extra > 0; --extra)
    type.dims.push_back({.name = "", .size = any_number(1, 999), .max = 0});
  type.max_bytes = any_number(0, 1U << 30);
  return type;
}

StagePlan any_stage(std::uint32_t number, const PortType& in, const PortType& out) {
  StagePlan stage = test::step_stage();
  stage.name = std::to_string(number) + any_name();
  stage.kernel = "k" + any_name();
  stage.kernel_file = any_text();
  stage.library = any_text();
  stage.declaration = any_name();
  stage.variant = {"v" + any_name(),
                   any_text(),
                   any_name(),
                   {any_name(), any_name()},
                   any_name(),
                   *rc::gen::arbitrary<std::uint32_t>(),
                   *rc::gen::arbitrary<bool>(),
                   {any_number(1, 33), any_number(1, 33)},
                   *rc::gen::arbitrary<std::uint32_t>(),
                   *rc::gen::arbitrary<bool>()};
  stage.params = {{"p" + any_name(), any_text(), *rc::gen::element(ParamType::kString, ParamType::kFile), ""}};
  stage.inputs = {{"i" + any_name(), in, false, 0, true}};
  stage.outputs = {{"o" + any_name(), out, static_cast<std::int32_t>(any_number(0, 9)) - 1}};
  stage.outputs[0].optional = stage.outputs[0].one_of == -1 && *rc::gen::arbitrary<bool>();
  stage.stateful = static_cast<Stateful>(any_number(0, 3));
  stage.scratch_bytes = *rc::gen::arbitrary<std::uint32_t>();
  return stage;
}

// A chain of random length through stages of random contents.
Plan any_plan() {
  Plan plan;
  plan.graph = "g" + any_name();
  plan.model = "m" + any_name();
  plan.window = any_number(1, 65);  // a larger one may take more header rings than a plan can have
  plan.raises_window = *rc::gen::arbitrary<bool>(), plan.raises_blocks = *rc::gen::arbitrary<bool>();
  plan.timeout_ns = *rc::gen::arbitrary<std::uint64_t>();
  const auto kind = static_cast<ControllerKind>(any_number(1, 4));
  plan.controllers = {{"host", ControllerKind::kHost, "host", 1},
                      {std::string(to_string(kind)) + ":" + std::to_string(any_number(0, 1024)),
                       kind,
                       "b" + any_name(),
                       any_number(kind == ControllerKind::kCpu ? kAllWorkers : 1, kMaxWorkers + 1),
                       {.writes_packets = *rc::gen::arbitrary<bool>()}}};
  BackendTraits& traits = plan.controllers[1].traits;
  if (!traits.writes_packets) traits.publishes = static_cast<Publisher>(any_number(0, 3));
  traits.registers = *rc::gen::arbitrary<std::uint64_t>();
  const HeaderWriter headers = plan.controllers[1].traits.headers();
  plan.loops = {{"l" + any_name(), any_number(0, 32), 32, *rc::gen::arbitrary<std::uint32_t>()}};
  PortType type = any_type();
  const Plan sample = test::sample_plan();
  plan.stages = {sample.stages[kSourceStage], sample.stages[kSinkStage]};
  plan.stages[kSourceStage].outputs = {{"x", type, -1}};
  std::uint32_t last = kSourceStage;
  for (std::uint32_t more = any_number(0, 6); more > 0; --more) {
    const auto next = static_cast<std::uint32_t>(plan.stages.size());
    const PortType out = any_type();
    plan.stages.push_back(any_stage(next, type, out));
    plan.stages.back().controller = 1;
    plan.stages.back().headers = headers;
    plan.edges.push_back({last, 0, next, 0, *rc::gen::arbitrary<std::uint64_t>(), 0, -1, any_number(1, 5),
                          any_number(5, 9), any_number(0, kMaxInlineBytes + 1)});
    if (headers == HeaderWriter::kHost) plan.edges.back().choice.replicas = any_number(1, kMaxReplicas + 1);
    plan.edges.back().choice.replica = any_number(0, plan.edges.back().choice.replicas);
    last = next;
    type = out;
  }
  plan.stages[kSinkStage].inputs = {{"y", type, false, 0, true}};
  plan.edges.push_back({last, 0, kSinkStage, 0, *rc::gen::arbitrary<std::uint64_t>(), 0, -1, 1, any_number(1, 9)});
  return plan;
}

TEST_CASE("any valid plan survives writing and reading") {
  CHECK(rc::check([] {
    const Plan plan = any_plan();
    const std::string bytes = serialize(plan);
    const Result<Plan> read = parse_plan(std::as_bytes(std::span(bytes)));
    RC_LOG() << read.status().message() << '\n';
    RC_ASSERT(read.ok());
    RC_ASSERT(*read == plan);
    RC_ASSERT(serialize(*read) == bytes);
  }));
}

TEST_CASE("what is parsed is what would be written") {
  CHECK(rc::check([] {
    std::string bytes = serialize(any_plan());
    for (std::uint32_t changes = any_number(0, 4); changes > 0; --changes) {
      bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] = *rc::gen::arbitrary<char>();
    }
    const Result<Plan> read = parse_plan(std::as_bytes(std::span(bytes)));
    if (read.ok()) RC_ASSERT(serialize(*read) == bytes);
  }));
}

}  // namespace
}  // namespace woa
