#include "tests/cts/backend/rig.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <stdexcept>
#include <thread>

#include "runtime/controller/layout.h"
#include "runtime/controller/port_shape.h"
#include "tests/support/build_folder.h"
#include "tests/support/catch.h"
#include "tests/support/kernel_yaml.h"
#include "tests/support/require.h"

namespace woa::test {
namespace {

PortType bytes_type(std::uint64_t max_bytes) { return {.element = "bytes", .dims = {}, .max_bytes = max_bytes}; }

StagePlan stage_of(const BackendRow& row, const std::string& name, const std::string& kernel, std::uint64_t out_bytes) {
  StagePlan stage;
  stage.name = name;
  stage.kernel = kernel;
  stage.library = "lib" + kernel + ".so";
  stage.variant = read_variant(build_folder() + "/kernels/" + kernel + "/kernel.yaml",
                               std::string(variant_of(row.controller.backend)));
  stage.headers = row.controller.traits.headers();
  stage.controller = 1;
  stage.inputs = {{.name = "in", .type = bytes_type(kMaxBytes), .hold = false, .hold_mask = 0}};
  stage.outputs = {{.name = "out", .type = bytes_type(out_bytes), .one_of = -1}};
  return stage;
}

std::size_t packets(std::uint64_t bytes) { return (bytes + sizeof(ActivationPacket) - 1) / sizeof(ActivationPacket); }

}  // namespace

bool has_workers(const BackendRow& row) { return row.controller.traits.publishes == Publisher::kWorker; }

std::chrono::seconds patience() {
  const char* const text = std::getenv("WOA_CTS_PATIENCE");
  return std::chrono::seconds(text == nullptr ? 60 : std::atoi(text));
}

Plan rig_plan(const BackendRow& row) {
  Plan plan;
  plan.graph = "backend-cts";
  plan.window = 8;
  plan.controllers = {make_controller("host", *find_backend("host")), row.controller};
  plan.stages.resize(2);
  plan.stages[kSourceStage].name = "source";
  plan.stages[kSourceStage].role = StageRole::kSource;
  plan.stages[kSinkStage].name = "sink";
  plan.stages[kSinkStage].role = StageRole::kSink;
  plan.stages.push_back(stage_of(row, "copy", "copy", kMaxBytes));
  plan.stages.push_back(stage_of(row, "invert", "invert", kMaxBytes));
  plan.stages.push_back(stage_of(row, "narrow", "copy", kNarrowBytes));
  if (has_workers(row)) {
    plan.stages.push_back(stage_of(row, "stay", "invert", kMaxBytes));
    plan.stages[kStay].variant.resident = true;
    plan.stages[kStay].variant.block = {64};
  }
  for (std::uint32_t s = kCopy; s < plan.stages.size(); ++s) {
    const std::uint32_t port = s - kCopy;
    const std::string name = plan.stages[s].name;
    plan.stages[kSourceStage].outputs.push_back({.name = name, .type = bytes_type(kMaxBytes), .one_of = -1});
    plan.stages[kSinkStage].inputs.push_back(
        {.name = name, .type = plan.stages[s].outputs[0].type, .hold = false, .hold_mask = 0});
    EdgePlan in, out;
    in.from_stage = kSourceStage;
    in.from_port = port;
    in.to_stage = s;
    out.from_stage = s;
    out.to_stage = kSinkStage;
    out.to_port = port;
    in.blocks = out.blocks = 8;
    plan.edges.push_back(in);
    plan.edges.push_back(out);
  }
  return plan;
}

TestFiring::TestFiring(Rig& rig, std::uint32_t stage_id, std::span<const std::uint8_t> data, std::uint32_t number)
    : in_memory(std::max<std::size_t>(packets(data.size()), 1)),
      out_memory(packets(rig.plan().stages[stage_id].outputs[0].type.block_bytes())),
      rig_(rig) {
  activity = &slot;
  const Plan& plan = rig.plan();
  stage = stage_id;
  instance = number;
  message.reserve(256);
  if (!data.empty()) std::memcpy(static_cast<void*>(in_memory.data()), data.data(), data.size());
  header.kind = static_cast<std::uint8_t>(PacketKind::kActivate);
  header.stage = stage_id;
  header.instance = number;
  header.sequence = number + 1;
  header.payload_bytes = data.size();
  header.device = data.empty() ? std::uint8_t{0} : std::uint8_t{1};
  seal(header);
  packet = &header;
  const std::span<const std::byte> payload = std::as_bytes(std::span(in_memory)).first(data.size());
  REQUIRE(PortShape(plan.stages[stage_id].inputs[0].type).show(payload, input));
  PortShape(plan.stages[stage_id].outputs[0].type)
      .reserve(std::as_writable_bytes(std::span(out_memory)).data(), output);
  inputs = {&input, 1};
  outputs = {&output, 1};
  input_memory = {&memory[0], 1};
  output_memory = {&memory[1], 1};
  for (std::uint32_t e = 0; e < plan.edges.size(); ++e) {
    if (plan.edges[e].from_stage == stage_id) routes.push_back({e, 1, 0, {}});
  }
}

TestFiring::~TestFiring() {
  if (std::uncaught_exceptions() > failures_) rig_.destroy_backend();
}

std::span<const std::uint8_t> TestFiring::result() const { return {output.data, output.bytes}; }

void TestFiring::lie_at(std::span<std::byte> in, std::span<std::byte> out) {
  std::copy_n(reinterpret_cast<const std::byte*>(input.data), input.bytes, in.data());
  input.data = reinterpret_cast<const std::uint8_t*>(in.data());
  output.data = reinterpret_cast<std::uint8_t*>(out.data());
  output.capacity = std::min<std::uint64_t>(output.capacity, out.size());
}

void TestFiring::read_in_device(MemoryKind kind, std::uint16_t region, std::uint32_t block) {
  memory[0] = {kind, region, block};
  input.data = nullptr;
}

void TestFiring::write_in_device(MemoryKind kind, std::uint16_t region, std::uint32_t block, bool copied) {
  memory[1] = {kind, region, block};
  if (!copied) output.data = nullptr;
}

Rig::Rig() : row_(backend_row()), plan_(rig_plan(row_)) {
  REQUIRE(validate(plan_).ok());
  const std::array folders{std::filesystem::path(build_folder()) / "kernels"};
  for (std::uint32_t s = kCopy; s < plan_.stages.size(); ++s) {
    Result<KernelLibrary> kernel = KernelLibrary::load(plan_.stages[s], folders);
    INFO(kernel.status().message());
    REQUIRE(kernel.ok());
    kernels_.push_back(std::move(kernel).value());
  }
  backend_ = make();
}

Rig::~Rig() = default;

std::unique_ptr<Backend> Rig::make() const {
  auto backend = row_.factory.make(0, row_.controller);
  if (backend.status().code() == Code::kUnavailable) skip(row_.name, backend.status().message());
  INFO(backend.status().message());
  REQUIRE(backend.ok());
  return std::move(backend).value();
}

std::vector<LoadedStage> Rig::stages() const {
  std::vector<LoadedStage> stages;
  for (std::uint32_t s = kCopy; s < plan_.stages.size(); ++s) {
    const KernelLibrary& library = kernel(s);
    stages.push_back({s, &plan_.stages[s], library.kernel(), library.self(), library.folder().string()});
  }
  return stages;
}

// Payloads of all stages, wherever they lie.
std::vector<BackendMapping> Rig::unregistered() const {
  const Layout layout = make_layout(plan_);
  std::vector<BackendMapping> mappings;
  for (std::uint32_t s = kCopy; s < plan_.stages.size(); ++s) {
    const auto add = [&](std::uint32_t edge, Access access, const char* what) {
      const std::uint16_t region = layout.edges[edge].regions.front();
      const std::uint64_t block = layout.regions[region].block_bytes;
      mappings.push_back({{}, access, false, region, what, {s}, 0, block, block});
    };
    add(layout.in_edges[s][0][0], Access::kRead, "inputs");
    add(layout.out_edges[s][0][0], Access::kReadWrite, "outputs");
  }
  return mappings;
}

void Rig::load(bool shows_memory) {
  Status status = backend_->load(plan_, stages(), Doorbell(line_.get()));
  if (status.ok() && !shows_memory) status = backend_->map(unregistered()).status();
  INFO(status.message());
  REQUIRE(status.ok());
}

void Rig::poll() {
  std::array<Firing*, 4> done{};
  const std::size_t count = backend_->poll(done);
  for (std::size_t i = 0; i < count; ++i) completed_.push_back(done[i]);
  if (count == 0) std::this_thread::yield();
}

Start Rig::start(TestFiring& firing) {
  const auto end = std::chrono::steady_clock::now() + patience();
  for (;;) {
    const Start start = backend_->start(firing);
    if (start == Start::kCompleted) completed_.push_back(&firing);
    if (start != Start::kBusy) return start;
    poll();
    if (std::chrono::steady_clock::now() > end) throw std::runtime_error("the backend stays busy");
  }
}

void Rig::wait_for(const TestFiring& firing) {
  const auto end = std::chrono::steady_clock::now() + patience();
  for (;;) {
    const auto at = std::find(completed_.begin(), completed_.end(), &firing);
    if (at != completed_.end()) {
      completed_.erase(at);
      return;
    }
    poll();
    if (std::chrono::steady_clock::now() > end) FAIL("a firing does not complete");
  }
}

void Rig::run(TestFiring& firing) {
  start(firing);
  wait_for(firing);
}

std::vector<std::uint8_t> Rig::expected(std::uint32_t stage, std::span<const std::uint8_t> data) const {
  std::vector<std::uint8_t> result(kMaxBytes);
  const KernelLibrary& library = kernel(stage);
  woa_input input{.data = data.data(),
                  .bytes = data.size(),
                  .rank = 1,
                  .dims = {static_cast<std::uint32_t>(data.size())},
                  .absent = 0,
                  .count = 0,
                  .elements = nullptr};
  woa_output output{.data = result.data(),
                    .capacity = result.size(),
                    .bytes = 0,
                    .dims = {},
                    .written = 0,
                    .count = 0,
                    .elements = nullptr};
  woa_error error{};
  woa_firing firing{};
  REQUIRE(library.kernel()->run(library.self(), &firing, &input, &output, &error) == WOA_OK);
  result.resize(output.bytes);
  return result;
}

std::vector<std::uint8_t> pattern(std::size_t bytes, std::uint32_t seed) {
  std::minstd_rand random(seed + 1);
  std::vector<std::uint8_t> data(bytes);
  for (std::uint8_t& byte : data) byte = static_cast<std::uint8_t>(random() >> 8);
  return data;
}

}  // namespace woa::test
