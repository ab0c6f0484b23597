#include "controllers/fpga/xrt/node_description.h"

#include "controllers/fpga/wact_tables.h"
#include "runtime/base/text.h"

namespace woa {
namespace {

constexpr std::size_t kRegisterLines = 4, kNamesOfLine = 4;

std::string text_of(const NodeLimits& node) {
  return counted(node.stages, "stage") + ", " + counted(node.routes, "route") + ", " +
         counted(node.channels, "channel") + " and the cores " + list_of(node.cores);
}

}  // namespace

Status check_description(NodeUnit& unit) {
  const Xclbin::Node& node = *unit.card().xclbin.node;
  const NodeLimits expected{node.stages, node.routes, node.channels, node.cores};
  NodeUnit::Line command{};
  command[wact::kCommandMagic] = wact::kCommandId;
  command[wact::kCommandOperation] = wact::kOperationDescribe;
  command[wact::kCommandLines] = 1;
  const std::size_t name_lines = (expected.cores.size() + kNamesOfLine - 1) / kNamesOfLine;
  const auto lines = unit.run({command}, kRegisterLines + name_lines, "describe");
  if (!lines.ok()) return lines.status();
  std::vector<std::uint32_t> words;
  for (const NodeUnit::Line& line : std::span(*lines).subspan(1)) words.insert(words.end(), line.begin(), line.end());
  const std::uint32_t limits = words[wact::kRegLimits];
  const std::size_t names = kRegisterLines * wact::kEntryWords;
  const std::string differs = "the node on card '" + unit.card().description.device + "' is not the one that " +
                              unit.card().xclbin_file.string() + " describes: ";
  const std::string advice = "; describe the node that was built: `tools/fpga-xclbin node`";
  if (words[wact::kRegId] != wact::kId || core_name_words(limits) > words.size() - names)
    return {Code::kUnsupported, differs + "it answers with id " + std::to_string(words[wact::kRegId]) + " and limits " +
                                    std::to_string(limits) + advice};
  const NodeLimits found =
      node_limits(limits, std::span(words).subspan(names, core_name_words(limits)), words[wact::kRegMatches]);
  if (found == expected) return {};
  return {Code::kUnsupported,
          differs + "it has " + text_of(found) + ", and the file says " + text_of(expected) + advice};
}

}  // namespace woa
