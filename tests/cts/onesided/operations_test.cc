// The effect of each operation on an element, at the edges of values and of the region, and refused updates.
#include "tests/cts/onesided/rig.h"

namespace woa::cts {
namespace {

constexpr std::size_t kRegionBytes = 96;
constexpr std::array<std::uint64_t, 7> kValues{
    0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x8000000000000000, 0xffffffffffffffff};

std::vector<std::byte> contents(const Region& region) { return {region.bytes().begin(), region.bytes().end()}; }

// Does `update` by this program's way and by the model; true if region and fetched value agree.
bool agrees(Rig& rig, Updater& updater, std::vector<std::byte>& model, const Update& update) {
  std::uint64_t fetched = 0;
  const std::uint64_t old = model_update(model, update);
  if (rig.issue(updater, update) != Outcome::kOk || !rig.settle(updater)) return false;
  const std::size_t results = updater.take_results(std::span(&fetched, 1));
  if (results != (onesided::fetches(update.operation) ? 1 : 0)) return false;
  return contents(rig.region) == model && (results == 0 || fetched == old);
}

}  // namespace

TEST_CASE("every operation on every width does what it says, and to one element only") {
  Rig rig(kRegionBytes);
  const auto updater = need(rig.open());
  std::vector<std::byte> model(kRegionBytes);
  for (const Width width : {Width::k32, Width::k64}) {
    const auto step = static_cast<std::uint64_t>(width);
    for (const Operation operation : kOperations) {
      for (const std::uint64_t start : kValues) {
        for (const std::uint64_t operand : kValues) {
          for (const std::uint64_t offset : {std::uint64_t{0}, 5 * step, kRegionBytes - step}) {
            INFO("operation " << static_cast<int>(operation) << ", " << step << " bytes at " << offset << ", " << start
                              << " and " << operand);
            REQUIRE(agrees(rig, *updater, model, {Operation::kPut, width, offset, start, 0}));
            REQUIRE(agrees(rig, *updater, model, {operation, width, offset, operand, start}));
            REQUIRE(agrees(rig, *updater, model, {operation, width, offset, operand, start}));
          }
        }
      }
    }
  }
  REQUIRE(updater->status().ok());
}

TEST_CASE("the helpers name operation, width and operands") {
  Rig rig(kRegionBytes);
  const auto updater = need(rig.open());
  REQUIRE(rig.issue(*updater, onesided::put<std::uint64_t>(8, 40)) == Outcome::kOk);
  REQUIRE(rig.issue(*updater, onesided::accumulate<std::uint64_t>(Operation::kSum, 8, 2)) == Outcome::kOk);
  REQUIRE(rig.issue(*updater, onesided::put<std::uint32_t>(4, 7)) == Outcome::kOk);
  REQUIRE(rig.issue(*updater, onesided::fetch_add<std::uint64_t>(8, 1)) == Outcome::kOk);
  REQUIRE(rig.settle(*updater));
  std::uint64_t fetched = 0;
  REQUIRE(updater->take_results(std::span(&fetched, 1)) == 1);
  REQUIRE(fetched == 42);
  REQUIRE(rig.issue(*updater, onesided::compare_swap<std::uint64_t>(8, 43, 99)) == Outcome::kOk);
  REQUIRE(rig.settle(*updater));
  REQUIRE(updater->take_results(std::span(&fetched, 1)) == 1);
  REQUIRE(fetched == 43);
  REQUIRE(rig.region.load<std::uint64_t>(8) == 99);
  REQUIRE(rig.region.load<std::uint32_t>(4) == 7);
  REQUIRE(rig.region.load<std::uint32_t>(0) == 0);
}

TEST_CASE("an update that breaks a rule is refused where it is issued, with its place, and nothing is sent") {
  struct Wrong {
    Update update;
    const char* says;
  };
  const auto operation = [](unsigned number) { return static_cast<Operation>(number); };
  const auto width = [](unsigned bytes) { return static_cast<Width>(bytes); };
  const std::uint64_t far = std::uint64_t{1} << 40, top = ~std::uint64_t{7};
  const std::array wrongs{
      Wrong{{operation(0), Width::k64, 0, 1, 0}, "no such operation"},
      Wrong{{operation(8), Width::k64, 0, 1, 0}, "no such operation"},
      Wrong{{operation(255), Width::k32, 0, 1, 0}, "no such operation"},
      Wrong{{Operation::kXor, width(0), 0, 1, 0}, "4 or 8 bytes"},
      Wrong{{Operation::kXor, width(2), 0, 1, 0}, "4 or 8 bytes"},
      Wrong{{Operation::kXor, width(16), 0, 1, 0}, "4 or 8 bytes"},
      Wrong{{Operation::kXor, Width::k64, 4, 1, 0}, "multiple of the element's bytes"},
      Wrong{{Operation::kPut, Width::k32, 2, 1, 0}, "multiple of the element's bytes"},
      Wrong{{Operation::kPut, Width::k64, kRegionBytes, 1, 0}, "outside the region"},
      Wrong{{Operation::kFetchAdd, Width::k32, kRegionBytes, 1, 0}, "outside the region"},
      Wrong{{Operation::kCompareSwap, Width::k64, far, 1, 0}, "outside the region"},
      Wrong{{Operation::kSum, Width::k64, top, 1, 0}, "outside the region"},
  };
  for (const Wrong& wrong : wrongs) {
    Rig rig(kRegionBytes);
    const auto updater = need(rig.open());
    REQUIRE(updater->update(wrong.update) == Outcome::kRefused);
    INFO(updater->status().message());
    REQUIRE(updater->status().code() == Code::kInvalid);
    REQUIRE(updater->status().message().find(wrong.says) != std::string::npos);
    REQUIRE(updater->status().message().find("offset " + std::to_string(wrong.update.offset)) != std::string::npos);
    REQUIRE(updater->issued() == 0);
    REQUIRE(rig.issue(*updater, onesided::put<std::uint64_t>(0, 5)) == Outcome::kOk);  // it goes on
    REQUIRE(rig.settle(*updater));
    REQUIRE(rig.region.load<std::uint64_t>(0) == 5);
  }
}

TEST_CASE("a region that ends in part of an element has no such element") {
  Rig rig(12);
  const auto updater = need(rig.open());
  REQUIRE(rig.issue(*updater, onesided::put<std::uint32_t>(8, 1)) == Outcome::kOk);
  REQUIRE(rig.issue(*updater, onesided::put<std::uint64_t>(8, 1)) == Outcome::kRefused);
  REQUIRE(rig.settle(*updater));
}

}  // namespace woa::cts
