// Loading, devices, contexts, and what the options say of them.
#include <cstring>
#include <set>
#include <string>

#include "tests/unit/doubles/cuda/driver_rig.h"

namespace woa::cuda {
namespace {

int attribute(const Cuda& cuda, DeviceAttribute attribute) {
  int value = -1;
  NEED(cuda.device_attribute(&value, attribute, 0) == kSuccess);
  return value;
}

// The answer of cuGetProcAddress_v2: its status, and true if there is a pointer.
std::pair<int, bool> answer(const Cuda& cuda, const char* symbol, int version) {
  void* function = nullptr;
  int status = -1;
  NEED(cuda.get_proc_address_v2(symbol, &function, version, 0, &status) == kSuccess);
  return {status, function != nullptr};
}

}  // namespace

TEST_CASE("the double exports the functions of cuda_api.h and no others") {
  std::set<std::string> expected{"cuGetExportTable", "cuGetProcAddress", "cuGetProcAddress_v2"}, found;
#define WOA_NAME(member, symbol, name, version, parameters) expected.insert(#symbol);
  WOA_CUDA_FUNCTIONS(WOA_NAME)
  WOA_CUDA_OPTIONAL_FUNCTIONS(WOA_NAME)
#undef WOA_NAME
  std::FILE* const names = popen("nm -D --defined-only '" WOA_BUILD_DIR "/tests/doubles/cuda/libcuda.so.1'", "re");
  REQUIRE(names != nullptr);
  char line[512], name[400];
  while (std::fgets(line, sizeof line, names) != nullptr)
    if (std::sscanf(line, "%*s %*s %399s", name) == 1) found.insert(name);
  pclose(names);
  REQUIRE(found == expected);
}

TEST_CASE("the double says what it is") {
  REQUIRE_PASSES("", [] {
    const Cuda cuda;
    int version = 0, count = 0;
    NEED(cuda.device_count(&count) == kNotInitialized);
    NEED(cuda.driver_version(&version) == kSuccess && version == 13000);
    NEED(cuda.init(0) == kSuccess && cuda.init(0) == kSuccess);
    char name[100];
    NEED(cuda.device_name(name, sizeof name, 0) == kSuccess);
    NEED(std::strcmp(name, "Test double of a CUDA device (PTX interpreted)") == 0);
    NEED(attribute(cuda, kCapabilityMajor) == 7 && attribute(cuda, kCapabilityMinor) == 5);
    NEED(attribute(cuda, k64BitMemOps) == 1 && attribute(cuda, kReadOnlyHostRegister) == 1);
    NEED(attribute(cuda, kKernelExecTimeout) == 0);
    const char* text = nullptr;
    NEED(cuda.error_name(kIllegalAddress, &text) == kSuccess);
    NEED(std::strcmp(text, "CUDA_ERROR_ILLEGAL_ADDRESS") == 0);
    NEED(cuda.error_text(kIllegalAddress, &text) == kSuccess);
    NEED(std::strcmp(text, "an illegal memory access was encountered") == 0);
    NEED(cuda.error_name(12345, &text) == kInvalidValue);
    Device device = -1;
    NEED(cuda.device(&device, 1) == kInvalidDevice && cuda.device(&device, 0) == kSuccess);
    return 0;
  });
}

TEST_CASE("options change what the device says") {
  REQUIRE_PASSES("devices=3,sms=9,memory=64M,time_limit,no_memops,no_read_only,driver=12020", [] {
    const Cuda cuda;
    int count = 0, version = 0;
    std::size_t bytes = 0;
    NEED(cuda.init(0) == kSuccess);
    NEED(cuda.device_count(&count) == kSuccess && count == 3);
    NEED(cuda.driver_version(&version) == kSuccess && version == 12020);
    NEED(cuda.device_memory(&bytes, 0) == kSuccess && bytes == 64 << 20);
    NEED(attribute(cuda, kMultiprocessors) == 9 && attribute(cuda, kKernelExecTimeout) == 1);
    NEED(attribute(cuda, k64BitMemOps) == 0 && attribute(cuda, kReadOnlyHostRegister) == 0);
    return 0;
  });
  const Ended ended = run_with("ignore=event_weight", [] { return static_cast<int>(Cuda().init(0)); });
  REQUIRE(ended.aborted());
  INFO(ended.log);
  REQUIRE(ended.log.find("unknown word \"ignore=event_weight\"") != std::string::npos);
}

TEST_CASE("cuInit fails as it is told") {
  const auto init = [] { return Cuda().init(0); };
  REQUIRE(run_with("devices=0", init).exit_code() == kNoDevice);
  REQUIRE(run_with("no_driver", init).exit_code() == kNoDevice);
  REQUIRE(run_with("no_driver=mismatch", [] { return Cuda().init(0) - 800; }).exit_code() == 3);
  REQUIRE(run_with("no_driver=system", [] { return Cuda().init(0) - 300; }).exit_code() == 4);
}

TEST_CASE("a device may refuse contexts") {
  for (const char* options : {"exclusive", "prohibited"}) {
    REQUIRE_PASSES(options, [options] {
      const Cuda cuda;
      Context context = nullptr;
      NEED(cuda.init(0) == kSuccess);
      const int mode = *options == 'e' ? kComputeModeExclusive : kComputeModeProhibited;
      NEED(attribute(cuda, kComputeMode) == mode);
      NEED(cuda.context_create(&context, 0, 0) == kDeviceUnavailable);
      return 0;
    });
  }
}

TEST_CASE("functions are found by name and version") {
  const auto body = [] {
    const Cuda cuda;
#define WOA_FIND(member, symbol, name, version, parameters) NEED(answer(cuda, name, version) == std::pair(0, true));
    WOA_CUDA_FUNCTIONS(WOA_FIND)
    WOA_CUDA_OPTIONAL_FUNCTIONS(WOA_FIND)
#undef WOA_FIND
    NEED(answer(cuda, "cuStreamWriteValue64", 11060) == std::pair(2, false));
    NEED(answer(cuda, "cuNothing", 13000) == std::pair(1, false));
    void* function = nullptr;
    NEED(cuda.get_proc_address_v2("cuInit", &function, 13010, 0, nullptr) == kInvalidValue);
    NEED(cuda.get_proc_address("cuInit", &function, 2000, 0) == kSuccess && function != nullptr);
    NEED(cuda.get_proc_address("cuNothing", &function, 2000, 0) == kNotFound && function == nullptr);
    return 0;
  };
  REQUIRE_PASSES("", body);
  REQUIRE_PASSES("driver=11040", [] {
    NEED(answer(Cuda(), "cuStreamWriteValue64", 11040) == std::pair(1, false));
    return 0;
  });
  REQUIRE_PASSES("no_memops", [] {
    const Rig rig;
    NEED(answer(rig, "cuStreamWriteValue64", 11070) == std::pair(1, false));
    NEED(rig.stream_write_value(rig.first, rig.device, 1, 0) == kNotSupported);
    return 0;
  });
}

TEST_CASE("each thread has its own current context") {
  REQUIRE_PASSES("", [] {
    Rig rig;
    std::thread([&] {
      NEED(rig.stream_query(rig.first) == kInvalidContext);
      NEED(rig.context_set_current(rig.context) == kSuccess);
      NEED(rig.stream_query(rig.first) == kSuccess);
      NEED(rig.context_set_current(nullptr) == kSuccess);
      NEED(rig.stream_query(rig.first) == kInvalidContext);
    }).join();
    rig.end();
    NEED(rig.stream_query(rig.first) == kInvalidContext);
    return 0;
  });
}

TEST_CASE("a forked child has no driver") {
  REQUIRE_PASSES("rules=errors", [] {
    Rig rig;
    test::Child child([&] {
      int count = 0;
      return rig.init(0) == kNotInitialized && rig.device_count(&count) == kNotInitialized &&
                     rig.stream_query(rig.first) == kNotInitialized
                 ? 0
                 : 1;
    });
    NEED(child.exit_code() == 0);
    rig.end();
    return 0;
  });
}

}  // namespace woa::cuda
