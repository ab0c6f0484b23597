// Sources of the key; no error tells it.
#include <cctype>

#include "tests/unit/kernels/codecs/aes_gcm.h"
#include "tests/unit/kernels/codecs/temporary_folder.h"

namespace woa::test {
namespace {

const std::vector<std::string> kBoth{"aes_gcm_encrypt", "aes_gcm_decrypt"};

// True if any four characters in a row of the key stand in the text.
bool tells_key(const std::string& message) {
  for (std::size_t i = 0; i + 4 <= kKey.size(); ++i) {
    if (contains(message, kKey.substr(i, 4))) return true;
  }
  return false;
}

void check_create_fails(const std::string& kernel, const Params& params, woa_status status, std::string_view part) {
  const KernelUnderTest made(kernel, params, {kRoom});
  CAPTURE(kernel, made.created().message);
  CHECK(made.created().status == status);
  CHECK(contains(made.created().message, part));
  CHECK_FALSE(tells_key(made.created().message));
}

void check_same_key(const Params& one, const Params& other) {
  const Token plain = text("apples");
  const Answer packet = KernelUnderTest("aes_gcm_encrypt", one, {kRoom}).run({plain});
  REQUIRE(packet.status == WOA_OK);
  const Answer answer = KernelUnderTest("aes_gcm_decrypt", other, {kRoom}).run({*packet.outs[0]});
  INFO(answer.message);
  REQUIRE(answer.status == WOA_OK);
  CHECK(*answer.outs[0] == plain);
}

TEST_CASE("a key file may end in a line end, and its digits may be capitals") {
  const TemporaryFolder folder;
  const std::string path = folder.file("key");
  std::string capitals = kKey;
  for (char& c : capitals) c = static_cast<char>(std::toupper(c));
  for (const std::string& content : {kKey, kKey + "\n", kKey + "\r\n", "\xEF\xBB\xBF" + kKey + "\r\n", capitals}) {
    write_file(path, content);
    check_same_key({{"key_file", path}}, {{"key", kKey}});
    check_same_key({{"key", kKey}}, {{"key_file", path}, {"key", ""}});
  }
}

TEST_CASE("the key file wins over the secret") {
  const TemporaryFolder folder;
  write_file(folder.file("key"), kKey);
  check_same_key({{"key_file", folder.file("key")}, {"key", std::string(64, '0')}}, {{"key", kKey}});
  check_same_key({{"key_file", ""}, {"key", kKey}}, {{"key", kKey}});
}

TEST_CASE("a key of another length is refused") {
  const TemporaryFolder folder;
  const std::string path = folder.file("key");
  for (const std::string& kernel : kBoth) {
    for (const std::string& content : {kKey.substr(1), kKey.substr(0, 32) + "\n", std::string("\n"), std::string()}) {
      write_file(path, content);
      check_create_fails(kernel, {{"key_file", path}}, WOA_INVALID, "key_file holds fewer");
    }
    for (const std::string& content : {kKey + "0", kKey + "\n\n", kKey + " \n", kKey + kKey}) {
      write_file(path, content);
      check_create_fails(kernel, {{"key_file", path}}, WOA_INVALID, "key_file holds more");
    }
    check_create_fails(kernel, {{"key", kKey + "0"}}, WOA_INVALID, "parameter key holds more");
    check_create_fails(kernel, {{"key", kKey.substr(2)}}, WOA_INVALID, "expected 64 hexadecimal digits");
  }
}

TEST_CASE("a character that is no digit is told by its place") {
  const TemporaryFolder folder;
  const std::string path = folder.file("key");
  for (const char wrong : {'g', 'G', ' ', '\0', '\n', '/', ':', '@', '`'}) {
    std::string content = kKey;
    content[41] = wrong;
    write_file(path, content);
    check_create_fails("aes_gcm_decrypt", {{"key_file", path}}, WOA_INVALID, "key_file: character 42");
  }
}

TEST_CASE("a character that editors may hide is named by its number") {
  const TemporaryFolder folder;
  const std::string path = folder.file("key");
  const std::vector<std::pair<std::string, std::string>> contents{
      {kKey + "\r", "character 65 is U+000D"},
      {kKey + "\xC2\xA0\n", "character 65 is U+00A0"},
      {kKey.substr(0, 41) + "\xE2\x80\x8B" + kKey.substr(41), "character 42 is U+200B"},
      {"\xEF\xBB\xBF\xEF\xBB\xBF" + kKey, "character 1 is U+FEFF"}};
  for (const auto& [content, part] : contents) {
    write_file(path, content);
    check_create_fails("aes_gcm_decrypt", {{"key_file", path}}, WOA_INVALID, part + ", which editors may hide: remove");
  }
}

TEST_CASE("a key file that cannot be read is unavailable") {
  const TemporaryFolder folder;
  for (const std::string& path : {folder.file("missing"), folder.path()}) {
    check_create_fails("aes_gcm_decrypt", {{"key_file", path}, {"key", kKey}}, WOA_UNAVAILABLE, ": " + path);
  }
}

TEST_CASE("without a key there is advice") {
  const std::vector<Params> none{{}, {{"key_file", ""}}, {{"key", ""}}, {{"key_file", ""}, {"key", ""}}};
  for (const std::string& kernel : kBoth) {
    for (const Params& params : none) {
      check_create_fails(kernel, params, WOA_UNAVAILABLE, "give parameter key_file");
      check_create_fails(kernel, params, WOA_UNAVAILABLE, "secret parameter key");
    }
  }
}

}  // namespace
}  // namespace woa::test
