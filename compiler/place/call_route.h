// The route of a token from one component to another under a call model (docs/call-models.md), and the messages beside
// it. Component 0 is the host.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/plan/call_models.h"

namespace woa {

struct Hop {
  std::uint32_t from = 0, to = 0;
  bool payload = true;  // false: a header alone
  bool message = true;  // false: payload that rides on another's return
  bool called = false;  // part of a call: tokens that no firing reads stay where they are
  bool asks = false;    // a request for results: one for each token, or for all elements of a scatter
};

// At most four hops; those from a component to itself are left out.
class Route {
 public:
  void add(const Hop& hop) noexcept {
    if (hop.from != hop.to) hops_[count_++] = hop;
  }
  [[nodiscard]] std::span<const Hop> hops() const& noexcept { return std::span(hops_).first(count_); }
  void hops() const&& = delete;  // they would be gone with the route

 private:
  std::array<Hop, 4> hops_{};
  std::size_t count_ = 0;
};

// The messages that one token causes. `model`: the name of one of kCallModels. `to_sink`: the edge enters the sink.
// `count`: it carries the number of a scatter's elements, which is no result.
Route route_of_token(std::string_view model, std::uint32_t from, std::uint32_t to, bool to_sink,
                     bool count = false) noexcept;
// The messages that a firing on component `at` sends beside its tokens. `counts`: it scatters, so that the number of
// its elements answers a poll.
Route route_of_firing(std::string_view model, std::uint32_t at, bool counts = false) noexcept;

}  // namespace woa
