// woa new-kernel NAME: a folder with a kernel that works, for its user to change.
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "compiler/compiler.h"
#include "library/environment.h"
#include "library/option_values.h"
#include "runtime/base/file.h"
#include "tools/woa/commands.h"
#include "tools/woa/failure.h"
#include "tools/woa/new_kernel/texts.h"

namespace woa::tools {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAboutNewKernel =
    "Makes the folder NAME, with a kernel that adds a number to each byte, a graph that runs it, and a test. It prints "
    "the\n"
    "commands that build it and try it out. Change it from there: docs/kernels.md explains kernel.yaml and the "
    "source,\n"
    "docs/python.md kernels in Python. These need no build, but run in a program of Python only.\n"
    "\n"
    "  woa new-kernel scale\n"
    "  woa new-kernel scale --language c++\n"
    "  woa new-kernel scale --language python";

constexpr const char* kHeader = "woa/woa_kernel.h";

struct Wish {
  std::string name, language = "c";
  fs::path include;  // empty: to be found
  bool json = false;
};

struct NewFile {
  std::string name, text;
};

struct NewKernel {
  std::vector<NewFile> files;
  std::vector<std::string> commands;  // for the user, in the current folder
};

using Words = std::map<std::string, std::string>;

// `text` with each @WORD@ replaced.
std::string filled(std::string_view text, const Words& words) {
  std::string out(text);
  for (const auto& [word, meaning] : words) {
    const std::string mark = "@" + word + "@";
    for (std::size_t at = 0; (at = out.find(mark, at)) != std::string::npos; at += meaning.size())
      out.replace(at, mark.size(), meaning);
  }
  return out;
}

// `text` as one word of a command line.
std::string shell_word(const std::string& text) {
  constexpr const char* kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// This program as its user called it, and so that a script in another folder can.
std::string called() { return program_invocation_name; }
std::string called_from_anywhere() {
  std::error_code error;
  return called().find('/') == std::string::npos ? called() : fs::absolute(called(), error).lexically_normal().string();
}

// The words of YAML that would be no name.
std::string yaml_word(const std::string& name) {
  return name == "null" || name == "Null" || name == "NULL" ? '"' + name + '"' : name;
}

// The message that a kernel.yaml of that name would get.
Status check_name(const std::string& name) {
  const std::string quoted = nlohmann::json(name).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  const CheckedDescription checked = check_description(
      "woa_kernel: 1\nname: " + quoted +
      "\nin: {x: {type: bytes}}\nout: {y: {type: bytes, max: 1KiB}}\nvariants: {cpu: {size: true}}\n");
  if (checked.diagnostics.empty()) return {};
  const Diagnostic& problem = checked.diagnostics.front();
  return {Code::kInvalid, problem.text + "; " + problem.fix};
}

// The option that leads a compiler to the header; empty where compilers look by themselves.
Result<std::string> include_option(const fs::path& wished) {
  std::error_code error;
  const fs::path folder = wished.empty() ? include_folder() : fs::absolute(wished, error);
  if (!wished.empty() && !fs::is_regular_file(folder / kHeader, error))
    return Status(Code::kInvalid, "--include: there is no " + (wished / kHeader).string());
  if (folder.empty())
    return Status(Code::kNotFound, std::string(kHeader) +
                                       " is not beside this program, nor in `include` of a folder "
                                       "above it: install libwoa-dev, or name the folder that "
                                       "holds it by --include FOLDER");
  if (folder == "/usr/include" || folder == "/usr/local/include") return std::string();
  return "-I" + shell_word(folder.string()) + " ";
}

NewKernel compiled(const Wish& wish, const std::string& include) {
  const bool cpp = wish.language == "c++";
  const std::string source = wish.name + (cpp ? ".cc" : ".c"), library = "lib" + wish.name + ".so";
  const auto build = [&](const std::string& folder) {
    return (cpp ? "c++ -std=c++20" : "cc") + std::string(" -O2 -shared -fPIC ") + include + "-o " + folder + library +
           " " + folder + source;
  };
  const Words words{{"name", wish.name},
                    {"yaml_name", yaml_word(wish.name)},
                    {"kernels", "kernels: [kernel.yaml]\n"},
                    {"woa", shell_word(called_from_anywhere())},
                    {"build", build("")}};
  const std::string folder = wish.name + "/", woa = shell_word(called());
  return {{{"kernel.yaml", filled(new_kernel_text("kernel.yaml"), words)},
           {source, filled(new_kernel_text(cpp ? "kernel.cc" : "kernel.c"), words)},
           {"graph.yaml", filled(new_kernel_text("graph.yaml"), words)},
           {"test.sh", filled(new_kernel_text("test.sh"), words)}},
          {build(folder), woa + " explain " + folder + "kernel.yaml",
           woa + " run " + folder + "graph.yaml --in data=bytes:HAL --out data=-", "sh " + folder + "test.sh"}};
}

NewKernel in_python(const Wish& wish) {
  std::string module = wish.name;
  for (char& c : module)
    if (c == '-') c = '_';
  const std::string source = module + "_kernel.py", test = "test_" + module + ".py";
  const Words words{
      {"name", wish.name}, {"yaml_name", yaml_word(wish.name)}, {"kernels", ""}, {"module", module + "_kernel"}};
  return {{{source, filled(new_kernel_text("kernel.py"), words)},
           {"graph.yaml", filled(new_kernel_text("graph.yaml"), words)},
           {test, filled(new_kernel_text("test.py"), words)}},
          {"python3 " + wish.name + "/" + source, "python3 " + wish.name + "/" + test}};
}

// Makes the folder with its files, or leaves nothing.
Status make_folder(const std::string& name, const std::vector<NewFile>& files) {
  std::error_code error;
  if (!fs::create_directory(name, error))
    return {error ? Code::kUnavailable : Code::kInvalid,
            error ? "cannot make the folder " + name + ": " + error.message()
                  : "there is a folder " + name + " already: take another name, or remove it"};
  for (const NewFile& file : files) {
    if (Status written = write_file(fs::path(name) / file.name, file.text); !written.ok()) {
      fs::remove_all(name, error);
      return written;
    }
  }
  return {};
}

void print(const Wish& wish, const NewKernel& made) {
  std::printf("%s/ has", wish.name.c_str());
  for (std::size_t k = 0; k < made.files.size(); ++k)
    std::printf("%s %s", k == 0 ? "" : k + 1 < made.files.size() ? "," : " and", made.files[k].name.c_str());
  std::printf(". Try it out:\n\n");
  for (const std::string& command : made.commands) std::printf("  %s\n", command.c_str());
}

int new_kernel(const Wish& wish) {
  if (const Status named = check_name(wish.name); !named.ok()) return fail(named, kUsage, wish.json);
  NewKernel made;
  if (wish.language == "python") {
    made = in_python(wish);
  } else {
    const Result<std::string> include = include_option(wish.include);
    if (!include.ok())
      return fail(include.status(), include.status().code() == Code::kInvalid ? kUsage : kUnavailable, wish.json);
    made = compiled(wish, *include);
  }
  if (const Status status = make_folder(wish.name, made.files); !status.ok())
    return fail(status, status.code() == Code::kInvalid ? kUsage : kFailed, wish.json);
  if (wish.json) {
    nlohmann::json files = nlohmann::json::array();
    for (const NewFile& file : made.files) files.push_back(wish.name + "/" + file.name);
    print_json({{"ok", true}, {"files", std::move(files)}, {"commands", made.commands}});
  } else {
    print(wish, made);
  }
  return kDone;
}

}  // namespace

void add_new_kernel(CLI::App& app, Action& action) {
  CLI::App& command =
      *app.add_subcommand("new-kernel", "Make a folder with a kernel of your own: source, graph and test");
  command.footer(kAboutNewKernel);
  auto wish = std::make_shared<Wish>();
  command.add_option("NAME", wish->name, "Name of the kernel, and of the folder that is made")->required();
  command.add_option("--language", wish->language, "Language of the source")
      ->check(one_of({"c", "c++", "python"}))
      ->capture_default_str();
  command
      .add_option("--include", wish->include, "Folder that holds woa/woa_kernel.h (default: that of this installation)")
      ->type_name("FOLDER");
  command.add_flag("--json", wish->json, "Print one JSON object on stdout");
  command.callback([wish, &action] { action = [wish] { return new_kernel(*wish); }; });
}

}  // namespace woa::tools
