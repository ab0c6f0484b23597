#include "runtime/base/quantities.h"

#include <cstdint>

#include "tests/support/catch.h"

namespace woa::test {

TEST_CASE("a time has the unit that fits it") {
  CHECK(us_text(700'000) == "700 ms");
  CHECK(us_text(20'032.5, 6) == "20.0325 ms");
  CHECK(us_text(12.3456) == "12.35 us");
  CHECK(us_text(0.08) == "80 ns");
  CHECK(us_text(0.0001) == "0.1 ns");
  CHECK(us_text(0) == "0 s");
  CHECK(us_text(-1500) == "-1.5 ms");
  CHECK(us_text(12'345'678'900) == "12346 s");
}

TEST_CASE("a rounded number has the unit that fits it") {
  CHECK(us_text(999.94) == "999.9 us");
  CHECK(us_text(999.96) == "1 ms");
  CHECK(bytes_text(1023.4) == "1023 B");
  CHECK(bytes_text(1023.96) == "1 KiB");
}

TEST_CASE("a size has the unit that fits it") {
  CHECK(bytes_text(0) == "0 B");
  CHECK(bytes_text(std::uint64_t{1} << 20) == "1 MiB");
  CHECK(bytes_text(1536) == "1.5 KiB");
  CHECK(bytes_text(1566.0 * 1024 * 1024) == "1.529 GiB");
  CHECK(bytes_text(std::uint32_t{1023}) == "1023 B");
  CHECK(bytes_text(3 * (std::uint64_t{1} << 42)) == "12 TiB");
}

}  // namespace woa::test
