#include "tests/cuda_kernels/kernel_rig.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <span>
#include <sstream>
#include <thread>

#include "controllers/gpu/cuda/devices.h"
#include "controllers/gpu/cuda/register.h"
#include "runtime/base/scalar.h"
#include "runtime/controller/layout.h"
#include "tests/support/build_folder.h"
#include "tests/support/kernel_yaml.h"
#include "tests/support/require.h"

namespace woa::test {
namespace {

constexpr std::uint8_t kUntouched = 0xA5;
constexpr std::size_t kBefore = 4096;           // bytes in front of an output that must stay as they are
constexpr std::size_t kScratchBytes = 2 << 20;  // of cpu variants: none asks for more
constexpr std::chrono::seconds kPatience{60};

// "u8[height,3]" as a type.
PortType type_of(const std::string& text, std::uint64_t most_bytes) {
  PortType type;
  type.element = text.substr(0, text.find('['));
  type.max_bytes = most_bytes;
  if (type.element.size() == text.size()) return type;
  std::uint64_t bytes = element_bytes(type.element);
  std::istringstream dims(text.substr(type.element.size() + 1, text.size() - type.element.size() - 2));
  for (std::string name; std::getline(dims, name, ',');) {
    const auto size = parse_signed(name);
    type.dims.push_back(size ? Dimension{"", static_cast<std::uint32_t>(*size), 0} : Dimension{name, 0, 0});
    bytes *= type.dims.back().size;
  }
  if (bytes != 0) type.max_bytes = bytes;  // all dimensions are fixed
  return type;
}

std::vector<ParamPlan> params_of(const YAML::Node& declared, const Params& given) {
  std::vector<ParamPlan> params;
  for (const auto& each : declared) {
    ParamPlan param{each.first.as<std::string>(), each.second["default"].as<std::string>(""), ParamType::kString, "",
                    -1};
    for (const auto& [name, value] : given)
      if (name == param.name) param.value = value;
    if (each.second["type"].as<std::string>() == "int") param.type = ParamType::kInt;
    std::int32_t number = 0;
    for (const auto& choice : each.second["choices"]) {
      if (choice.as<std::string>() == param.value) param.choice = number;
      ++number;
    }
    params.push_back(std::move(param));
  }
  return params;
}

StagePlan stage_of(const std::string& file, const Params& params, std::uint64_t most_bytes, bool resident) {
  const YAML::Node kernel = YAML::LoadFile(file);
  StagePlan stage;
  stage.kernel = kernel["name"].as<std::string>();
  stage.library = kernel["library"].as<std::string>();
  stage.controller = 1;
  stage.variant = read_variant(file, "cuda");
  stage.variant.resident = resident;
  constexpr std::array<std::array<std::uint32_t, 3>, 3> kBlocks{{{256, 1, 1}, {16, 16, 1}, {8, 8, 4}}};
  if (stage.variant.block.empty()) {
    const auto& block = kBlocks[stage.variant.global.size() - 1];
    stage.variant.block.assign(block.begin(), block.end());
  }
  stage.params = params_of(kernel["params"], params);
  for (const auto& port : kernel["in"])
    stage.inputs.push_back(
        {port.first.as<std::string>(), type_of(port.second["type"].as<std::string>(), most_bytes), false, 0});
  for (const auto& port : kernel["out"])
    stage.outputs.push_back(
        {port.first.as<std::string>(), type_of(port.second["type"].as<std::string>(), most_bytes), -1});
  return stage;
}

std::unique_ptr<Mapping> pages(std::uint64_t bytes) {
  auto made = map_pages(-1, whole_pages(bytes), Access::kReadWrite);
  REQUIRE(made.ok());
  return std::move(made).value();
}

std::byte* at_the_end(const Mapping& memory, std::size_t bytes) {
  REQUIRE(bytes + kBefore <= memory.bytes().size());
  return memory.bytes().last(bytes).data();
}

// The payload of `bytes`, and what lies before it.
std::span<std::byte> touchable(const Mapping& memory, std::size_t bytes) {
  return memory.bytes().last(kBefore + bytes);
}

// A device whose driver limits the time of kernels has no resident ones: the back-end launches them.
bool keeps_kernels() {
  static const auto devices = list_cuda_devices(*open_cuda());
  return devices.ok() && !devices->front().has_time_limit;
}

}  // namespace

struct KernelRig::Stage {
  std::uint32_t id;  // in the plan
  std::string folder;
  KernelUnderTest cpu;
  std::vector<std::unique_ptr<Mapping>> ins = {}, outs = {};
};

KernelRig::KernelRig(const std::string& kernel, const std::vector<Params>& params, std::uint64_t most_bytes) {
  const ControllerPlan device = make_controller("gpu:0", *find_backend("cuda"));
  auto made = cuda_factory().make(0, device);
  if (made.status().code() == Code::kUnavailable) skip("cuda", made.status().message());
  INFO(made.status().message());
  REQUIRE(made.ok());
  backend_ = std::move(made).value();
  plan_.graph = kernel;
  plan_.window = 1;
  plan_.controllers = {make_controller("host", *find_backend("host")), device};
  plan_.stages.resize(2);
  plan_.stages[kSourceStage].role = StageRole::kSource;
  plan_.stages[kSourceStage].name = "source";
  plan_.stages[kSinkStage].role = StageRole::kSink;
  plan_.stages[kSinkStage].name = "sink";
  for (const Params& each : params) add_stages(kernel, each, most_bytes);
  load();
}

KernelRig::~KernelRig() { backend_.reset(); }  // before the memory

void KernelRig::add_stages(const std::string& kernel, const Params& params, std::uint64_t most_bytes) {
  const std::string folder = build_folder() + "/" + kernel;
  for (const bool resident : {false, true}) {
    StagePlan stage = stage_of(folder + "/kernel.yaml", params, most_bytes, resident);
    const auto id = static_cast<std::uint32_t>(plan_.stages.size());
    stage.name = stage.kernel + std::to_string(id);
    std::vector<Room> rooms;
    for (std::uint32_t k = 0; k < stage.inputs.size(); ++k) {
      auto& ports = plan_.stages[kSourceStage].outputs;
      plan_.edges.push_back({kSourceStage, static_cast<std::uint32_t>(ports.size()), id, k, ~std::uint64_t{0}, 0});
      ports.push_back({stage.name + "in" + std::to_string(k), stage.inputs[k].type, -1});
    }
    for (std::uint32_t k = 0; k < stage.outputs.size(); ++k) {
      auto& ports = plan_.stages[kSinkStage].inputs;
      plan_.edges.push_back({id, k, kSinkStage, static_cast<std::uint32_t>(ports.size()), ~std::uint64_t{0}, 0});
      ports.push_back({stage.name + "out" + std::to_string(k), stage.outputs[k].type, false, 0});
      rooms.push_back({stage.outputs[k].type.max_bytes, static_cast<std::uint32_t>(stage.outputs[k].type.dims.size())});
    }
    stages_.emplace_back(
        new Stage{id, folder, KernelUnderTest(folder + "/" + stage.library, params, rooms, kScratchBytes)});
    plan_.stages.push_back(std::move(stage));
  }
}

void KernelRig::load() {
  const Status valid = validate(plan_);
  INFO(valid.message());
  REQUIRE(valid.ok());
  const Layout layout = make_layout(plan_);
  std::vector<LoadedStage> loaded;
  ring_ = pages(1);
  std::vector<BackendMapping> mappings{{ring_->bytes(), Access::kReadWrite, true, std::nullopt, "a ring"}};
  const auto map = [&](std::uint32_t edge, std::uint32_t stage, Access access) {
    const std::uint16_t region = layout.edges[edge].regions.front();
    auto memory = pages(layout.regions[region].block_bytes + kBefore);
    mappings.push_back({memory->bytes(), access, true, region, "payloads", {stage}});
    return memory;
  };
  for (const auto& each : stages_) {
    loaded.push_back({each->id, &plan_.stages[each->id], &each->cpu.table(), each->cpu.self(), each->folder});
    for (const auto& edges : layout.in_edges[each->id]) each->ins.push_back(map(edges[0], each->id, Access::kRead));
    for (const auto& edges : layout.out_edges[each->id])
      each->outs.push_back(map(edges[0], each->id, Access::kReadWrite));
  }
  Status status = backend_->load(plan_, loaded, Doorbell(line_.get()));
  if (status.ok()) status = backend_->map(mappings).status();
  INFO(status.message());
  REQUIRE(status.ok());
}

Answer KernelRig::compare(std::size_t params, const std::vector<Token>& ins) {
  Answer expected = stages_[2 * params]->cpu.run(ins);
  INFO(plan_.graph << ", set " << params << ": " << expected.message);
  REQUIRE(expected.status == WOA_OK);
  for (const bool resident : {false, true}) run(*stages_[2 * params + (resident ? 1 : 0)], ins, expected);
  return expected;
}

void KernelRig::run(Stage& stage, const std::vector<Token>& ins, const Answer& expected) {
  const StagePlan& plan = plan_.stages[stage.id];
  std::vector<woa_input> inputs(ins.size());
  std::vector<woa_output> outputs(stage.outs.size());
  std::vector<PortMemory> input_memory(ins.size()), output_memory(outputs.size());
  for (std::size_t k = 0; k < ins.size(); ++k) {
    std::byte* const data = at_the_end(*stage.ins[k], ins[k].data.size());
    if (!ins[k].data.empty()) std::memcpy(data, ins[k].data.data(), ins[k].data.size());
    Dims dims = ins[k].dims.empty() ? Dims{static_cast<std::uint32_t>(ins[k].data.size())} : ins[k].dims;
    inputs[k].data = reinterpret_cast<const std::uint8_t*>(data);
    inputs[k].bytes = ins[k].data.size();
    inputs[k].rank = static_cast<std::uint32_t>(dims.size());
    std::ranges::copy(dims, inputs[k].dims);
  }
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    outputs[k].capacity = expected.outs[k]->data.size();
    outputs[k].data = reinterpret_cast<std::uint8_t*>(at_the_end(*stage.outs[k], outputs[k].capacity));
    const std::span<std::byte> memory = touchable(*stage.outs[k], outputs[k].capacity);
    std::memset(memory.data(), kUntouched, memory.size());
  }
  constexpr std::uint32_t kWords = 512;  // of the ring's page
  auto* const word = reinterpret_cast<std::atomic<std::uint64_t>*>(ring_->bytes().data()) + firings_ % kWords;
  const Publication publication{word, ++firings_};
  Firing firing;
  firing.stage = stage.id;
  firing.message.reserve(256);
  firing.inputs = inputs, firing.outputs = outputs;
  firing.input_memory = input_memory, firing.output_memory = output_memory;
  firing.publications = {&publication, 1};
  std::array<Firing*, 1> done{};
  const auto end = std::chrono::steady_clock::now() + kPatience;
  if (backend_->start(firing) != Start::kCompleted)
    while (backend_->poll(done) == 0 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  INFO(plan.name << (plan.variant.resident ? ", resident: " : ", launched: ") << firing.message);
  REQUIRE(done[0] == &firing);
  REQUIRE(firing.code == Code::kOk);
  CHECK(word->load() == publication.value);
  constexpr std::uint32_t kQueues = 2;  // of a back-end of one worker; its resident kernels have numbers behind these
  CHECK((firing.worker >= kQueues) == (plan.variant.resident && keeps_kernels()));
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const Token& right = *expected.outs[k];
    const std::size_t rank = right.dims.size();
    CHECK((Token{Bytes(outputs[k].data, outputs[k].data + outputs[k].bytes),
                 Dims(outputs[k].dims, outputs[k].dims + rank)} == right));
    const auto before = touchable(*stage.outs[k], right.data.size()).first(kBefore);
    CHECK(std::ranges::all_of(before, [](std::byte byte) { return byte == std::byte{kUntouched}; }));
  }
}

}  // namespace woa::test
