// Looks at the things that the `xrt` back-end needs, in the order in which it needs them: library, driver, card, shell,
// xclbin, kernel and cores.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "controllers/fpga/xrt/library.h"
#include "controllers/fpga/xrt/xclbin.h"
#include "runtime/controller/backend.h"

namespace woa {

inline constexpr const char* kXclbinVariable = "WOA_XCLBIN";

// The file that the environment names, with a packet node that the back-end can use. kUnavailable: it is not named,
// cannot be read, or does not fit; the message says what to do.
struct ChosenXclbin {
  std::filesystem::path file;
  Xclbin contents;
};
Result<ChosenXclbin> choose_xclbin();

// The packet node's units in a file: a card serves so many controllers.
std::size_t node_units(const Xclbin& xclbin);

// Devices that a child process opened, each of them node_units() times in a row; once per process. Configures none.
// kUnavailable: there is none, or choose_xclbin() says so.
const Result<std::vector<DeviceDescription>>& probe_xrt_devices();

// A step of `woa doctor --fpga`.
struct XrtCheck {
  std::string subject;  // "card"
  bool good = false;
  std::string asked, found, advice = {};  // advice: empty where it is good
};
// Every step, also behind one that is not good; `root` is "/", whose folder sys is looked at. Blocks for seconds.
std::vector<XrtCheck> check_xrt(const std::filesystem::path& root);

}  // namespace woa
