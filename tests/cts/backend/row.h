// One back-end under test. WOA_CTS_ROW in the environment names the one to run (rows.cc).
#pragma once

#include <cstdint>
#include <string>

#include "runtime/controller/backend.h"

namespace woa::test {

struct BackendRow {
  std::string name;  // as in WOA_REQUIRE
  BackendFactory factory;
  ControllerPlan controller;  // what the backend is made for
  bool asynchronous = true;   // completes outside start()
  bool allocates = true;      // may allocate in steady state (drivers do)
};

BackendRow backend_row();

}  // namespace woa::test
