#include "runtime/base/scalar.h"

#include <cstdint>
#include <limits>
#include <string>

#include "tests/support/catch.h"

namespace woa {

TEST_CASE("a whole number is one by its value, and always decimal") {
  for (const char* ten :
       {"10", "+10", "010", "+0010", "10.", "10.0", "10.000", "1e1", "1E+1", "0.1e2", "100e-1", "1000.0e-2"}) {
    INFO(ten);
    CHECK(parse_whole(ten) == 10U);
    CHECK(parse_signed(ten) == 10);
    CHECK(parse_signed(std::string("-") + (ten[0] == '+' ? ten + 1 : ten)) == -10);
  }
  for (const char* nothing : {"0", "-0", "+0", "000", "0.0", ".0", "0e99999999999", "0e-99999999999", "-0.0"}) {
    INFO(nothing);
    CHECK(parse_whole(nothing) == 0U);
    CHECK(parse_signed(nothing) == 0);
  }
}

TEST_CASE("what is no whole number is none") {
  for (const char* bad : {"",     "+",     "-",     ".",    "e1",    "1e",  "1e+",           "0x10",          "0o10",
                          "0b1",  "1_000", "1,000", " 1",   "1 ",    "++1", "+-1",           "1.5",           "15e-1x",
                          "1e-1", "nan",   "inf",   ".inf", "1.2.3", "ten", "1e99999999999", "1e-99999999999"}) {
    INFO(bad);
    CHECK_FALSE(parse_whole(bad));
    CHECK_FALSE(parse_signed(bad));
  }
  CHECK_FALSE(parse_whole("-1"));
}

TEST_CASE("the largest whole numbers are exact, and the next is none") {
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  CHECK(parse_whole("18446744073709551615") == kMost);
  CHECK(parse_whole("0018446744073709551615.00") == kMost);
  CHECK(parse_whole("1.8446744073709551615e19") == kMost);
  CHECK_FALSE(parse_whole("18446744073709551616"));
  CHECK_FALSE(parse_whole("1e20"));
  CHECK(parse_signed("9223372036854775807") == std::numeric_limits<std::int64_t>::max());
  CHECK(parse_signed("-9223372036854775808") == std::numeric_limits<std::int64_t>::min());
  CHECK_FALSE(parse_signed("9223372036854775808"));
  CHECK_FALSE(parse_signed("-9223372036854775809"));
  CHECK(parse_whole(std::string(100'000, '0') + "7") == 7U);
}

TEST_CASE("digits within another text have no sign") {
  CHECK(parse_digits("007") == 7U);
  for (const char* bad : {"", "+7", "-0", "7.0", "1e1"}) CHECK_FALSE(parse_digits(bad));
}

TEST_CASE("a number in quotes is a sign and digits") {
  for (const char* text : {"0", "-7", "+007", "99999999999999999999"}) CHECK(is_in_digits(text));
  for (const char* text : {"", "+", "--7", "7.", "1e1", " 7"}) CHECK_FALSE(is_in_digits(text));
}

TEST_CASE("any number is a decimal one, and finite") {
  CHECK(parse_decimal("+1.50") == 1.5);
  CHECK(parse_decimal("-.5e1") == -5.0);
  CHECK(parse_decimal("010") == 10.0);
  for (const char* bad : {"", "inf", "-inf", "nan", ".nan", "0x1p3", "1e999", "1f", "+"})
    CHECK_FALSE(parse_decimal(bad));
}

TEST_CASE("truth is written as YAML writes it") {
  for (const char* yes : {"true", "True", "TRUE"}) CHECK(parse_bool(yes) == true);
  for (const char* no : {"false", "False", "FALSE"}) CHECK(parse_bool(no) == false);
  for (const char* neither : {"", "yes", "no", "on", "off", "1", "0", "tRUE"}) CHECK_FALSE(parse_bool(neither));
}

TEST_CASE("a quantity is digits and a unit without a blank, or a number where none is needed") {
  const auto bytes = [](const std::string& text) -> std::uint64_t {
    const auto quantity = parse_quantity(text, kSizeUnits);
    return quantity && quantity->fits ? quantity->value : 0;
  };
  for (const char* text : {"4096", "4KiB", "+4KiB", "004KiB", "4096B", "4.096e3", "+4096.0"})
    CHECK(bytes(text) == 4096);
  for (const char* text :
       {"", "KiB", "+KiB", "4 KiB", "4kib", "4K", "4.0KiB", "1e1KiB", "-4KiB", "4096 ", "1.5", "-1", "0x10"})
    CHECK_FALSE(parse_quantity(text, kSizeUnits));
  CHECK_FALSE(parse_quantity("8589934592GiB", kSizeUnits)->fits);
  CHECK_FALSE(parse_quantity("99999999999999999999", kSizeUnits)->fits);
  CHECK_FALSE(parse_quantity("99999999999999999999KiB", kSizeUnits)->fits);
  constexpr std::array<Unit, 2> kTimes{{{"ms", 1'000}, {"s", 1'000'000}}};
  CHECK(parse_quantity("2s", kTimes)->value == 2'000'000);
  CHECK_FALSE(parse_quantity("2", kTimes));
}

}  // namespace woa
