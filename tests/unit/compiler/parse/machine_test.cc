// Machine files: controllers with what they have, links, and the machines of the tree.
#include <filesystem>
#include <set>

#include "compiler/parse/machine_file.h"
#include "tests/support/catch.h"
#include "tests/unit/compiler/fixture.h"

namespace woa {
namespace {

namespace fs = std::filesystem;

const fs::path kTree = WOA_SOURCE_DIR;

Machine read(const std::string& body, const std::string& problems = {}) {
  Report report;
  const auto machine = read_machine(report.add_source("machine.yaml", "woa_machine: 1\n" + body), report);
  std::string said;
  for (const Diagnostic& diagnostic : report.take()) said += (said.empty() ? "" : " ") + diagnostic.code;
  CHECK(said == problems);
  REQUIRE(machine.has_value());
  return *machine;
}

constexpr const char* kTwoGpus = R"(controllers: {"cpu:0": {}, "gpu:0": {}, "gpu:1": {}}
links:
  - {between: [host, cpu], latency: 1us, bandwidth: 1GB/s}
  - {between: [host, gpu], latency: 10us, bandwidth: 1024MB/s}
  - {between: [gpu, gpu], latency: 5us, bandwidth: 8Gbit/s}
  - {from: "gpu:0", to: "gpu:1", latency: 3us, bandwidth: 1TB/s}
  - {from: "gpu:1", to: "cpu:0", latency: 7ns, bandwidth: 1B/s}
)";

TEST_CASE("what waking takes is that of the transport, and nothing where it was not measured") {
  Machine machine = read(
      "calibration:\n  processor: P\n  transports:\n    shm: {inline_bytes: 64, wake: 24us}\n"
      "    loopback: {inline_bytes: 64}\n");
  CHECK(machine.wake() == 24'000'000);
  machine.transport = "loopback";
  CHECK(machine.wake() == 0);
  read("calibration:\n  processor: P\n  transports: {shm: {inline_bytes: 64, wake: soon}}\n", "E0113");
}

TEST_CASE("a firing and a message take a controller what is written, or what was measured for its kind") {
  Machine machine = read(
      "controllers: {\"cpu:0\": {firing: 7ns}, \"cpu:1\": {message: 1us}, \"gpu:0\": {}}\nlinks: [{between: [host, "
      "cpu], "
      "latency: 1us, bandwidth: 1GB/s}, {between: [host, gpu], latency: 1us, bandwidth: 1GB/s}]\n"
      "calibration:\n  processor: P\n  transports:\n"
      "    shm: {inline_bytes: 64, controllers: {cpu: {firing: 60ns, message: 40ns}, host: {message: 30ns}}}\n");
  const auto cost = [&](const char* name) { return machine.cost(*machine.find(name)); };
  CHECK(cost("cpu:0") == ControllerCost{7'000, 40'000});
  CHECK(cost("cpu:1") == ControllerCost{60'000, 1'000'000});
  CHECK(cost("gpu:0") == ControllerCost{});
  machine.transport = "loopback";
  CHECK(cost("cpu:1") == ControllerCost{0, 1'000'000});
  read("controllers: {\"cpu:0\": {firing: fast}}\n", "E0113");
  read("calibration:\n  processor: P\n  transports: {shm: {inline_bytes: 64, controllers: {\"cpu:0\": {}}}}\n",
       "E0116");
}

TEST_CASE("a controller has what its kind has, and what the file says of it") {
  const Machine machine = read(R"(cores: {package: 8}
controllers:
  "cpu:0": {workers: 3, cores: package, memory: 2GiB, price: 7, power: 65W}
  "cpu:1": {capabilities: []}
  "fpga:0": {family: xcup, luts: 10, ffs: 20, brams: 30, dsps: 40, clock: 250MHz, capabilities: [syscalls, dma]}
)");
  REQUIRE(machine.controllers.size() == 3);
  const MachineController& cpu = machine.controllers[0];
  CHECK(cpu.plan == ControllerPlan{"cpu:0", ControllerKind::kCpu, "cpu", 3});
  CHECK(cpu.cores == "package");
  CHECK(machine.cores == CoreGroups{{"package", 8}});
  CHECK(cpu.resources == Resources{{"memory", 2ULL << 30}});
  CHECK(cpu.price == 7U);
  CHECK(cpu.power == 65'000U);
  CHECK(cpu.capabilities == std::vector<std::string>{"syscalls"});
  CHECK(machine.controllers[1].capabilities.empty());
  CHECK_FALSE(machine.controllers[1].price.has_value());
  CHECK(machine.controllers[1].cores.empty());
  const MachineController& fpga = *machine.find("fpga:0");
  CHECK(fpga.resources == Resources{{"brams", 30}, {"dsps", 40}, {"ffs", 20}, {"luts", 10}});
  CHECK(fpga.family == "xcup");
  CHECK(fpga.clock_hz == 250'000'000U);
  CHECK(fpga.capabilities == std::vector<std::string>{"syscalls", "dma"});
  CHECK(machine.find("fpga:1") == nullptr);
}

TEST_CASE("an fpga, and nothing else, is of a family that has figures") {
  CHECK(read("controllers:\n  \"fpga:0\": {family: xc7}\n").find("fpga:0")->family == "xc7");
  CHECK(read("controllers:\n  \"fpga:0\": {}\n").find("fpga:0")->family.empty());
  for (const char* other : {"\"fpga:0\": {family: xc5v}", "\"fpga:0\": {family: \"\"}", "\"gpu:0\": {family: xc7}"})
    read(std::string("controllers:\n  ") + other + "\n", "E0113");
}

TEST_CASE("a controller's back-end is its kind's default, or another of its kind that the file names") {
  const Machine machine = read(R"(controllers:
  "cpu:0": {backend: cpu, workers: 3}
  "gpu:0": {backend: opencl}
  "gpu:1": {backend: cuda, sms: 132}
  "fpga:0": {backend: verilator}
  "fpga:1": {}
  "fpga:2": {backend: xrt}
)");
  CHECK(machine.find("cpu:0")->plan == make_controller("cpu:0", *find_backend("cpu"), 3));
  CHECK(machine.find("gpu:0")->plan == make_controller("gpu:0", *find_backend("opencl")));
  CHECK(machine.find("gpu:1")->plan == make_controller("gpu:1", *find_backend("cuda")));
  CHECK(machine.find("gpu:1")->resources == Resources{{"sms", 132}});
  CHECK(machine.find("fpga:0")->plan == make_controller("fpga:0", *find_backend("verilator")));
  CHECK(machine.find("fpga:1")->plan.traits.writes_packets);
  CHECK(machine.find("fpga:2")->plan == make_controller("fpga:2", *find_backend("xrt")));
  for (const char* other : {"verilator", "xrt", "opencl", "cuda", "host", "function", "\"\""})
    read(std::string("controllers:\n  \"cpu:0\": {backend: ") + other + "}\n", "E0113");
}

TEST_CASE("a controller whose back-end registers memory registers what the file says at most") {
  const auto registers = [](const std::string& keys) {
    return read("controllers:\n  \"gpu:0\": {" + keys + "}\n").find("gpu:0")->plan.traits.registers;
  };
  CHECK(registers("backend: cuda") == find_backend("cuda")->traits.registers);
  CHECK(registers("backend: cuda, registers: 0") == 0);
  CHECK(registers("registers: 64MiB, backend: cuda") == 64 << 20);
  for (const char* const keys : {"registers: 0", "backend: opencl, registers: 1MiB", "backend: cuda, registers: lots"})
    read(std::string("controllers:\n  \"gpu:0\": {") + keys + "}\n", "E0113");
}

TEST_CASE("the rule that names most of a link's ends is taken, each way by itself") {
  const Machine machine = read(kTwoGpus);
  CHECK(machine.link("host", "gpu:1") == LinkCost{10'000'000, 1'000'000, true});
  CHECK(machine.link("gpu:0", "gpu:1") == LinkCost{3'000'000, 1024, true});
  CHECK(machine.link("gpu:1", "gpu:0") == LinkCost{5'000'000, 1'024'000, true});
  CHECK(machine.link("gpu:1", "cpu:0") == LinkCost{7'000, 1'024'000'000'000'000, true});
  CHECK(machine.link("cpu:0", "cpu:0") == LinkCost{});
  CHECK(machine.link_origin("gpu:0", "gpu:1") == LinkOrigin::kWritten);
}

TEST_CASE("controllers without a link send through the host") {
  const Machine machine = read(kTwoGpus);
  CHECK(machine.link("gpu:0", "cpu:0") == LinkCost{11'000'000, 2'024'000, false});
  CHECK(machine.link_origin("gpu:0", "cpu:0") == LinkOrigin::kWritten);
  const Machine said = read(R"(controllers: {"cpu:0": {}, "gpu:0": {}, "fpga:0": {}}
default_link: {latency: 2us, bandwidth: 1GB/s}
links: [{between: ["gpu:0", "fpga:0"], through: host}, {between: ["cpu:0", "gpu:0"], through: host, latency: 3us, bandwidth: 2GB/s}]
)");
  CHECK(said.link("gpu:0", "fpga:0") == LinkCost{4'000'000, 2'048'000, false});
  CHECK(said.link_origin("gpu:0", "fpga:0") == LinkOrigin::kDefault);
  CHECK(said.link("gpu:0", "cpu:0") == LinkCost{3'000'000, 512'000, false});
  CHECK(said.link("cpu:0", "fpga:0") == LinkCost{2'000'000, 1'024'000, true});
}

TEST_CASE("where nothing is written, what was measured counts, and then what is assumed") {
  Machine machine = read(R"(controllers: {"cpu:0": {}, "gpu:0": {}}
calibration:
  processor: P
  transports:
    shm: {inline_bytes: 64, links: [{between: [cpu, cpu], latency: 300ns, bandwidth: 1GB/s}]}
    loopback: {inline_bytes: 64, links: [{between: [cpu, cpu], latency: 100ns, bandwidth: 1GB/s}]}
)");
  CHECK(machine.link("cpu:0", "cpu:1") == LinkCost{300'000, 1'024'000, true});
  CHECK(machine.link_origin("cpu:0", "cpu:1") == LinkOrigin::kMeasured);
  machine.transport = "loopback";
  CHECK(machine.link("cpu:0", "cpu:1").latency_ps == 100'000);
  CHECK(machine.link("cpu:0", "gpu:0") == assumed_link(ControllerKind::kCpu, ControllerKind::kGpu));
  CHECK(machine.link_origin("cpu:0", "gpu:0") == LinkOrigin::kAssumed);
  const Machine none = default_machine(), three = default_machine(3);
  CHECK(none.find("cpu:1") == nullptr);
  CHECK(three.find("cpu:2")->cores == none.find("cpu:0")->cores);
  CHECK(three.find("cpu:3") == nullptr);
  CHECK(none.link_origin("host", "cpu:5") == LinkOrigin::kAssumed);
  CHECK(none.link("gpu:0", "fpga:0").latency_ps == 2 * none.link("host", "gpu:0").latency_ps);
  CHECK_FALSE(none.link("gpu:0", "fpga:0").direct);
}

TEST_CASE("cores that were measured are shared by their kinds, unless the file says who shares what") {
  const std::string calibration =
      "calibration:\n  processor: P\n  cores: {count: 2, kinds: [cpu, fpga]}\n"
      "  transports: {shm: {inline_bytes: 64}}\n";
  const Machine measured = read(calibration);
  CHECK(measured.open);
  CHECK(measured.cores == CoreGroups{{"processor", 2}});
  CHECK(measured.find("cpu:0")->cores == "processor");
  CHECK(measured.find("fpga:0")->cores == "processor");
  CHECK(measured.find("gpu:0")->cores.empty());
  const Machine written =
      read("cores: {socket: 4}\ncontrollers: {\"cpu:0\": {cores: socket}, \"fpga:0\": {}}\n" + calibration);
  CHECK(written.cores == CoreGroups{{"socket", 4}});
  CHECK(written.find("fpga:0")->cores.empty());
  read("calibration:\n  processor: P\n  cores: {count: 0, kinds: [host, \"cpu:0\", tpu]}\n  transports: {}\n",
       "E0113 E0116 E0116 E0116");
}

TEST_CASE("every pair of a machine of the tree has a link, and all that it says is whole") {
  std::size_t machines = 0;
  for (const auto& entry : fs::directory_iterator(kTree / "graphs/machines")) {
    INFO(entry.path());
    const MachineFile file = read_machine_file(entry.path());
    CHECK(file.diagnostics.empty());
    CHECK(file.has_controllers);
    ++machines;
  }
  CHECK(machines >= 4);
}

// Codes of what the compiler says of a graph of the tree on a machine of the tree.
std::set<std::string> problems_of(const fs::path& graph, const std::string& machine) {
  CompileOptions options;
  options.kernel_path = {kTree / "kernels"};
  options.machine = kTree / "graphs/machines" / machine;
  std::set<std::string> codes;
  const Compilation result = compile_file(graph, options);
  for (const Diagnostic& diagnostic : result.diagnostics) codes.insert(diagnostic.code);
  CHECK(result.plan.has_value() == codes.empty());
  return codes;
}

TEST_CASE("every graph of the tree compiles for every machine of the tree that has what it asks for") {
  std::size_t compiled = 0;
  for (const auto& entry : fs::directory_iterator(kTree / "graphs")) {
    if (entry.path().extension() != ".yaml") continue;
    for (const char* machine : {"laptop.yaml", "axel-tight.yaml", "axel-loose.yaml", "h200-node.yaml"}) {
      INFO(entry.path() << " on " << machine);
      // This machine has no FPGA, which the flagship is pinned to: an error that says so.
      const bool lacks = std::string(machine) == "h200-node.yaml" && entry.path().stem() == "decrypt-expand-resize";
      CHECK(problems_of(entry.path(), machine) == (lacks ? std::set<std::string>{"E0602"} : std::set<std::string>{}));
      ++compiled;
    }
  }
  CHECK(compiled >= 48);
}

}  // namespace
}  // namespace woa
