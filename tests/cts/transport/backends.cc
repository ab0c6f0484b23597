#include "tests/cts/transport/channel.h"
#include "tests/support/chosen_row.h"

namespace woa::cts {
namespace {

struct MakersOfBackEnd {
  BackEnd::MakeMemory memory;
  BackEnd::MakeLink link;
};

test::Rows<MakersOfBackEnd>& back_ends() {
  static test::Rows<MakersOfBackEnd> all("WOA_CTS_BACKEND");
  return all;
}

}  // namespace

BackEnd::BackEnd(std::string_view name, MakeMemory make_memory) { back_ends().add(name, {make_memory, nullptr}); }
BackEnd::BackEnd(std::string_view name, MakeLink make_link) { back_ends().add(name, {nullptr, make_link}); }

std::unique_ptr<SharedMemory> make_memory() { return back_ends().chosen().memory(); }

std::unique_ptr<Link> make_link() {
  const MakersOfBackEnd& makers = back_ends().chosen();
  return makers.link != nullptr ? makers.link() : std::make_unique<Link>(makers.memory());
}

}  // namespace woa::cts
