#include "runtime/base/text.h"

#include "tests/support/catch.h"

namespace woa {

TEST_CASE("what a terminal would take for commands is not printable") {
  CHECK(printable("plain, \xc3\xa4 and \xe2\x82\xac") == "plain, \xc3\xa4 and \xe2\x82\xac");
  CHECK(printable("a\x1b[31m\x7f\n") == "a?[31m??");
  CHECK(printable("a\nb\tc", "\n") == "a\nb?c");
  CHECK(printable("a\xc2\x9b"
                  "31m\xc2\xa0") == "a?31m\xc2\xa0");
  CHECK(printable("\xc2") == "?");
}

TEST_CASE("bytes that are no character are not printable: a lenient reader may find a control character in them") {
  CHECK(printable("\xe0\x82\x9b") == "???");       // overlong
  CHECK(printable("\xed\xa0\x80") == "???");       // a surrogate
  CHECK(printable("\xf4\x90\x80\x80") == "????");  // above the last
  CHECK(printable("\x9b") == "?");
  CHECK(printable("\xe2\x82") == "??");
}

}  // namespace woa
