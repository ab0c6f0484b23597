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

// A file to be written once it is known what: it is made at the side and takes the place of an earlier one when it is
// complete, so that nobody ever reads half of it.
class CalibrationFile {
 public:
  // Makes the folder and the file at the side, so that a place that cannot be written to shows before a long
  // measurement. kUnavailable with the system's reason. kInvalid: there is a machine file that says which controllers
  // there are, or what links cost, which would be lost.
  static Result<CalibrationFile> open(const std::filesystem::path& path);
  CalibrationFile(CalibrationFile&& other) noexcept;
  CalibrationFile& operator=(CalibrationFile&&) = delete;
  ~CalibrationFile();  // removes what was not written to its end

  // Once. kUnavailable with the system's reason; the earlier file is then as it was.
  Status write(const CalibrationResult& result);

 private:
  explicit CalibrationFile(std::filesystem::path path);
  std::filesystem::path path_, aside_;  // aside_: empty when there is nothing to remove
};

}  // namespace woa::tools
