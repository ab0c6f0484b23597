#include "tools/woa/columns.h"

#include <algorithm>

namespace woa::tools {

std::vector<std::string> in_columns(const std::vector<Cells>& rows, Align align) {
  std::vector<std::size_t> widths;
  for (const Cells& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], row[k].size());
  }
  std::vector<std::string> lines;
  for (const Cells& row : rows) {
    std::string& line = lines.emplace_back();
    for (std::size_t k = 0; k < row.size(); ++k) {
      const std::string space(widths[k] - row[k].size(), ' ');
      line += k == 0 ? "" : "  ";
      line += k == 0 || align == Align::kLeft ? row[k] + space : space + row[k];
    }
    line.erase(line.find_last_not_of(' ') + 1);
  }
  return lines;
}

}  // namespace woa::tools
