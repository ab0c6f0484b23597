// Reports which strangers a run turned away: the first few one by one, then only their number, because anyone who can
// reach the port decides how many there are.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace woa {

class TurnedAway {
 public:
  using OnEvent = std::function<void(const std::string&)>;  // like JoinListener::OnEvent
  // `on_event` outlives it.
  explicit TurnedAway(const OnEvent& on_event) : on_event_(&on_event) {}
  ~TurnedAway() { say_rest(); }
  TurnedAway(const TurnedAway&) = delete;
  TurnedAway& operator=(const TurnedAway&) = delete;

  void add(const std::string& address, const std::string& why);
  // Reports how many were not named yet, and the last of them.
  void say_rest();

 private:
  const OnEvent* on_event_;
  unsigned named_ = 0;
  std::uint64_t unnamed_ = 0, said_ns_ = 0;
  std::string last_;
};

}  // namespace woa
