#include "runtime/controller/kernel_library.h"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <utility>

#include "tests/support/catch.h"
#include "tests/support/says.h"

namespace woa {
namespace {

namespace fs = std::filesystem;
using test::says;

const std::array<fs::path, 2> kFolders{fs::path("/nowhere"), fs::path(WOA_TEST_KERNELS)};

StagePlan stage_with(const std::string& kernel) {
  StagePlan stage;
  stage.name = "work";
  stage.kernel = kernel;
  stage.library = "lib" + kernel + ".so";
  return stage;
}

ParamPlan param(const std::string& name, const std::string& value) {
  return {.name = name, .value = value, .secret_env = ""};
}

Status load_fails(const StagePlan& stage, Code code) {
  const Status status = KernelLibrary::load(stage, kFolders).status();
  INFO(status.message());
  CHECK(status.code() == code);
  CHECK(says(status, "stage 'work'"));
  CHECK(says(status, "kernel '" + stage.kernel + "'"));
  return status;
}

TEST_CASE("a kernel is made once and destroyed once") {
  int alive = 0;
  StagePlan stage = stage_with("echo");
  stage.params = {param("counter", std::to_string(reinterpret_cast<std::uintptr_t>(&alive)))};
  {
    Result<KernelLibrary> loaded = KernelLibrary::load(stage, kFolders);
    INFO(loaded.status().message());
    REQUIRE(loaded.ok());
    const KernelLibrary moved = std::move(loaded).value();
    CHECK(alive == 1);
    CHECK(moved.kernel() != nullptr);
    CHECK(moved.self() == &alive);
    CHECK(moved.folder() == kFolders[1] / "echo");
  }
  CHECK(alive == 0);
}

TEST_CASE("a kernel can be named by its file") {
  StagePlan stage = stage_with("echo");
  stage.kernel_file = (kFolders[1] / "echo/kernel.yaml").string();
  CHECK(KernelLibrary::load(stage, {}).ok());
  stage.kernel_file = (kFolders[1] / "missing/kernel.yaml").string();
  CHECK(says(load_fails(stage, Code::kNotFound), stage.kernel_file));
}

TEST_CASE("a kernel of the program comes by its number, with the program's pointer; an unknown number is refused") {
  int user = 0;
  const woa_kernel functions{};
  StagePlan stage = stage_with("echo");
  stage.program_kernel = 2;
  const std::array<ProgramKernel, 2> kernels{ProgramKernel{}, ProgramKernel{&functions, &user}};
  const Result<KernelLibrary> loaded = KernelLibrary::load(stage, {}, nullptr, kernels);
  REQUIRE(loaded.ok());
  CHECK(loaded->kernel() == &functions);
  CHECK(loaded->self() == &user);
  CHECK(loaded->folder().empty());
  CHECK(says(load_fails(stage, Code::kNotFound), "RunOptions::program_kernels"));
}

TEST_CASE("what create() says is passed on") {
  StagePlan stage = stage_with("echo");
  stage.params = {param("message", "apples")};
  CHECK(says(load_fails(stage, Code::kUnauthentic), "no such thing as apples"));
}

TEST_CASE("a secret is taken from the environment and never told") {
  StagePlan stage = stage_with("echo");
  stage.params = {param("message", "")};
  stage.params[0].secret_env = "WOA_TEST_SECRET";
  for (const std::string secret : {"swordfish", "a", "*", "**"}) {
    ::setenv("WOA_TEST_SECRET", secret.c_str(), 1);
    const Status status = KernelLibrary::load(stage, kFolders).status();
    INFO(status.message());
    CHECK(status.code() == Code::kUnauthentic);
    if (secret == "swordfish") {
      CHECK(says(status, "no such thing as ***, really not ***"));
      CHECK_FALSE(says(status, secret));
    }
  }
  ::unsetenv("WOA_TEST_SECRET");
}

TEST_CASE("a secret that is not set is not given, and named if the kernel cannot do without") {
  ::unsetenv("WOA_TEST_SECRET");
  StagePlan stage = stage_with("echo");
  stage.params = {param("message", "")};
  stage.params[0].secret_env = "WOA_TEST_SECRET";
  CHECK(KernelLibrary::load(stage, kFolders).ok());
  stage.params.push_back(param("message", "apples"));
  const Status status = load_fails(stage, Code::kUnauthentic);
  CHECK(says(status, "no such thing as apples"));
  CHECK(says(status, "WOA_TEST_SECRET"));
}

TEST_CASE("kernels that cannot be loaded say why") {
  CHECK(says(load_fails(stage_with("unknown"), Code::kNotFound), "/nowhere"));
  CHECK(says(load_fails(stage_with("absent"), Code::kUnavailable), "libsomething was not found"));
  CHECK(says(load_fails(stage_with("nothing"), Code::kNotFound), "libnothing.so"));
  CHECK(says(load_fails(stage_with("old"), Code::kUnsupported), "interface " + std::to_string(WOA_KERNEL_ABI + 1)));
  CHECK(says(load_fails(stage_with("newer"), Code::kUnsupported), "libnewer.so: its table of 64 bytes sets a field"));
  CHECK(says(load_fails(stage_with("silent"), Code::kUnsupported), WOA_KERNEL_ENTRY));
}

TEST_CASE("WOA_KERNEL_TABLE makes a library's table, in C and in C++") {
  for (const char* const name : {"strict_c", "strict_cxx"}) {
    const Result<KernelLibrary> loaded = KernelLibrary::load(stage_with(name), kFolders);
    INFO(loaded.status().message());
    REQUIRE(loaded.ok());
    const woa_kernel& table = *loaded->kernel();
    CHECK(table.table_bytes == sizeof table);
    CHECK(table.run != nullptr);
    CHECK(table.state_bytes == sizeof(std::uint32_t));
    CHECK(table.create == nullptr);
    CHECK(table.retire == nullptr);
  }
}

TEST_CASE("a table of an older header lacks later fields; one of a newer header may set no field that is not known") {
  struct Longer {
    woa_kernel known{};
    std::uint64_t later = 0;
  };
  constexpr std::uint32_t kNow = sizeof(woa_kernel);
  Longer given;
  given.known.abi = WOA_KERNEL_ABI;
  given.known.state_bytes = 8;
  given.later = 7;
  const auto later = [&given](std::uint32_t table_bytes) {  // as a runtime reads it that knows the field
    given.known.table_bytes = table_bytes;
    Longer known;
    CHECK(read_kernel_table(given.known, std::as_writable_bytes(std::span(&known, 1))).ok());
    CHECK(known.known.state_bytes == 8);
    return known.later;
  };
  CHECK(later(0) == 0);
  CHECK(later(kNow) == 0);
  CHECK(later(sizeof given) == 7);
  const Status refused = read_kernel_table(given.known).status();
  CHECK(refused.code() == Code::kUnsupported);
  CHECK(says(refused, "its table of " + std::to_string(sizeof given) + " bytes sets a field behind the " +
                          std::to_string(kNow) + " bytes that this version knows; run it with a newer version"));
  given.later = 0;
  CHECK(read_kernel_table(given.known).ok());
  for (const std::uint32_t table_bytes : {1U, kNow - 1, 4097U, ~0U}) {
    given.known.table_bytes = table_bytes;
    CHECK(says(read_kernel_table(given.known).status(),
               std::to_string(table_bytes) + " bytes, expected " + std::to_string(kNow) + " to 4096; set table_bytes"));
  }
}

TEST_CASE("a kernel that declares something else than the plan was made with is refused before its library is opened") {
  StagePlan stage = stage_with("nothing");  // whose library is not there
  stage.library = "kernel.yaml";            // which is no library
  stage.variant.kind = "cpu";
  stage.declaration = "planned";
  stage.inputs = {{.name = "left", .type = {"bytes", {}, 64}}, {.name = "right", .type = {"bytes", {}, 64}}};
  stage.outputs = {{.name = "sum", .type = {"f64", {}, 8}}};
  fs::path asked;
  KernelDeclaration here{"changed", "right: bytes, left: bytes -> sum: f64"};
  const ReadDeclaration read = [&](const fs::path& file, const std::string& variant) -> Result<KernelDeclaration> {
    CHECK(variant == "cpu");
    asked = file;
    return here;
  };
  Status status = KernelLibrary::load(stage, kFolders, read).status();
  CHECK(status.code() == Code::kUnsupported);
  CHECK(asked == kFolders[1] / "nothing/kernel.yaml");
  for (const char* part : {"stage 'work', kernel 'nothing'", "nothing/kernel.yaml (declaration changed)",
                           "made with (declaration planned)", "declares `right: bytes, left: bytes -> sum: f64`",
                           "plan has `left: bytes, right: bytes -> sum: f64`", "woa compile GRAPH -o PLAN"})
    CHECK(says(status, part));
  here.interface = "left: bytes, right: bytes -> sum: f64";
  CHECK(says(KernelLibrary::load(stage, kFolders, read).status(), "but other types, bounds, state or variants"));
  CHECK(says(KernelLibrary::load(stage, kFolders).status(), "RunOptions::read_declaration"));
  here.digest = "planned";
  CHECK(says(KernelLibrary::load(stage, kFolders, read).status(), "cannot load its library"));
}

TEST_CASE("a stage may need no library") {
  StagePlan stage = stage_with("nothing");
  stage.library.clear();
  const Result<KernelLibrary> loaded = KernelLibrary::load(stage, kFolders);
  REQUIRE(loaded.ok());
  CHECK(loaded->kernel() == nullptr);
  CHECK(loaded->folder() == kFolders[1] / "nothing");
}

}  // namespace
}  // namespace woa
