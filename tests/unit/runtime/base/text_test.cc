#include "runtime/base/text.h"

#include <vector>

#include "tests/support/catch.h"

namespace woa {

TEST_CASE("what a terminal would take for commands is not printable") {
  CHECK(printable("plain, \xc3\xa4 and \xe2\x82\xac") == "plain, \xc3\xa4 and \xe2\x82\xac");
  CHECK(printable("a\x1b[31m\x7f\n") == "a?[31m??");
  CHECK(printable("a\nb\tc", "\n") == "a\nb?c");
  CHECK(printable("a\xc2\x9b"
                  "31m\xc3\xa0") == "a?31m\xc3\xa0");
  CHECK(printable("\xc2") == "?");
}

TEST_CASE("what would be shown in another order than it stands there is not printable") {
  for (const char* turns :
       {"\xd8\x9c", "\xe2\x80\x8e", "\xe2\x80\x8f", "\xe2\x80\xaa", "\xe2\x80\xab", "\xe2\x80\xac", "\xe2\x80\xad",
        "\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x81\xa7", "\xe2\x81\xa8", "\xe2\x81\xa9"}) {
    CHECK(begins_with_control(turns));
    CHECK(printable(std::string("a") + turns + "b") == "a?b");
  }
  // Their neighbours turn nothing around.
  for (const char* other : {"\xd8\x9b", "\xd8\x9d", "\xe2\x80\x8d", "\xe2\x80\x90", "\xe2\x80\xa9", "\xe2\x80\xaf",
                            "\xe2\x81\xa5", "\xe2\x81\xaa"})
    CHECK_FALSE(begins_with_control(other));
}

TEST_CASE("characters that nobody sees are printed as their number") {
  CHECK(printable("a\xc2\xa0"
                  "b") == "a<U+00A0>b");
  CHECK(printable("\xe2\x80\xa8\xef\xbb\xbf") == "<U+2028><U+FEFF>");
  CHECK(printable("\xf3\xa0\x84\x80") == "<U+E0100>");
  for (const char* plain : {"\xc2\xa1", "\xe2\x80\x90", "\xe3\x80\x81", "\xf0\x9f\x98\x80"})
    CHECK(printable(plain) == plain);
}

TEST_CASE("hidden characters have names") {
  const HiddenCharacter* space = hidden_character("\xc2\xa0");
  REQUIRE(space != nullptr);
  CHECK(space->name == "no-break space");
  CHECK((space->blank && !space->in_words));
  const HiddenCharacter* joiner = hidden_character("\xe2\x80\x8d");
  REQUIRE(joiner != nullptr);
  CHECK((!joiner->blank && joiner->in_words));
  CHECK(hidden_character(" ") == nullptr);
  CHECK(hidden_character("\xc3\xa9") == nullptr);
}

TEST_CASE("bytes that are no character are not printable: a lenient reader may find a control character in them") {
  CHECK(printable("\xe0\x82\x9b") == "???");       // overlong
  CHECK(printable("\xed\xa0\x80") == "???");       // a surrogate
  CHECK(printable("\xf4\x90\x80\x80") == "????");  // above the last
  CHECK(printable("\x9b") == "?");
  CHECK(printable("\xe2\x82") == "??");
}

TEST_CASE("a text that is too long ends behind a word") {
  CHECK(shortened("as it is", 8) == "as it is");
  CHECK(shortened("one two three", 12) == "one two...");
  CHECK(shortened("onetwothree", 8) == "onetw...");
  CHECK(shortened("\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4", 7) == "\xC3\xA4\xC3\xA4...");
  CHECK(shortened("\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4", 6) == "\xC3\xA4...");
}

TEST_CASE("a list has a comma between two, in the words that are asked for") {
  CHECK(list_of(std::vector<std::string>()).empty());
  CHECK(list_of(std::vector<std::string>{"a"}) == "a");
  CHECK(list_of(std::vector{2, 3}, [](int n) { return counted(static_cast<std::uint64_t>(n), "stage"); }) ==
        "2 stages, 3 stages");
}

}  // namespace woa
