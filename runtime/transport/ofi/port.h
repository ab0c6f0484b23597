// The TCP port that a provider listens on, which strangers may find. libfabric does not tell its sockets: they are
// those of this process at the endpoint's address, as fi_getname() says it. Where there are none, these functions do
// nothing.
#pragma once

#include <string_view>

namespace woa::ofi {

// From now on the system hands the provider only connections that have brought bytes, and keeps the others, thousands
// at most, itself: the provider would give each a descriptor, without end.
void hold_back_silent_connections(std::string_view address);
// From now on the system drops what comes for a new connection.
void close_to_newcomers(std::string_view address);
// Nobody who has come is listened to any longer; what was written to him still leaves. Before the endpoint is closed:
// ofi_rxm then reads first whatever there is, which is without end while somebody sends.
void end_connections(std::string_view address);

}  // namespace woa::ofi
