// Segments that two processes use together, described and connected in one go where each process has its own replicas
// (docs/adr/0014-replicated-segments.md).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "runtime/base/status.h"
#include "runtime/transport/transport.h"

namespace woa {

// What another process connect_all()s its replicas of all these segments to these by: of each, in order, 2 bytes with
// the length of its description() (low byte first), and the description. Empty where memory is shared. It is a
// capability, as they are.
std::string describe_all(std::span<const std::shared_ptr<Segment>> segments);

// Connects this process's replicas, in the same order, to those that `description` is of. kInvalid: it is no such
// description, or of another number of segments. Otherwise as Transport::connect().
Status connect_all(Transport& transport, std::span<const std::shared_ptr<Segment>> segments,
                   std::string_view description);

}  // namespace woa
