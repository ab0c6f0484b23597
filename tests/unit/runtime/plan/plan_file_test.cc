#include "runtime/plan/plan_file.h"

#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "tests/support/catch.h"
#include "tests/unit/runtime/plan/sample_plan.h"

namespace woa {
namespace {

namespace fs = std::filesystem;

std::span<const std::byte> view(const std::string& bytes) { return std::as_bytes(std::span(bytes)); }

// A folder of its own for a test, gone afterwards.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "woa-plan-XXXXXX").string();
    path_ = fs::canonical(::mkdtemp(name.data()));
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

TEST_CASE("a plan survives writing and reading, and the same plan gives the same bytes") {
  const Plan plan = test::sample_plan();
  const std::string bytes = serialize(plan);
  CHECK(bytes == serialize(test::sample_plan()));
  const Result<Plan> read = parse_plan(view(bytes));
  INFO(read.status().message());
  REQUIRE(read.ok());
  CHECK(*read == plan);
}

TEST_CASE("a plan cut anywhere is refused") {
  const std::string bytes = serialize(test::sample_plan());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    INFO("length " << length);
    CHECK(parse_plan(view(bytes.substr(0, length))).status().code() == Code::kInvalid);
  }
  CHECK(parse_plan(view(bytes + "x")).status().code() == Code::kInvalid);
}

TEST_CASE("every single flipped bit is noticed") {
  const std::string bytes = serialize(test::sample_plan());
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    INFO("bit " << bit);
    CHECK_FALSE(parse_plan(view(damaged)).ok());
  }
}

TEST_CASE(
    "a plan of another format, older or newer, is refused with both versions and the command that makes it anew") {
  for (const std::uint32_t version : {kPlanVersion - 1, kPlanVersion + 6}) {
    std::string bytes = serialize(test::sample_plan());
    bytes[8] = static_cast<char>(version);
    const Status status = parse_plan(view(bytes)).status();
    CHECK(status.code() == Code::kUnsupported);
    CHECK(status.message() == "plan: written in version " + std::to_string(version) +
                                  " of the format, this runtime reads version " + std::to_string(kPlanVersion) +
                                  " only; make it anew with this runtime: woa compile GRAPH -o PLAN");
  }
}

TEST_CASE("values of parameters have one spelling") {
  for (const char* text : {"7", "+7", "007", "7.0", "70e-1"}) CHECK(normal_value(ParamType::kInt, text) == "7");
  for (const char* text : {"-7", "-007"}) CHECK(normal_value(ParamType::kInt, text) == "-7");
  CHECK(normal_value(ParamType::kInt, "-0") == "0");
  for (const char* text : {"0.5", "+.50", "5e-1"}) CHECK(normal_value(ParamType::kFloat, text) == "0.5");
  CHECK(normal_value(ParamType::kFloat, "2.0") == "2");
  CHECK(normal_value(ParamType::kBool, "TRUE") == "true");
  for (const ParamType type : {ParamType::kString, ParamType::kFile}) CHECK(normal_value(type, "+7") == "+7");
  for (const char* text : {"", "seven", "7.5", "0x7", "9223372036854775808"})
    CHECK_FALSE(normal_value(ParamType::kInt, text));
  for (const char* text : {"", "inf", "nan", "1e999"}) CHECK_FALSE(normal_value(ParamType::kFloat, text));
  for (const char* text : {"", "yes", "1"}) CHECK_FALSE(normal_value(ParamType::kBool, text));
}

TEST_CASE("proofs come back as they were written, to whoever asks for them") {
  for (const std::string& written : {std::string(), std::string("\0any bytes\xff", 12)}) {
    const std::string bytes = serialize(test::sample_plan(), written);
    std::string proofs = "of another plan";
    const Result<Plan> plan = parse_plan(view(bytes), &proofs);
    REQUIRE(plan.ok());
    CHECK(*plan == test::sample_plan());
    CHECK(proofs == written);
    CHECK(*parse_plan(view(bytes)) == test::sample_plan());
  }
}

