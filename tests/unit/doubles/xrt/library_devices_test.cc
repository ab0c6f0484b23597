// Cards, xclbin files, kernels and the configuration, and what the options say of them.
#include <set>

#include "tests/doubles/xrt/library/options.h"
#include "tests/unit/doubles/xrt/library_rig.h"

namespace woa::xrt {
namespace {

std::set<std::string> names_of(const char* library) {
  std::set<std::string> found;
  std::FILE* const names = popen(("nm -D --defined-only '" + std::string(library) + "'").c_str(), "re");
  REQUIRE(names != nullptr);
  char line[512], name[400];
  while (std::fgets(line, sizeof line, names) != nullptr)
    if (std::sscanf(line, "%*s %*s %399s", name) == 1) found.insert(name);
  pclose(names);
  return found;
}

// A card without kernels.
struct Card : Functions {
  DeviceHandle device = nullptr;
  std::array<unsigned char, 16> uuid{};
  Card() { NEED((device = device_open(0)) != nullptr); }
  int load(const char* file = DOUBLES "xrt/woa.xclbin") {
    const int result = load_xclbin(device, file);
    return result == 0 ? xclbin_uuid(device, uuid.data()) : result;
  }
  KernelHandle open(const char* name = "woa_wact") const { return kernel_open(device, uuid.data(), name); }
};

}  // namespace

TEST_CASE("the double exports the functions of xrt_api.h and its name") {
  std::set<std::string> expected{"woa_xrt_double"};
#define WOA_NAME(member, symbol, result, parameters) expected.insert(#symbol);
  WOA_XRT_FUNCTIONS(WOA_NAME)
#undef WOA_NAME
  REQUIRE(names_of(DOUBLES "xrt/libxrt_coreutil.so.2") == expected);
}

TEST_CASE("a symbol tells the double from XRT") {
  REQUIRE_PASSES("", [] {
    void* const library = dlopen(DOUBLES "xrt/libxrt_coreutil.so.2", RTLD_NOW | RTLD_LOCAL);
    NEED(library != nullptr);
    const auto* const name = static_cast<const char*>(dlsym(library, "woa_xrt_double"));
    NEED(name != nullptr && std::string(name) == "Test double of a card (RTL verilated)");
    return 0;
  });
}

TEST_CASE("a machine has as many cards as the options say") {
  REQUIRE_PASSES("devices=2", [] {
    const Functions xrt;
    DeviceHandle first = xrt.device_open(0), second = xrt.device_open(1);
    NEED(first != nullptr && second != nullptr && first != second);
    errno = 0;
    NEED(xrt.device_open(2) == nullptr && errno == ENODEV);
    NEED(xrt.device_close(first) == 0 && xrt.device_close(second) == 0);
    return 0;
  });
  REQUIRE_PASSES("devices=0", [] {
    const Functions xrt;
    NEED(xrt.device_open(0) == nullptr && errno == ENODEV);
    return 0;
  });
}

TEST_CASE("an xclbin is loaded once, and its kernel opened by name and unit") {
  REQUIRE_PASSES("", [] {
    Card card;
    NEED(card.xclbin_uuid(card.device, card.uuid.data()) != 0);
    NEED(card.load("/dev/null") != 0 && errno == EINVAL);
    NEED(card.load() == 0 && card.load() == 0);
    NEED(card.open("nope") == nullptr && errno == ENOENT);
    NEED(card.open("woa_wact:{woa_wact_2}") == nullptr && errno == ENOENT);
    KernelHandle first = card.open(), second = card.open("woa_wact:{woa_wact_1}");
    NEED(first != nullptr && second != nullptr);
    NEED(card.kernel_offset(first, wact::kArgumentCommand) == wact::kArgumentAtCommand);
    NEED(card.kernel_offset(first, wact::kArgumentResultBytes) == wact::kArgumentAtResultBytes);
    NEED(card.kernel_offset(first, wact::kArgumentResultBytes + 1) == ~0u);
    NEED(card.kernel_group(first, 0) == 0 && card.kernel_group(first, 3) == 0);
    NEED(card.kernel_group(first, wact::kArgumentInputBytes) < 0 && card.kernel_group(first, -1) < 0);  // no memory
    NEED(card.kernel_close(first) == 0 && card.kernel_close(second) == 0);
    NEED(card.load(DOUBLES "xrt/two.xclbin") == 0);
    second = card.open("woa_wact:{woa_wact_2}");
    NEED(second != nullptr && card.kernel_group(second, 0) == 1);
    NEED(card.kernel_close(second) == 0 && card.device_close(card.device) == 0);
    return 0;
  });
}

TEST_CASE("one may have a unit for oneself") {
  REQUIRE_PASSES("", [] {
    Card card;
    NEED(card.load() == 0);
    KernelHandle shared = card.open();
    NEED(card.kernel_open_exclusive(card.device, card.uuid.data(), "woa_wact") == nullptr && errno == EBUSY);
    NEED(card.kernel_close(shared) == 0);
    KernelHandle exclusive = card.kernel_open_exclusive(card.device, card.uuid.data(), "woa_wact");
    NEED(exclusive != nullptr && card.open() == nullptr && errno == EBUSY);
    NEED(card.kernel_close(exclusive) == 0);
    NEED((shared = card.open()) != nullptr && card.kernel_close(shared) == 0);
    return card.device_close(card.device);
  });
}

TEST_CASE("two processes share a card that the options name, and a killed one gives it back") {
  char path[] = "/tmp/woa_xrt_card_XXXXXX";
  const int file = mkstemp(path);
  REQUIRE(file >= 0);
  ::close(file);
  REQUIRE_PASSES(std::string("card=") + path, [] {
    int ready[2];
    NEED(pipe(ready) == 0);
    test::Child other([&] {
      Card card;
      NEED(card.load() == 0);
      NEED(card.kernel_open_exclusive(card.device, card.uuid.data(), "woa_wact") != nullptr);
      NEED(write(ready[1], "x", 1) == 1);
      pause();
      return 0;
    });
    char byte = 0;
    NEED(read(ready[0], &byte, 1) == 1);
    Card card;
    NEED(card.load() == 0 && card.open() == nullptr && errno == EBUSY);
    other.kill();
    other.wait();
    KernelHandle kernel = card.open();
    NEED(kernel != nullptr && card.kernel_close(kernel) == 0);
    return card.device_close(card.device);
  });
  ::unlink(path);
  ::unlink((std::string(path) + "0").c_str());
}

TEST_CASE("the n-th call fails, and nothing else") {
  REQUIRE_PASSES("fail=no_card@2", [] {
    Card card;
    NEED(card.device_open(0) == nullptr && errno == ENODEV);
    return card.device_close(card.device);
  });
  REQUIRE_PASSES("fail=load@1,fail=wrong_shell@1,fail=kernel@1,fail=busy@1,fail=group@1", [] {
    Card card;
    NEED(card.load() != 0 && errno == EIO);
    NEED(card.load() != 0 && errno == EINVAL);
    NEED(card.load() == 0);
    NEED(card.open() == nullptr && errno == EIO);
    NEED(card.open() == nullptr && errno == EBUSY);
    KernelHandle kernel = card.open();
    NEED(kernel != nullptr && card.kernel_group(kernel, 0) < 0 && card.kernel_group(kernel, 0) == 0);
    return card.kernel_close(kernel) + card.device_close(card.device);
  });
}

TEST_CASE("a caller may silence the library") {
  const auto fail = [](bool silent) {
    return run_with("", [silent] {
      Card card;
      if (silent) NEED(card.set_string("Runtime.runtime_log", "null") == 0);
      NEED(card.set_number("Runtime.verbosity", 4) == 0);
      NEED(card.load("/no/such/file") != 0);
      return card.device_close(card.device);
    });
  };
  REQUIRE(fail(true).log.empty());
  REQUIRE(fail(false).log.find("[woa_xrt_double] ERROR: xrtDeviceLoadXclbinFile: ") == 0);
}

TEST_CASE("a wrong word is named") {
  using xrt_double::parse_options;
  for (const char* const word :
       {"seed", "seed=x", "ignore=nothing", "fail=load", "fail=nothing@1", "rules=none", "x=1"}) {
    const auto parsed = parse_options("seed=2," + std::string(word));
    INFO(word);
    REQUIRE(!parsed.ok());
    REQUIRE(parsed.status().message() ==
            "WOA_XRT_DOUBLE: unknown word \"" + std::string(word) + "\"; tests/doubles/xrt/README.md lists the words");
  }
  const auto parsed =
      parse_options("seed=7,memory=1M,delay_us=50,transfer_us=20,no_user_pointer,fail=lost@3,ignore=bank");
  REQUIRE(parsed.ok());
  REQUIRE((parsed->seed == 7 && parsed->memory_bytes == 1 << 20 && parsed->delay.count() == 50));
  REQUIRE((parsed->transfer.count() == 20 && parsed->no_user_pointer && parsed->ignore.bank));
  REQUIRE(parsed->fail[static_cast<std::size_t>(xrt_double::Failure::lost)] == 3);
  REQUIRE(run_with("wrong", [] { return Functions().device_open(0) == nullptr ? 0 : 1; }).aborted());
}

}  // namespace woa::xrt
