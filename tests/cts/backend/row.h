// One back-end under test. Each program of the suite links one row file, which defines backend_row().
#pragma once

#include <cstdint>
#include <string>

#include "runtime/controller/backend.h"

namespace woa::test {

struct BackendRow {
  std::string name;  // as in WOA_REQUIRE
  BackendFactory factory;
  ControllerPlan controller;  // what the backend is made for
  std::string variant;        // "cpu", "opencl", "rtl"
  bool asynchronous = true;   // completes outside start()
  bool allocates = true;      // may allocate in steady state (drivers do)
};

BackendRow backend_row();

}  // namespace woa::test
