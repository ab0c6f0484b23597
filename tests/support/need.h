// The value of a result that must be ok.
#pragma once

#include <utility>

#include "runtime/base/status.h"
#include "tests/support/catch.h"

namespace woa::test {

template <class T>
T need(Result<T> result) {
  INFO(result.status().message());
  REQUIRE(result.ok());
  return std::move(*result);
}

}  // namespace woa::test
