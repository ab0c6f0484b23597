// The cards of this machine: those that the system shows, and those that XRT opens.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/fpga/xrt/library.h"
#include "runtime/controller/backend.h"

namespace woa {

// A PCI function of AMD's FPGAs. A card has one for its user, whose driver is xocl, and may have one for its
// management.
struct CardFunction {
  std::string address = {};         // "0000:65:00.1"
  std::string driver = {};          // "xocl", "xclmgmt"; empty: none
  std::string shell = {};           // "xilinx_u50_gen3x16_xdma_base_5"; empty: the driver names none
  std::filesystem::path node = {};  // the device file that XRT opens; empty: none
};
inline constexpr const char* kUserDriver = "xocl";

// By address. `root` is "/", whose folder sys is looked at.
std::vector<CardFunction> card_functions(const std::filesystem::path& root);
// Why XRT opens no card of these, and what to do.
struct NoCard {
  std::string why, advice;
};
NoCard why_no_card(const std::vector<CardFunction>& functions);
// "the card's shell is S", if cards name shells and none fits an xclbin of that platform; else empty.
std::string other_shell(const std::vector<CardFunction>& functions, std::string_view platform);
// The version of the module xocl; "loaded" where it names none; empty: the module is not loaded.
std::string user_driver_version(const std::filesystem::path& root);

// Opens each device once, in this process. kUnavailable: there is none; the message says why, and what to do.
Result<std::vector<DeviceDescription>> list_xrt_devices(const XrtLibrary& library, const std::filesystem::path& root);

}  // namespace woa
