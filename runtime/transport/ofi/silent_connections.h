// Connections of strangers that say nothing, where a provider listens on a TCP port.
#pragma once

#include <string_view>

namespace woa::ofi {

// From now on the system hands the provider only connections that have brought bytes, and keeps the others, thousands
// at most, itself: the provider would give each a descriptor, without end. `address`: of the endpoint, as fi_getname()
// says it. Does nothing where no socket of this process listens there.
void hold_back_silent_connections(std::string_view address);

}  // namespace woa::ofi
