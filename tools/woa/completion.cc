#include "tools/woa/completion.h"

#include <sstream>

#include "tools/woa/command_line.h"

namespace woa::tools {
namespace {

// The option of that name that takes a value, or null.
const CLI::Option* option_with_value(const CLI::App& command, const std::string& name) {
  const CLI::Option* const option = name.starts_with('-') ? command.get_option_no_throw(name) : nullptr;
  return option != nullptr && option->get_items_expected_max() > 0 ? option : nullptr;
}

// The values of an option with a choice, which its type lists as `TEXT:{one,other}`.
std::vector<std::string> choices(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t begin = type.find('{');
  if (begin == std::string::npos) return {};
  std::istringstream list(type.substr(begin + 1, type.find('}') - begin - 1));
  std::vector<std::string> found;
  for (std::string choice; std::getline(list, choice, ',');) found.push_back(choice);
  return found;
}

// Collects the words that begin as the typed one does.
class Offers {
 public:
  explicit Offers(std::string typed) : typed_(std::move(typed)) {}
  void add(const std::string& word, const std::string& description) {
    if (word.starts_with(typed_)) lines_ += word + "\t" + description.substr(0, description.find('\n')) + "\n";
  }
  [[nodiscard]] const std::string& lines() const noexcept { return lines_; }

 private:
  std::string typed_, lines_;
};

void offer_commands(const CLI::App& command, Offers& offers) {
  for (const CLI::App* each : command.get_subcommands({}))
    if (!each->get_group().empty()) offers.add(each->get_name(), each->get_description());
}

void offer_options(const CLI::App& command, Offers& offers) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;  // hidden
    for (const std::string& name : option->get_snames()) offers.add("-" + name, option->get_description());
    for (const std::string& name : option->get_lnames()) offers.add("--" + name, option->get_description());
  }
}

}  // namespace

std::string completions(const CLI::App& app, std::vector<std::string> words) {
  const std::string typed = words.empty() ? "" : words.back();
  if (!words.empty()) words.pop_back();

  const CLI::App* command = &app;
  const CLI::Option* open = nullptr;  // the option whose value comes next
  for (const std::string& word : words) {
    const CLI::App* const found = open == nullptr ? find_command(*command, word) : nullptr;
    open = open == nullptr ? option_with_value(*command, word) : nullptr;
    if (found != nullptr) command = found;
  }
  std::string before;
  if (const std::size_t equals = typed.find('='); open == nullptr && equals != std::string::npos) {
    open = option_with_value(*command, typed.substr(0, equals));
    before = typed.substr(0, equals + 1);
  }

  Offers offers(typed);
  if (open != nullptr)
    for (const std::string& choice : choices(*open)) offers.add(before + choice, "");
  else if (typed.starts_with('-'))
    offer_options(*command, offers);
  else
    offer_commands(command->get_name() == "help" ? app : *command, offers);
  return offers.lines();
}

}  // namespace woa::tools