TEST_CASE("a sound file with a bad plan is refused for the rule that it breaks") {
  Plan plan = test::sample_plan();
  plan.window = 0;
  const Status status = parse_plan(view(serialize(plan))).status();
  CHECK(status.code() == Code::kInvalid);
  CHECK(status.message().find("window") != std::string::npos);

  plan = test::sample_plan();
  plan.stages[2].role = static_cast<StageRole>(17);
  CHECK(parse_plan(view(serialize(plan))).status().message().find("unknown role 17") != std::string::npos);
  plan = test::sample_plan();
  plan.stages[2].stateful = static_cast<Stateful>(3);
  CHECK(parse_plan(view(serialize(plan))).status().message().find("unknown 'stateful' 3") != std::string::npos);
  plan = test::sample_plan();
  plan.controllers[1].kind = static_cast<ControllerKind>(4);
  CHECK(parse_plan(view(serialize(plan))).status().message().find("unknown kind 4") != std::string::npos);
  plan = test::sample_plan();
  plan.controllers[1].traits.memory = static_cast<MemoryKind>(5);
  CHECK(parse_plan(view(serialize(plan))).status().message().find("unknown memory 5") != std::string::npos);
  plan = test::sample_plan();
  plan.stages[2].headers = static_cast<HeaderWriter>(2);
  CHECK(parse_plan(view(serialize(plan))).status().message().find("unknown 'headers' 2") != std::string::npos);
  plan = test::sample_plan();
  plan.stages[2].publishes = static_cast<Publisher>(3);
  CHECK(parse_plan(view(serialize(plan))).status().message().find("unknown 'publishes' 3") != std::string::npos);
}

TEST_CASE("plans are told from graphs") {
  const std::string graph = "woa: 1\ngraph: g\n";
  CHECK_FALSE(looks_like_plan(view(graph)));
  CHECK_FALSE(looks_like_plan({}));
  CHECK(looks_like_plan(view(serialize(test::sample_plan()))));
  CHECK(parse_plan(view(graph)).status().message().find("not a plan file") != std::string::npos);
}

TEST_CASE("paths are stored relative to the plan file and read back absolute") {
  const Folder folder;
  fs::create_directories(folder.path() / "here/plans");
  fs::create_directories(folder.path() / "there");
  Plan plan = test::sample_plan();
  plan.stages[2].kernel_file = (folder.path() / "here/kernels/k/kernel.yaml").string();
  plan.stages[2].params[1].value = (folder.path() / "here/plans/table").string();
  REQUIRE(write_plan(plan, folder.path() / "here/plans/a.plan").ok());
  const Result<Plan> same = read_plan(folder.path() / "here/plans/a.plan");
  REQUIRE(same.ok());
  CHECK(*same == plan);

  fs::rename(folder.path() / "here", folder.path() / "there/here");
  const Result<Plan> moved = read_plan(folder.path() / "there/here/plans/a.plan");
  REQUIRE(moved.ok());
  CHECK(moved->stages[2].kernel_file == (folder.path() / "there/here/kernels/k/kernel.yaml").string());
  CHECK(moved->stages[2].params[1].value == (folder.path() / "there/here/plans/table").string());
  CHECK(moved->stages[2].params[0].value == "3");
}

TEST_CASE("files that cannot be read or written name the path and the reason") {
  const Folder folder;
  const Status missing = read_plan(folder.path() / "none.plan").status();
  CHECK(missing.code() == Code::kNotFound);
  CHECK(missing.message().find("none.plan") != std::string::npos);
  CHECK(read_plan(folder.path()).status().code() == Code::kUnavailable);
  const Status unwritable = write_plan(test::sample_plan(), folder.path() / "no/such/folder.plan");
  CHECK(unwritable.code() == Code::kNotFound);
  CHECK(unwritable.message().find("folder.plan") != std::string::npos);
  std::filesystem::create_directory(folder.path() / "folder");
  CHECK(write_plan(test::sample_plan(), folder.path() / "folder").code() == Code::kUnavailable);

  std::ofstream(folder.path() / "bad.plan") << "WOAPLAN\n";
  const Status bad = read_plan(folder.path() / "bad.plan").status();
  CHECK(bad.code() == Code::kInvalid);
  CHECK(bad.message().find("bad.plan") != std::string::npos);
}

}  // namespace
}  // namespace woa
