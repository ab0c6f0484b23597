// Why a run cannot go on. The parts of a controller share one; the first reason is kept.
#pragma once

#include <utility>

#include "runtime/base/status.h"

namespace woa {

class RunFailure {
 public:
  void set(Status status) noexcept {
    if (status_.ok()) status_ = std::move(status);
  }
  [[nodiscard]] bool any() const noexcept { return !status_.ok(); }
  [[nodiscard]] const Status& status() const noexcept { return status_; }

 private:
  Status status_;
};

}  // namespace woa
