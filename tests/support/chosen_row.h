// One program, several rows: a conformance suite runs once for each of its back-ends, as the environment says.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace woa::test {

// Rows of a suite by name. A row joins by an object of static storage in its own file, before main().
template <class Row>
class Rows {
 public:
  explicit Rows(const char* variable) : variable_(variable) {}
  void add(std::string_view name, Row row) { rows_.push_back({name, row}); }
  // The row that the environment variable names; ends the program where it names none.
  const Row& chosen() const {
    const char* text = std::getenv(variable_);
    const std::string_view name = text == nullptr ? "" : text;
    for (const Named& row : rows_)
      if (row.name == name) return row.row;
    std::fprintf(stderr, "%s is '%s'; it must be one of:", variable_, text == nullptr ? "" : text);
    for (const Named& row : rows_) std::fprintf(stderr, " %.*s", static_cast<int>(row.name.size()), row.name.data());
    std::fputs("\n", stderr);
    std::exit(2);
  }

 private:
  struct Named {
    std::string_view name;
    Row row;
  };
  const char* variable_;
  std::vector<Named> rows_;
};

}  // namespace woa::test
