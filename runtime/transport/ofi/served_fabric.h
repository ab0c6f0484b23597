// A fabric and the thread that serves it: what an ofi transport, its segments and its ends share.
#pragma once

#include <atomic>
#include <string>

#include "runtime/transport/ofi/fabric.h"
#include "runtime/transport/ofi/service.h"

namespace woa::ofi {

struct ServedFabric {
  ServedFabric(std::string provider_name, FabricObjects objects, KeepAlive keep_alive)
      : provider(std::move(provider_name)), fabric(std::move(objects)), service(fabric, keep_alive) {}

  std::string provider;
  std::atomic<bool> has_sleeper{false};  // a controller sleeps on the fabric itself (sleeper.h)
  Fabric fabric;
  Service service;  // stops before the fabric goes
};

}  // namespace woa::ofi
