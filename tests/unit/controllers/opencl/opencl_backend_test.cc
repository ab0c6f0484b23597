// Tests of OpenCL alone; those of every backend are in tests/cts/backend.
#include <limits>
#include <string>

#include "controllers/gpu/opencl/register.h"
#include "tests/support/catch.h"
#include "tests/support/says.h"
#include "tests/unit/controllers/opencl/opencl_rig.h"

namespace woa::test {
namespace {

woa_status transposed_size(void*, const woa_input* in, woa_output* out, woa_error*) {
  out[0].bytes = in[0].bytes;
  out[0].dims[0] = in[0].dims[1];
  out[0].dims[1] = in[0].dims[0];
  return WOA_OK;
}

woa_status failing_size(void*, const woa_input*, woa_output*, woa_error* error) {
  std::snprintf(error->message, sizeof error->message, "no size today");
  return WOA_UNSUPPORTED;
}

const woa_kernel kTranspose{WOA_KERNEL_HEAD, .create = nullptr, .destroy = nullptr, .size = transposed_size,
                            .run = nullptr,  .retire = nullptr, .state_bytes = 0};
const woa_kernel kFailing{WOA_KERNEL_HEAD, .create = nullptr, .destroy = nullptr, .size = failing_size,
                          .run = nullptr,  .retire = nullptr, .state_bytes = 0};

StagePlan transpose_stage() {
  StagePlan stage;
  stage.name = "turn";
  stage.kernel = "transpose";
  stage.kernel_file = WOA_SOURCE_DIR "/tests/unit/controllers/opencl/kernel.yaml";  // its folder counts, not the file
  stage.variant.kind = "opencl";
  stage.variant.source = "transpose.cl";
  stage.variant.entry = "transpose";
  stage.variant.global = {"rows", "columns"};
  stage.params = {{"title", "3", ParamType::kString, ""},
                  {"gain", "2", ParamType::kFloat, ""},
                  {"add", "-2", ParamType::kInt, ""},
                  {"table", "7", ParamType::kFile, ""}};
  stage.inputs = {{"in", array_type({"rows", "columns"}), false, 0}};
  stage.outputs = {{"out", array_type({"columns", "rows"}), -1}};
  return stage;
}

Status load_one(const StagePlan& stage, const woa_kernel* kernel = &kTranspose) {
  const Plan plan = plan_of({stage});
  const std::vector<LoadedStage> stages{{0, &plan.stages[0], kernel, nullptr}};
  const Status status = make_opencl()->load(plan, stages, Doorbell());
  UNSCOPED_INFO(status.message());
  return status;
}

TEST_CASE(
    "dimensions, work size and int parameters reach the kernel, in OpenCL C and in a source that CUDA takes, too") {
  StagePlan stage = transpose_stage();
  stage.variant.source = GENERATE("transpose.cl", "both.cu");
  const Plan plan = plan_of({stage});
  const std::vector<LoadedStage> stages{{0, &plan.stages[0], &kTranspose, nullptr}};
  const auto backend = make_opencl();
  const Status status = backend->load(plan, stages, Doorbell());
  INFO(status.message());
  REQUIRE(status.ok());
  const DeviceAnswer answer = run(*backend, plan, 0, {{2, 3}, {10, 11, 12, 20, 21, 22}});
  INFO(answer.message);
  REQUIRE(answer.code == Code::kOk);
  CHECK(answer.array == Array{{3, 2}, {8, 18, 9, 19, 10, 20}});
  CHECK(answer.copied_bytes == 12);  // over and back, without the dimensions
  CHECK(run(*backend, plan, 0, {{0, 5}, {}}).array == Array{{5, 0}, {}});
  CHECK(run(*backend, plan, 0, {{1, 1}, {1}}).array == Array{{1, 1}, {255}});
}

TEST_CASE("a parameter of type int that 32 bits do not hold is refused, not left out") {
  StagePlan stage = transpose_stage();
  for (const char* value : {"2147483648", "-2147483649"}) {
    stage.params[2].value = value;
    const Status status = load_one(stage);
    CHECK(status.code() == Code::kInvalid);
    CHECK(says(status, std::string("parameter 'add' is ") + value));
  }
  stage.params[2].value = "-2147483648";
  CHECK(load_one(stage).ok());
}

TEST_CASE("what the size function says is passed on") {
  const Plan plan = plan_of({transpose_stage()});
  const std::vector<LoadedStage> stages{{0, &plan.stages[0], &kFailing, nullptr}};
  const auto backend = make_opencl();
  REQUIRE(backend->load(plan, stages, Doorbell()).ok());
  const DeviceAnswer answer = run(*backend, plan, 0, {{1, 1}, {1}});
  CHECK(answer.code == Code::kUnsupported);
  CHECK(answer.message == "no size today");
}

TEST_CASE("a program that does not build comes with the compiler's log") {
  StagePlan stage = transpose_stage();
  stage.variant.source = "broken.cl";
  const Status status = load_one(stage);
  CHECK(status.code() == Code::kInvalid);
  CHECK(says(status, "stage 'turn'"));
  CHECK(says(status, "broken.cl"));
  CHECK(says(status, "error:"));
  stage.variant.source = "broken.cu";
  CHECK(says(load_one(stage), ":4:"));
}

TEST_CASE("a variant that cannot be launched is refused at load, with the reason") {
  StagePlan stage = transpose_stage();
  stage.variant.source = "missing.cl";
  const Status missing = load_one(stage);  // skips the case where there is no device
  CHECK(missing.code() == Code::kNotFound);
  stage = transpose_stage();
  stage.variant.entry = "no_such_function";
  CHECK(says(load_one(stage), "no_such_function"));
  stage = transpose_stage();
  stage.variant.entry = "too_few";
  CHECK(says(load_one(stage), "has 3 arguments, expected 7"));
  stage = transpose_stage();
  std::erase_if(stage.params, [](const ParamPlan& param) { return param.name == "add"; });
  CHECK(says(load_one(stage), "has 7 arguments, expected 6"));
  stage = transpose_stage();
  stage.variant.global = {"depth"};
  CHECK(says(load_one(stage), "'depth'"));
  stage.variant.global = {};
  CHECK(says(load_one(stage), "1 to 3 dimensions"));
  stage = transpose_stage();
  stage.stateful = Stateful::kInstance;
  CHECK(load_one(stage).code() == Code::kUnsupported);
  CHECK(says(load_one(stage), "keeps state, which a variant 'opencl' cannot"));
  stage = transpose_stage();
  stage.outputs[0].one_of = 0;
  CHECK(load_one(stage).code() == Code::kUnsupported);
  CHECK(load_one(transpose_stage(), nullptr).code() == Code::kUnsupported);
}

TEST_CASE("a device that is not there is unavailable, with what there is") {
  make_opencl();
  const BackendFactory factory = opencl_factory();
  const auto devices = factory.probe();
  REQUIRE(devices.ok());
  const ControllerPlan controller{.name = "gpu:9", .kind = ControllerKind::kGpu, .backend = "opencl", .workers = 1};
  for (const std::uint32_t ordinal :
       {static_cast<std::uint32_t>(devices->size()), std::numeric_limits<std::uint32_t>::max()}) {
    const Status status = factory.make(ordinal, controller).status();
    CHECK(status.code() == Code::kUnavailable);
    CHECK(says(status, "number " + std::to_string(std::uint64_t{ordinal} + 1)));
    CHECK(says(status, std::to_string(devices->size()) + " device"));
  }
}

TEST_CASE("real devices come before simulated ones") {
  make_opencl();
  const auto devices = opencl_factory().probe();
  REQUIRE(devices.ok());
  for (std::size_t i = 1; i < devices->size(); ++i) CHECK((*devices)[i].simulated >= (*devices)[i - 1].simulated);
}

}  // namespace
}  // namespace woa::test
