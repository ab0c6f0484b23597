#include "tests/unit/controllers/opencl/opencl_rig.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <thread>

#include "controllers/gpu/opencl/register.h"
#include "runtime/controller/kernel_call.h"
#include "runtime/controller/port_shape.h"
#include "tests/support/catch.h"
#include "tests/support/require.h"

namespace woa::test {
namespace {

struct alignas(kPayloadAlignment) Line {
  std::byte bytes[kPayloadAlignment];
};

// A block of memory as controllers have them.
class Block {
 public:
  explicit Block(std::uint64_t bytes) : lines_((bytes + sizeof(Line) - 1) / sizeof(Line)) {}
  std::span<std::byte> bytes() { return std::as_writable_bytes(std::span(lines_)); }

 private:
  std::vector<Line> lines_;
};

// The payload that a producer of `array` would have written into `block`.
std::span<const std::byte> write_payload(const PortType& type, const Array& array, Block& block) {
  const PortShape shape(type);
  woa_output output{};
  shape.reserve(block.bytes().data(), output);
  if (!array.data.empty()) std::memcpy(output.data, array.data.data(), array.data.size());
  std::copy(array.dims.begin(), array.dims.end(), output.dims);
  output.bytes = array.data.size();
  output.written = 1;
  REQUIRE(shape.fits(output));
  shape.write_prefix(block.bytes().data(), output);
  return block.bytes().first(shape.payload_bytes(output));
}

// What a reader of the output would see.
Array read_payload(const PortType& type, const woa_output& output, Block& block) {
  const PortShape shape(type);
  REQUIRE(shape.fits(output));
  shape.write_prefix(block.bytes().data(), output);
  woa_input view{};
  REQUIRE(shape.show(block.bytes().first(shape.payload_bytes(output)), view));
  return {{view.dims, view.dims + view.rank}, {view.data, view.data + view.bytes}};
}

}  // namespace

PortType array_type(const std::vector<std::string>& names) {
  PortType type{.element = "u8", .dims = {}, .max_bytes = kMaxBytes};
  for (const std::string& name : names) {
    const bool fixed = name.front() >= '0' && name.front() <= '9';
    type.dims.push_back({fixed ? "" : name, fixed ? static_cast<std::uint32_t>(std::stoul(name)) : 0, 0});
  }
  return type;
}

std::unique_ptr<Backend> make_opencl() {
  auto made =
      opencl_factory().make(0, {.name = "gpu:0", .kind = ControllerKind::kGpu, .backend = "opencl", .workers = 1});
  if (made.status().code() == Code::kUnavailable) skip("opencl", made.status().message());
  INFO(made.status().message());
  REQUIRE(made.ok());
  return std::move(made).value();
}

Plan plan_of(std::vector<StagePlan> stages) {
  Plan plan;
  plan.graph = "test";
  plan.stages = std::move(stages);
  return plan;
}

DeviceAnswer run(Backend& backend, const Plan& plan, std::uint32_t stage, const Array& input) {
  const StagePlan& at = plan.stages[stage];
  Block in(at.inputs[0].type.block_bytes()), out(at.outputs[0].type.block_bytes());
  Firing firing;
  firing.stage = stage;
  woa_input in_view{};
  woa_output out_view{};
  std::array<PortMemory, 2> memory;
  REQUIRE(PortShape(at.inputs[0].type).show(write_payload(at.inputs[0].type, input, in), in_view));
  PortShape(at.outputs[0].type).reserve(out.bytes().data(), out_view);
  firing.inputs = {&in_view, 1};
  firing.outputs = {&out_view, 1};
  firing.input_memory = {memory.data(), 1};
  firing.output_memory = {memory.data() + 1, 1};
  REQUIRE(backend.start(firing) == Start::kStarted);
  std::array<Firing*, 1> done{};
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (backend.poll(done) == 0) {
    if (std::chrono::steady_clock::now() > end) FAIL("the firing does not complete");
    std::this_thread::yield();
  }
  DeviceAnswer answer{firing.code, firing.message, {}, 0};
  for (const PortMemory& moved : memory) answer.copied_bytes += moved.copied_bytes;
  if (firing.code == Code::kOk) answer.array = read_payload(at.outputs[0].type, out_view, out);
  return answer;
}

DeviceAnswer run_on_cpu(const LoadedStage& stage, const Array& input) {
  const PortType &in_type = stage.plan->inputs[0].type, &out_type = stage.plan->outputs[0].type;
  Block in(in_type.block_bytes()), out(out_type.block_bytes());
  woa_input view{};
  REQUIRE(PortShape(in_type).show(write_payload(in_type, input, in), view));
  woa_output output{};
  PortShape(out_type).reserve(out.bytes().data(), output);
  std::vector<Line> scratch(stage.plan->scratch_bytes / sizeof(Line) + 1);
  const woa_firing context{.instance = 0,
                           .tag = 0,
                           .state = nullptr,
                           .scratch = reinterpret_cast<std::uint8_t*>(scratch.data()),
                           .scratch_bytes = stage.plan->scratch_bytes};
  woa_error error{};
  const woa_status status = stage.kernel->run(stage.self, &context, &view, &output, &error);
  if (status != WOA_OK) return {to_code(status), error.message, {}, 0};
  return {Code::kOk, "", read_payload(out_type, output, out), 0};
}

}  // namespace woa::test
