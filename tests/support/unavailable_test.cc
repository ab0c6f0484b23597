// unavailable_test NAME REASON: in place of a test whose library was not found at build time.
#include "tests/support/require.h"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  woa::test::report_unavailable(argv[1], argv[2]);
  return woa::test::required(argv[1]) ? 1 : 77;
}
