// The machine file that `woa calibrate` writes.
#pragma once

#include <filesystem>
#include <vector>

#include "runtime/base/status.h"
#include "runtime/measure/methods.h"
#include "tools/woa/link_calibration.h"

namespace woa::tools {

struct CalibrationResult {
  CoresCalibration cores;
  std::vector<measure::MethodCalibration> transports;
  std::vector<LinksCalibration> links;  // for the same transports, in the same order
};

// Checks, before a long measurement, that the result may be written to `path`. Makes the folder, and nothing else.
// kUnavailable: the system's reason. kInvalid: a machine file is there that lists controllers or costs of links, or
// cannot be read; both would be lost.
Status prepare_calibration_file(const std::filesystem::path& path);
// Replaces an earlier file. kUnavailable: the system's reason; the earlier file is then as it was.
Status write_calibration_file(const std::filesystem::path& path, const CalibrationResult& result);

}  // namespace woa::tools
