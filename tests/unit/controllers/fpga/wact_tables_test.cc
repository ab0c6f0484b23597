// The node's tables word for word, and every plan that they refuse.
#include "controllers/fpga/wact_tables.h"

#include "controllers/fpga/generated/wact_interface.h"
#include "tests/support/catch.h"
#include "tests/unit/controllers/fpga/fpga_fixture.h"

namespace woa::test {
namespace {

using Words = std::vector<std::uint32_t>;

const NodeLimits kLimits{64, 256, 64, {"copy", "invert", "", "sharpen3x3"}};

Words entry(std::span<const std::uint32_t> words, std::size_t number) {
  const auto part = words.subspan(number * wact::kEntryWords, wact::kEntryWords);
  return {part.begin(), part.end()};
}

ParamPlan param(std::string name, std::string value, ParamType type = ParamType::kInt) {
  return {std::move(name), std::move(value), type, {}, -1};
}

WactTables tables_of(const FpgaPlan& plan, const NodeLimits& limits = kLimits) {
  auto tables = WactTables::make(plan.plan, plan.loaded, limits);
  INFO(tables.status().message());
  REQUIRE(tables.ok());
  return std::move(*tables);
}

TEST_CASE("a stage's entry holds its core, shapes, bounds and parameters") {
  FpgaPlan plan;
  const std::uint32_t one = plan.add_stage("copy", port_type("bytes", {}, 100), port_type("bytes", {}, 0));
  const std::uint32_t two = plan.add_stage("sharpen3x3", port_type("f32", {0, 5, 0}, 1 << 20, 77),
                                           port_type("f32", {3, 0}, std::uint64_t{1} << 40));
  plan.plan.stages[two].params = {param("low", "-2"), param("text", "x", ParamType::kString), param("mode", "late")};
  plan.plan.stages[two].params[2].choice = 3;
  plan.add_edge(one, kSinkStage);
  plan.add_edge(two, kSinkStage);
  plan.add_edge(two, 2, 1);
  const WactTables tables = tables_of(plan);
  REQUIRE(tables.stage_words().size() == 32);
  REQUIRE(entry(tables.stage_words(), 0) ==
          Words{one, 1u << 18 | 1u << 19, 1u << 16, 0, ~0u, 1, 1, 1, ~0u, 1, 1, 1, 100, 0, 0, 0});
  REQUIRE(entry(tables.stage_words(), 1) == Words{two, 3u | 0b101u << 8 | 0b10u << 12 | 2u << 16, 1u | 2u << 16,
                                                  0x7fffffff, 77, 5, 77, 1, 3, ~0u, 1, 1, 1 << 20, 0, ~0u - 1, 3});
}

TEST_CASE("a route's entry holds destination, channel and the change of the tag") {
  FpgaPlan plan;
  const std::uint32_t first = plan.add_stage("copy", port_type("bytes"));
  const std::uint32_t second = plan.add_stage("invert", port_type("bytes"));
  const std::uint32_t to_cpu = plan.add_edge(first, 2, 3, 0xffffffff0000fffeull, 0x0000000100020003ull);
  const std::uint32_t own = plan.add_edge(second, first, 0);
  const std::uint32_t to_sink = plan.add_edge(first, kSinkStage, 1);
  const std::uint32_t by_lane = plan.add_edge(first, 2, 4);
  const std::uint32_t again = plan.add_edge(second, 2, 5);
  const std::uint32_t number = plan.add_edge(first, 2, 6);
  plan.plan.edges[by_lane].lane = "bulk";
  plan.plan.edges[number].count = true;  // the host's alone
  const WactTables tables = tables_of(plan);
  const Words wanted[] = {{2, 3, 0, 0x0000fffe, 0xffffffff, 0x00020003, 1},
                          {kSinkStage, 1, 1, ~0u, ~0u, 0, 0},
                          {2, 4, 2, ~0u, ~0u, 0, 0},
                          {first, 0, 3, ~0u, ~0u, 0, 0},
                          {2, 5, 0, ~0u, ~0u, 0, 0}};
  REQUIRE(tables.route_words().size() == std::size(wanted) * wact::kEntryWords);
  for (std::size_t r = 0; r < std::size(wanted); ++r) {
    Words words = wanted[r];
    words.resize(wact::kEntryWords);
    REQUIRE(entry(tables.route_words(), r) == words);
  }
  REQUIRE(tables.find(first)->edges == Words{to_cpu, to_sink, by_lane});
  REQUIRE(tables.find(first)->first == 0);
  REQUIRE(tables.find(second)->edges == Words{own, again});
  REQUIRE(tables.find(second)->first == 3);
  REQUIRE(tables.find(second)->entries == Words{1});
  REQUIRE(tables.find(2) == nullptr);
}

TEST_CASE("a node's registers tell its limits") {
  const auto word = [](const char* text) {
    std::uint32_t value = 0;
    for (const char* c = text; *c != '\0'; ++c) value = value << 8 | static_cast<std::uint8_t>(*c);
    return value;
  };
  const Words names{word("copy"), 0, 0, 0, word("h_3x"), word("twel"), word("x"), 0, 0, 0, 0, 0};
  const std::uint32_t limits = 64u << 24 | 16u << 16 | 40u << 8 | 3u;
  REQUIRE(core_name_words(limits) == 12);
  const NodeLimits node = node_limits(limits, names, 4u << 24 | 2u << 16 | 256);
  REQUIRE(node.channels == 64);
  REQUIRE(node.routes == 256);
  REQUIRE(node.stages == 40);
  REQUIRE(node.places == 4);
  REQUIRE(node.cores == std::vector<std::string>{"copy", "xtwelh_3x", ""});
}

TEST_CASE("stages of a chain name the next entry, and the last one's routes are the chain's") {
  FpgaPlan plan;
  const std::uint32_t last = plan.add_stage("sharpen3x3", port_type("u8", {0, 0, 3}));
  const std::uint32_t alone = plan.add_stage("copy", port_type("bytes"));
  const std::uint32_t first = plan.add_stage("copy", port_type("bytes"), port_type("u8", {2, 0, 3}));
  const std::uint32_t middle = plan.add_stage("invert", port_type("u8", {0, 0, 3}));
  plan.add_edge(last, kSinkStage);
  plan.join(middle, last);
  plan.add_edge(alone, first);
  plan.join(first, middle);
  plan.add_edge(last, 2, 1);
  const WactTables tables = tables_of(plan);
  const auto word = [&](std::size_t at, std::size_t number) { return entry(tables.stage_words(), at)[number]; };
  REQUIRE(word(0, wact::kStageNext) == 0);
  REQUIRE(word(1, wact::kStageNext) == 0);
  REQUIRE(word(2, wact::kStageNext) == 3 + 1);
  REQUIRE(word(3, wact::kStageNext) == 0 + 1);
  REQUIRE(word(0, wact::kStageRoutes) == (0 | 2u << 16));
  REQUIRE(word(1, wact::kStageRoutes) == (2 | 1u << 16));
  REQUIRE(word(2, wact::kStageRoutes) >> 16 == 0);
  REQUIRE(word(3, wact::kStageRoutes) >> 16 == 0);
  REQUIRE(tables.route_words().size() == 3 * wact::kEntryWords);
  const StageRoutes* const chain = tables.find(first);
  REQUIRE(chain != nullptr);
  REQUIRE(chain->chain == Words{first, middle, last});
  REQUIRE(chain->entries == Words{2, 3, 0});
  REQUIRE(chain->first == 0);
  REQUIRE(chain->edges == Words{0, 4});
  REQUIRE(chain->in.size() == 1);
  REQUIRE(chain->in[0].prefix_bytes() == 0);
  REQUIRE(chain->out.prefix_bytes() == 64);
  REQUIRE(tables.find(alone)->chain == Words{alone});
  REQUIRE(tables.find(middle) == nullptr);  // the host does not fire it
  REQUIRE(tables.find(last) == nullptr);
  REQUIRE(tables.all().size() == 2);
}

// Makes tables of a plan with one stage, which `change` damages.
std::string refusal(auto&& change, const NodeLimits& limits = kLimits) {
  FpgaPlan plan;
  const std::uint32_t stage = plan.add_stage("copy", port_type("bytes"));
  plan.add_edge(stage, kSinkStage);
  change(plan.plan.stages[stage], plan);
  const auto tables = WactTables::make(plan.plan, plan.loaded, limits);
  REQUIRE(!tables.ok());
  REQUIRE(tables.status().code() == Code::kUnsupported);
  return tables.status().message();
}

constexpr const char* kPlace = "stage 'copy3' (kernel 'copy')";

TEST_CASE("a stage that the node cannot run is refused by name, with what to do") {
  const std::string at = kPlace;
  const auto of_ports = [](StagePlan& stage, FpgaPlan&) { stage.outputs.push_back(stage.outputs[0]); };
  REQUIRE(refusal([](StagePlan& stage, FpgaPlan&) { stage.role = StageRole::kRelay; }) ==
          at + ": an FPGA node runs kernels only; place it on another controller");
  REQUIRE(refusal([](StagePlan& stage, FpgaPlan&) { stage.variant.kind = "cpu"; }) ==
          at + " has no rtl variant; place it on another controller");
  REQUIRE(refusal([](StagePlan& stage, FpgaPlan&) { stage.stateful = Stateful::kRun; }) ==
          at + " keeps state, which an rtl kernel cannot; place it on another controller");
  REQUIRE(refusal(of_ports) == at + " has other than one or two inputs and one output, which an rtl kernel cannot; "
                                    "place it on another controller");
  REQUIRE(refusal([](StagePlan& stage, FpgaPlan&) { stage.outputs[0].one_of = 0; }) ==
          at + " chooses between outputs, which an rtl kernel cannot; place it on another controller");
  REQUIRE(refusal([](StagePlan& stage, FpgaPlan&) { stage.outputs[0].many = 4; }) ==
          at + " has `optional`, `many` or `gather` ports, which an rtl kernel cannot; place it on another controller");
  REQUIRE(refusal([](StagePlan& stage, FpgaPlan&) { stage.inputs[0].hold = true; }) ==
          at + ": the input of an rtl kernel is not held");
  REQUIRE(refusal([](StagePlan& stage, FpgaPlan&) {
            stage.inputs[0].type = port_type("u8", {1, 2, 3, 4, 5});
          }) == at + ": type u8[1,2,3,4,5] does not fit the node's stage table");
  REQUIRE(refusal([](StagePlan& stage, FpgaPlan&) { stage.outputs[0].type = port_type("odd", {1}); }) ==
          at + ": type odd[1] does not fit the node's stage table");
  REQUIRE(refusal([](StagePlan& stage, FpgaPlan&) { stage.variant.core = ""; }) ==
          at + ": core '' is not in this node; it has copy, invert, sharpen3x3");
}

const NodeLimits kMatching{4, 16, 8, {"copy", "join2"}, 4};

TEST_CASE("a stage of two inputs has a second line, behind those of all stages") {
  FpgaPlan plan;
  const std::uint32_t joins =
      plan.add_pair_stage("join2", port_type("bytes", {}, 100), port_type("u16", {3, 5}, 30), port_type("bytes"));
  const std::uint32_t copies = plan.add_stage("copy", port_type("bytes"));
  plan.join(joins, copies);
  plan.add_edge(copies, kSinkStage);
  const WactTables tables = tables_of(plan, kMatching);
  REQUIRE(tables.stage_words().size() == 3 * wact::kEntryWords);
  REQUIRE(entry(tables.stage_words(), 0) == Words{joins, 1u | 1u << 18 | 1u << 19 | 1u << 20 | 2u << 24, 0, 1 << 20,
                                                  ~0u, 1, 1, 1, ~0u, 1, 1, 1, 100, 2, 0, 0});
  REQUIRE(entry(tables.stage_words(), 2) == Words{joins | 1u << 31, 1u | 1u << 16 | 1u << 19 | 1u << 20 | 2u << 24, 0,
                                                  1 << 20, 3, 5, 1, 1, ~0u, 1, 1, 1, 30, 2, 0, 0});
  REQUIRE(tables.find(joins)->in.size() == 2);
  REQUIRE(tables.find(joins)->entries == Words{0, 1});
}

TEST_CASE("a stage of two inputs that the node cannot run is refused") {
  const auto second = [](const PortType& type) {
    return [type](StagePlan& stage, FpgaPlan&) { stage.inputs.push_back({"second", type, false, 0}); };
  };
  const std::string at = kPlace;
  REQUIRE(refusal(second(port_type("bytes"))) == at + " has two inputs, and this node was built without a match table, "
                                                      "which keeps the packet that comes first; place it on another "
                                                      "controller");
  REQUIRE(refusal(second(port_type("u8", {0, 3})), kMatching) ==
          at + ": the second input of an rtl kernel has no variable dimensions, and 'second' is u8[d,3]; swap the "
               "inputs, or place the stage on another controller");
  REQUIRE(refusal(second(port_type("bytes")), {1, 16, 8, kLimits.cores, 4}) ==
          at + ": the node's table holds 1 stages, and those of two inputs count twice; use another fpga controller "
               "for some of the stages");
  REQUIRE(
      refusal(
          [](StagePlan&, FpgaPlan& plan) {
            const auto joins = plan.add_pair_stage("join2", port_type("bytes"), port_type("bytes"), port_type("bytes"));
            plan.join(3, joins);
          },
          kMatching) == "stage 'join24' (kernel 'join2') has two inputs, so no stage can stand before it in a chain");
}

TEST_CASE("parameters beyond the table's words are refused") {
  const std::string end =
      ", and an rtl kernel takes two of 32 bits, ints or choices; give a smaller value, or place the stage on another "
      "controller";
  REQUIRE(refusal([](StagePlan& stage, FpgaPlan&) { stage.params = {param("big", "2147483648")}; }) ==
          kPlace + (": parameter 'big' is 2147483648" + end));
  REQUIRE(refusal([](StagePlan& stage, FpgaPlan&) {
            stage.params = {param("a", "1"), param("b", "2"), param("c", "3")};
          }) == kPlace + (": parameter 'c' is 3" + end));
  FpgaPlan plan;
  const std::uint32_t stage = plan.add_stage("copy", port_type("bytes"));
  plan.plan.stages[stage].params = {param("key", "9"), param("a", "2147483647"), param("b", "-2147483648")};
  plan.plan.stages[stage].params[0].secret_env = "KEY";  // the host's alone
  const Words words = entry(tables_of(plan).stage_words(), 0);
  REQUIRE(words[wact::kStageParams] == 0x7fffffff);
  REQUIRE(words[wact::kStageParams + 1] == 0x80000000);
}

TEST_CASE("a chain that comes back to a core or is too long is refused") {
  REQUIRE(refusal([](StagePlan&, FpgaPlan& plan) {
            plan.join(3, plan.add_stage("invert", port_type("bytes")));
            plan.join(4, plan.add_stage("copy", port_type("bytes")));
            plan.add_edge(5, kSinkStage);
          }) ==
          "stage 'copy5' (kernel 'copy'): core 'copy' stands twice in the chain that begins with stage 'copy3'; "
          "place one of them on another controller");
  NodeLimits wide = kLimits;
  for (int core = 0; core < 8; ++core) wide.cores.push_back("core" + std::to_string(core));
  const auto of_length = [](std::uint32_t length) {
    return [length](StagePlan&, FpgaPlan& plan) {
      for (std::uint32_t link = 1; link < length; ++link)
        plan.join(2 + link, plan.add_stage("core" + std::to_string(link - 1), port_type("bytes")));
    };
  };
  REQUIRE(refusal(of_length(9), wide) ==
          "stage 'core711' (kernel 'core7'): the chain that begins with stage 'copy3' "
          "has more than 8 stages; place some of them on another controller");
  FpgaPlan plan;
  of_length(8)(plan.plan.stages[plan.add_stage("copy", port_type("bytes"))], plan);
  REQUIRE(tables_of(plan, wide).find(3)->chain.size() == 8);
}

TEST_CASE("stages that share a place of the node's index are refused") {
  FpgaPlan plan;
  plan.plan.stages.reserve(2048);
  plan.add_edge(plan.add_stage("copy", port_type("bytes")), kSinkStage);
  plan.plan.stages.resize(3 + wact::kIndexEntries);
  plan.add_edge(plan.add_stage("invert", port_type("bytes")), kSinkStage);
  const auto tables = WactTables::make(plan.plan, plan.loaded, kLimits);
  REQUIRE(tables.status().code() == Code::kUnsupported);
  REQUIRE(tables.status().message() ==
          "stage 'invert1027' (kernel 'invert') has number 1027 and stage 'copy3' number 3: on one node they differ "
          "modulo 1024; use another fpga controller for one of them");
}

TEST_CASE("tables that are full refuse the next stage, route or channel") {
  const auto add = [](StagePlan&, FpgaPlan& plan) {
    plan.add_edge(plan.add_stage("invert", port_type("bytes")), 2, 0);
  };
  const auto full = [](const char* counts) {
    return "stage 'invert4' (kernel 'invert'): the node's tables hold " + std::string(counts) +
           "; use another fpga controller for some of the stages";
  };
  REQUIRE(refusal(add, {1, 16, 8, kLimits.cores}) == full("1 stages, 16 routes and 8 channels"));
  REQUIRE(refusal(add, {8, 1, 8, kLimits.cores}) == full("8 stages, 1 routes and 8 channels"));
  REQUIRE(refusal(add, {8, 16, 1, kLimits.cores}) == full("8 stages, 16 routes and 1 channels"));
  FpgaPlan plan;
  plan.add_edge(plan.add_stage("copy", port_type("bytes")), kSinkStage);
  plan.add_edge(plan.add_stage("invert", port_type("bytes")), 2, 0);
  REQUIRE(tables_of(plan, {2, 2, 2, kLimits.cores}).stage_words().size() == 2 * wact::kEntryWords);
}

}  // namespace
}  // namespace woa::test
