#include "tests/cts/transport/channel.h"
#include "tests/support/chosen_row.h"

namespace woa::cts {
namespace {

struct MakersOfBackEnd {
  BackEnd::MakeTransport transport;
  BackEnd::MakeLink link;
};

test::Rows<MakersOfBackEnd>& back_ends() {
  static test::Rows<MakersOfBackEnd> all("WOA_CTS_BACKEND");
  return all;
}

}  // namespace

BackEnd::BackEnd(std::string_view name, MakeTransport make_transport, MakeLink make_link) {
  back_ends().add(name, {make_transport, make_link});
}

std::unique_ptr<Transport> make_transport() { return back_ends().chosen().transport(); }

std::unique_ptr<Link> make_link() {
  const MakersOfBackEnd& makers = back_ends().chosen();
  return makers.link != nullptr ? makers.link() : std::make_unique<Link>(makers.transport());
}

}  // namespace woa::cts
