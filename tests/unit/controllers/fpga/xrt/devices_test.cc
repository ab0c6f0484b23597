// Cards as the system's files show them.
#include "controllers/fpga/xrt/devices.h"

#include "tests/support/catch.h"
#include "tests/support/says.h"
#include "tests/unit/controllers/fpga/xrt/system_files.h"

namespace woa::test {

namespace fs = std::filesystem;

TEST_CASE("a machine without cards is told what is missing") {
  SystemFiles system;
  system.add("0000:00:01.0", "0x8086", "i915");
  CHECK(card_functions(system.root()).empty());
  CHECK(card_functions(system.root() / "nowhere").empty());
  CHECK(why_no_card({}).why == "no card: no PCI device has AMD's vendor number 10ee (`lspci -d 10ee:`)");
}

TEST_CASE("a card's functions have an address, a driver, a shell and a device file") {
  SystemFiles system;
  system.start(system.add("0000:65:00.1", "0x10ee", "xocl"), "xilinx_u50_gen3x16_xdma_base_5", "renderD128");
  system.add("0000:65:00.0", "0x10ee", "xclmgmt");
  const auto functions = card_functions(system.root());
  REQUIRE(functions.size() == 2);
  CHECK(functions[0].address == "0000:65:00.0");
  CHECK(functions[0].driver == "xclmgmt");
  CHECK(functions[0].shell.empty());
  CHECK(functions[1].driver == "xocl");
  CHECK(functions[1].shell == "xilinx_u50_gen3x16_xdma_base_5");
  CHECK(functions[1].node == system.root() / "dev/dri/renderD128");
}

TEST_CASE("an xclbin is of another shell if no card's shell fits it") {
  const CardFunction u50{.shell = "xilinx_u50_gen3x16_xdma_base_5"},
      u250{.shell = "xilinx_u250_gen3x16_xdma_shell_4_1"};
  CHECK(other_shell({}, "xilinx_u50_gen3x16_xdma_5_202210_1").empty());
  CHECK(other_shell({CardFunction{}}, "xilinx_u50_gen3x16_xdma_5_202210_1").empty());
  CHECK(other_shell({u250, u50}, "xilinx_u50_gen3x16_xdma_5_202210_1").empty());
  CHECK(other_shell({u250}, "xilinx_u50_gen3x16_xdma_5_202210_1") ==
        "the card's shell is xilinx_u250_gen3x16_xdma_shell_4_1");
}

TEST_CASE("each reason why a card is not opened is its own") {
  SystemFiles system;
  const auto why = [&] {
    const NoCard none = why_no_card(card_functions(system.root()));
    CHECK_FALSE(none.advice.empty());
    return none.why;
  };
  const fs::path management = system.add("0000:65:00.0", "0x10ee", "ami");
  CHECK(why() == "card 0000:65:00.0 has the driver ami, which XRT does not serve");
  fs::remove(management / "driver");
  CHECK(why() == "card 0000:65:00.0 has no driver xocl");
  const fs::path user = system.add("0000:65:00.1", "0x10ee", "xocl");
  CHECK(why() == "card 0000:65:00.1 has no device file below /dev/dri");
  system.start(user, "xilinx_u50", "renderD128");
  const std::string node = (system.root() / "dev/dri/renderD128").string();
  CHECK(why() == "no permission for " + node + " (No such file or directory)");
  fs::create_directories(system.root() / "dev/dri");
  system.write(node, "");
  CHECK(why() == "card 0000:65:00.1 is there, and XRT does not open it");
}

namespace {

unsigned opened = 0, closed = 0, present = 0;
int device = 0;

XrtLibrary library_of(unsigned devices) {
  opened = closed = 0;
  present = devices;
  XrtLibrary library;
  library.functions.device_open = [](unsigned index) -> xrt::DeviceHandle {
    return index < present ? (++opened, &device) : nullptr;
  };
  library.functions.device_close = [](xrt::DeviceHandle) { return static_cast<int>(++closed * 0); };
  return library;
}

}  // namespace

TEST_CASE("devices are those that the library opens, and are closed again") {
  SystemFiles system;
  XrtLibrary library = library_of(2);
  auto devices = list_xrt_devices(library, system.root());
  REQUIRE(devices.ok());
  REQUIRE(devices->size() == 2);
  CHECK(closed == 2);
  CHECK(devices->at(1).device == "XRT device 1");
  CHECK_FALSE(devices->at(1).simulated);
  CHECK(devices->at(1).forwards == "device");

  for (const char* const address : {"0000:65:00.1", "0000:66:00.1"})
    system.start(system.add(address, "0x10ee", "xocl"), "xilinx_u50", "renderD128");
  CHECK(list_xrt_devices(library, system.root())->at(1).device == "xilinx_u50");
  system.write(system.root() / "sys/bus/pci/devices/0000:66:00.1/rom.u.0/VBNV", "xilinx_u250\n");
  CHECK(list_xrt_devices(library, system.root())->at(1).device == "XRT device 1");

  library = library_of(1000);
  library.stand_in = "double";
  devices = list_xrt_devices(library, system.root());
  CHECK(devices->size() == 64);
  CHECK(devices->front().device == "double");
  CHECK(devices->front().simulated);
  library.opens_any = true;
  CHECK(list_xrt_devices(library, system.root())->size() == 1);

  library = library_of(0);
  CHECK(says(list_xrt_devices(library, system.root()).status(), Code::kUnavailable, "no permission for "));
}

}  // namespace woa::test
