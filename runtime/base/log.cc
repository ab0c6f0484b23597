#include "runtime/base/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <string>

namespace woa {
namespace {

spdlog::level::level_enum to_spdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug: return spdlog::level::debug;
    case LogLevel::kInfo: return spdlog::level::info;
    case LogLevel::kWarning: return spdlog::level::warn;
    case LogLevel::kError: return spdlog::level::err;
    case LogLevel::kOff: return spdlog::level::off;
  }
  return spdlog::level::off;
}

spdlog::logger& logger() {
  static const std::shared_ptr<spdlog::logger> instance = [] {
    auto made = std::make_shared<spdlog::logger>("woa", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("%n: %l: %v");
    made->set_level(spdlog::level::warn);
    return made;
  }();
  return *instance;
}

}  // namespace

void log(LogLevel level, std::string_view message) { logger().log(to_spdlog(level), "{}", message); }

void set_log_name(std::string_view name) { logger().set_pattern("woa " + std::string(name) + ": %l: %v"); }

}  // namespace woa
