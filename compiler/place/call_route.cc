#include "compiler/place/call_route.h"

namespace woa {
namespace {

constexpr std::uint32_t kHost = 0;

}  // namespace

Route route_of_token(std::string_view name, std::uint32_t from, std::uint32_t to, bool to_sink, bool count) noexcept {
  const CallModel& model = call_model(name);
  Route route;
  if (model.nested) {
    // The call and its return. The graph's outputs ride on returns (legs.h); here their payload counts once, however
    // many callers it passes.
    route.add({from, to, true, !to_sink});
    if (!to_sink) route.add({to, from, false});
  } else if (!model.by_host || (model.fused && count)) {
    route.add({from, to});
  } else if (model.fused) {
    if (from != to) route.add({from, kHost}), route.add({kHost, to});
  } else {
    if (model.polled && !count) route.add({kHost, from, false, true, false, true});
    route.add({from, kHost}), route.add({kHost, to, true, true, true});
  }
  return route;
}

Route route_of_firing(std::string_view model, std::uint32_t at, bool counts) noexcept {
  Route route;
  if (!call_model(model).polled) return route;
  route.add({kHost, at, false});               // a poll
  if (!counts) route.add({at, kHost, false});  // and its answer
  return route;
}

}  // namespace woa
