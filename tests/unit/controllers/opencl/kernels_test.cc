// The opencl variants of the shipped kernels against their cpu variants, bit for bit.
#include <array>
#include <filesystem>
#include <random>
#include <string>
#include <utility>

#include "runtime/controller/kernel_library.h"
#include "tests/support/catch.h"
#include "tests/support/kernel_yaml.h"
#include "tests/unit/controllers/opencl/opencl_rig.h"

namespace woa::test {
namespace {

const std::string kKernels = WOA_BUILD_DIR "/kernels";

StagePlan image_stage(const std::string& name, const std::string& kernel, std::vector<ParamPlan> params) {
  StagePlan stage;
  stage.name = name;
  stage.kernel = kernel;
  stage.kernel_file = kKernels + "/" + kernel + "/kernel.yaml";
  stage.library = "lib" + kernel + ".so";
  stage.variant = read_variant(stage.kernel_file, "opencl");
  stage.params = std::move(params);
  stage.scratch_bytes = 1 << 20;  // what the cpu variants declare, or more
  stage.inputs = {{"image", array_type({"height", "width", "channels"}), false, 0}};
  stage.outputs = {{"image", array_type({"height", "width", "channels"}), -1}};
  return stage;
}

const std::array<std::string, 3> kFits{"stretch", "contain", "cover"};  // as in kernel.yaml

StagePlan resize_stage(std::uint32_t width, std::uint32_t height, std::size_t fit) {
  ParamPlan wide, high, choice;
  wide.type = high.type = ParamType::kInt;
  wide.name = "width", wide.value = std::to_string(width);
  high.name = "height", high.value = std::to_string(height);
  choice.name = "fit", choice.value = kFits[fit], choice.choice = static_cast<std::int32_t>(fit);
  return image_stage(wide.value + "x" + high.value + "-" + choice.value, "resize_bilinear", {wide, high, choice});
}

Array image(std::uint32_t height, std::uint32_t width, std::uint32_t channels, std::uint32_t seed) {
  std::minstd_rand random(seed + 1);
  Array array{{height, width, channels}, std::vector<std::uint8_t>(std::size_t{height} * width * channels)};
  // Mostly noise, with runs of the extremes, where saturation shows.
  for (std::uint8_t& byte : array.data) {
    const auto value = random() >> 7;
    byte = static_cast<std::uint8_t>(value % 5 == 0 ? 255 : value % 5 == 1 ? 0 : value >> 3);
  }
  return array;
}

// Numbers from 0 up to a limit, the same in every run.
class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}
  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(engine_() % limit); }

 private:
  std::minstd_rand engine_;
};

// All stages on one backend, with their libraries.
class Bench {
 public:
  explicit Bench(std::vector<StagePlan> stages) : plan_(plan_of(std::move(stages))), backend_(make_opencl()) {
    for (std::uint32_t s = 0; s < plan_.stages.size(); ++s) {
      Result<KernelLibrary> library = KernelLibrary::load(plan_.stages[s], {});
      INFO(library.status().message());
      REQUIRE(library.ok());
      libraries_.push_back(std::move(library).value());
      loaded_.push_back(
          {s, &plan_.stages[s], libraries_[s].kernel(), libraries_[s].self(), libraries_[s].folder().string()});
    }
    const Status status = backend_->load(plan_, loaded_, Doorbell());
    INFO(status.message());
    REQUIRE(status.ok());
  }

  void compare(std::uint32_t stage, const Array& input) {
    INFO("stage " << plan_.stages[stage].name << ", input " << input.dims[0] << "x" << input.dims[1] << "x"
                  << input.dims[2]);
    const DeviceAnswer device = run(*backend_, plan_, stage, input);
    const DeviceAnswer host = run_on_cpu(loaded_[stage], input);
    INFO("opencl: " << device.message << "\ncpu: " << host.message);
    CHECK(device.code == host.code);
    CHECK(device.array.dims == host.array.dims);
    CHECK((device.array.data == host.array.data));
  }

 private:
  Plan plan_;
  std::vector<KernelLibrary> libraries_;
  std::vector<LoadedStage> loaded_;
  std::unique_ptr<Backend> backend_;
};

// height, width
constexpr std::array<std::array<std::uint32_t, 2>, 9> kEdgeShapes{
    {{1, 1}, {1, 2}, {2, 1}, {3, 3}, {1, 20000}, {20000, 1}, {2, 4099}, {64, 64}, {17, 31}}};

TEST_CASE("sharpen3x3") {
  Bench bench({image_stage("sharpen", "sharpen3x3", {})});
  std::uint32_t seed = 0;
  for (const auto& [height, width] : kEdgeShapes) {
    for (const std::uint32_t channels : {1U, 3U, 4U}) bench.compare(0, image(height, width, channels, ++seed));
  }
  Random random(3);
  for (int i = 0; i < 10; ++i)
    bench.compare(0, image(1 + random.below(200), 1 + random.below(200), 1 + random.below(4), ++seed));
}

TEST_CASE("resize_bilinear") {
  std::vector<StagePlan> targets;
  for (std::size_t fit = 0; fit < kFits.size(); ++fit) {
    for (const auto& [width, height] : std::vector<std::pair<std::uint32_t, std::uint32_t>>{
             {1, 1}, {2, 3}, {64, 48}, {20000, 1}, {1, 20000}, {333, 127}})
      targets.push_back(resize_stage(width, height, fit));
  }
  Bench bench(targets);
  std::uint32_t seed = 0;
  for (std::uint32_t target = 0; target < targets.size(); ++target) {
    for (const auto& [height, width] : kEdgeShapes)
      bench.compare(target, image(height, width, 1 + seed % 4, seed)), ++seed;
  }
  Random random(4);
  for (std::uint32_t i = 0; i < 36; ++i) {
    bench.compare(i % static_cast<std::uint32_t>(targets.size()),
                  image(1 + random.below(300), 1 + random.below(300), 1 + random.below(4), ++seed));
  }
}

}  // namespace
}  // namespace woa::test
