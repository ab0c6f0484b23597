// The fault of one of a run's nodes (tests/support/faulty_node.cc), on its command line.
#pragma once

#include <cstdint>
#include <optional>
#include <sstream>
#include <string>

#include "runtime/transport/fault/fault_transport.h"

namespace woa::test {

struct NodeFault {
  std::uint32_t controller = 1;  // of the plan; the other controllers have no fault
  FaultPlan plan;
  PathOptions wire;  // of every node
  // Instead of the plan: the node is killed when its device has published so many packets.
  std::optional<std::uint64_t> publications = {};

  std::string to_text() const {
    std::ostringstream text;
    text << controller << ' ' << static_cast<int>(plan.kind) << ' ' << static_cast<int>(plan.target) << ' '
         << plan.channel << ' ' << plan.first << ' ' << plan.count << ' ' << plan.chance << ' ' << plan.seed << ' '
         << plan.amount << ' ' << plan.bit << ' ' << static_cast<int>(plan.step) << ' '
         << static_cast<int>(wire.landing) << ' ' << wire.header_crc;
    if (publications) text << ' ' << *publications;
    return text.str();
  }
  // False: `line` is not from to_text().
  bool from_text(const std::string& line) {
    std::istringstream text(line);
    int kind = 0, target = 0, step = 0, landing = 0;
    text >> controller >> kind >> target >> plan.channel >> plan.first >> plan.count >> plan.chance >> plan.seed >>
        plan.amount >> plan.bit >> step >> landing >> wire.header_crc;
    plan.kind = static_cast<FaultKind>(kind);
    plan.target = static_cast<FaultTarget>(target);
    plan.step = static_cast<ProtocolStep>(step);
    wire.landing = static_cast<Landing>(landing);
    const bool whole = !text.fail();
    if (std::uint64_t count = 0; text >> count) publications = count;
    return whole;
  }
};

}  // namespace woa::test
