// Registrations that are kept for the next use: how many, for how long, and which one goes first.
#include "runtime/transport/ofi/registration_cache.h"

#include "tests/unit/runtime/transport/ofi/two_sides.h"

namespace woa::test {
namespace {

using ofi::Registration;
using ofi::RegistrationCache;
using ofi::RegistrationLimits;
using ofi::RemoteAccess;
using Keep = RegistrationCache::Keep;

ofi::Fabric& some_fabric() {
  auto objects = ofi::open_fabric("tcp;ofi_rxm", "127.0.0.1");
  if (objects.status().code() == Code::kUnavailable) skip("ofi", objects.status().message());
  static ofi::Fabric fabric(need(std::move(objects)));
  return fabric;
}

// Ten pieces of memory, of 1000 bytes each, and a cache.
struct CacheRig {
  explicit CacheRig(const RegistrationLimits& limits, Keep keep = Keep::kWithinLimits)
      : memory(10'000), cache(fabric(), RemoteAccess::kWrite, limits, keep) {}
  static ofi::Fabric& fabric() {
    static ofi::Fabric& fabric = some_fabric();
    return fabric;
  }
  std::span<std::byte> piece(std::size_t number, std::size_t pieces = 1) {
    return std::span(memory).subspan(number * 1000, pieces * 1000);
  }
  // Holds and releases a piece; returns its key.
  std::uint64_t use(std::size_t number) {
    const Registration* held = cache.hold(piece(number));
    REQUIRE(held != nullptr);
    const std::uint64_t key = held->key();
    cache.release(held);
    return key;
  }

  std::vector<std::byte> memory;
  RegistrationCache cache;
};

}  // namespace

TEST_CASE("memory that comes again has the registration it had, and so has a part of it") {
  CacheRig rig({4, 10'000});
  const std::uint64_t key = rig.use(2);
  REQUIRE(rig.use(2) == key);
  const Registration* part = rig.cache.hold(rig.piece(2).subspan(100, 50));
  REQUIRE(part->key() == key);
  REQUIRE(part->address_of(rig.piece(2).data() + 100) == part->base() + 100);
  rig.cache.release(part);
  REQUIRE(rig.use(3) != key);
  REQUIRE(rig.cache.count() == 2);
  REQUIRE(rig.cache.bytes() == 2000);
}

TEST_CASE("the one that was used longest ago goes first, by number and by bytes") {
  for (const RegistrationLimits& limits : {RegistrationLimits{3, 100'000}, RegistrationLimits{100, 3500}}) {
    CacheRig rig(limits);
    const std::uint64_t first = rig.use(0), second = rig.use(1), third = rig.use(2);
    REQUIRE(rig.use(0) == first);
    (void)rig.use(3);  // in the second one's place
    REQUIRE(rig.cache.count() == 3);
    REQUIRE(rig.cache.bytes() == 3000);
    REQUIRE(rig.use(0) == first);
    REQUIRE(rig.use(2) == third);
    REQUIRE(rig.use(1) != second);
  }
}

TEST_CASE("what is held is not dropped; what then does not fit is refused") {
  CacheRig rig({2, 3000});
  const Registration* first = rig.cache.hold(rig.piece(0));
  const Registration* again = rig.cache.hold(rig.piece(0));
  REQUIRE(first == again);
  const Registration* second = rig.cache.hold(rig.piece(1));
  REQUIRE(rig.cache.hold(rig.piece(2)) == nullptr);  // a third one
  rig.cache.release(first);
  REQUIRE(rig.cache.hold(rig.piece(2)) == nullptr);  // the first is held once more
  rig.cache.release(again);
  REQUIRE(rig.cache.hold(rig.piece(3, 3)) == nullptr);  // more bytes than are left
  const Registration* third = rig.cache.hold(rig.piece(3, 2));
  REQUIRE(third != nullptr);
  REQUIRE(rig.cache.bytes() == 3000);
  rig.cache.release(second);
  rig.cache.release(third);
  CacheRig none({0, 3000});
  REQUIRE(none.cache.hold(none.piece(0)) == nullptr);
}

TEST_CASE("what cannot fit drops nothing") {
  CacheRig rig({3, 3000});
  const std::uint64_t first = rig.use(0), second = rig.use(1);
  REQUIRE(rig.cache.hold(rig.piece(4, 4)) == nullptr);  // more than all
  const Registration* held = rig.cache.hold(rig.piece(2));
  REQUIRE(rig.cache.hold(rig.piece(4, 3)) == nullptr);  // more than what is not held
  REQUIRE(rig.cache.count() == 3);
  REQUIRE((rig.use(0) == first && rig.use(1) == second));
  rig.cache.release(held);
}

TEST_CASE("what is forgotten is not found again, unless it is held") {
  CacheRig rig({4, 10'000});
  const std::uint64_t first = rig.use(0), third = rig.use(2);
  const Registration* held = rig.cache.hold(rig.piece(1));
  rig.cache.forget(std::span(rig.memory).subspan(900, 200));  // the end of one, the beginning of another
  REQUIRE(rig.cache.count() == 2);
  REQUIRE(rig.cache.hold(rig.piece(1)) == held);
  REQUIRE(rig.use(2) == third);
  REQUIRE(rig.use(0) != first);
}

TEST_CASE("where registrations pin pages, none is kept behind its use") {
  CacheRig rig({4, 10'000}, Keep::kNever);
  const Registration* held = rig.cache.hold(rig.piece(0));
  REQUIRE(rig.cache.hold(rig.piece(0)) == held);
  rig.cache.release(held);
  REQUIRE(rig.cache.count() == 1);
  rig.cache.release(held);
  REQUIRE(rig.cache.count() == 0);
  REQUIRE(rig.cache.bytes() == 0);
}

}  // namespace woa::test
