// The machine file that `woa calibrate` writes.
#pragma once

#include <filesystem>
#include <vector>

#include "bench/micro/methods.h"
#include "runtime/base/status.h"
#include "tools/woa/link_calibration.h"

namespace woa::tools {

struct CalibrationResult {
  CoresCalibration cores;
  std::vector<bench::MethodCalibration> transports;
  std::vector<LinksCalibration> links;  // of the same transports, in the same order
};

// Whether the result may be written there: ahead of a long measurement. Makes the folder, and nothing else.
// kUnavailable with the system's reason. kInvalid: there is a machine file that says which controllers there are, or
// what links cost, which would be lost.
Status prepare_calibration_file(const std::filesystem::path& path);
// In the place of an earlier file. kUnavailable with the system's reason; the earlier one is then as it was.
Status write_calibration_file(const std::filesystem::path& path, const CalibrationResult& result);

}  // namespace woa::tools
