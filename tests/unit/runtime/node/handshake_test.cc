// Joining a run: no byte of the three messages can be changed, nor can one be used a second time.
#include "runtime/node/handshake.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "runtime/node/tcp_socket.h"
#include "tests/support/catch.h"

namespace woa::test {
namespace {

using namespace handshake;

Result<RunSecret> secret_of(const std::string& text, mode_t mode = 0600) {
  std::string name = (std::filesystem::temp_directory_path() / "woa-secret-XXXXXX").string();
  const int file = mkstemp(name.data());
  REQUIRE(file >= 0);
  close(file);
  std::ofstream(name) << text;
  REQUIRE(chmod(name.c_str(), mode) == 0);
  auto secret = RunSecret::read(name);
  std::filesystem::remove(name);
  return secret;
}

RunSecret secret() { return *secret_of("00112233445566778899aabbccddeeff\n"); }

struct Exchange {
  Greeting greeting = *greet();
  Answer reply = *answer(greeting, "cpu:1", {2, 5}, secret());
  Admission admission = *admit(greeting, reply, 5, secret());
};

}  // namespace

TEST_CASE("who has the secret is admitted, with what it asked for") {
  const Exchange exchange;
  REQUIRE(accept(exchange.greeting, exchange.reply, exchange.admission, secret()).ok());
  REQUIRE(wanted(exchange.reply) == "cpu:1");
  REQUIRE(exchange.reply.job.rank == 2);
  REQUIRE(exchange.reply.job.size == 5);
}

TEST_CASE("another secret, or any changed bit, is not admitted") {
  const RunSecret other = *secret_of("00112233445566778899aabbccddeefe");
  Exchange exchange;
  REQUIRE(admit(exchange.greeting, exchange.reply, 5, other).status().code() == Code::kUnauthentic);
  REQUIRE(accept(exchange.greeting, exchange.reply, exchange.admission, other).code() == Code::kUnauthentic);
  const auto each_bit = [](auto& message, const auto& refused) {
    for (std::byte& byte : bytes_of(message)) {
      for (int bit = 0; bit < 8; ++bit) {
        byte ^= std::byte(1U << bit);
        REQUIRE(refused());
        byte ^= std::byte(1U << bit);
      }
    }
  };
  each_bit(exchange.reply, [&] { return !admit(exchange.greeting, exchange.reply, 5, secret()).ok(); });
  each_bit(exchange.greeting, [&] { return !admit(exchange.greeting, exchange.reply, 5, secret()).ok(); });
  each_bit(exchange.admission,
           [&] { return !accept(exchange.greeting, exchange.reply, exchange.admission, secret()).ok(); });
}

TEST_CASE("what was overheard opens nothing") {
  const Exchange overheard, now;
  REQUIRE(admit(now.greeting, overheard.reply, 5, secret()).status().code() == Code::kUnauthentic);
  REQUIRE(accept(now.greeting, now.reply, overheard.admission, secret()).code() == Code::kUnauthentic);
  Answer reflected = now.reply;  // a node that sends the host's own proof back
  reflected.proof = now.admission.proof;
  REQUIRE(admit(now.greeting, reflected, 5, secret()).status().code() == Code::kUnauthentic);
}

TEST_CASE("a secret is a file of hexadecimal digits that only its owner reads") {
  REQUIRE(secret_of("  00112233445566778899AABBCCDDEEFF \n").ok());
  for (const char* wrong : {"", "\n", "00112233445566778899aabbccddeef", "00112233445566778899aabbccddeefg",
                            "0011223344556677 8899aabbccddeeff", "short"})
    REQUIRE(secret_of(wrong).status().code() == Code::kInvalid);
  REQUIRE(secret_of("00112233445566778899aabbccddeeff", 0640).status().code() == Code::kInvalid);
  REQUIRE(RunSecret::read("/nowhere/secret").status().code() == Code::kNotFound);
}

TEST_CASE("a secret may begin with a byte order mark and end in CRLF; any other hidden character is named") {
  const std::string digits = "00112233445566778899aabbccddeeff";
  REQUIRE(secret_of("\xEF\xBB\xBF" + digits + "\r\n").ok());
  const auto says = [](const std::string& text, std::string_view part) {
    const Status status = secret_of(text).status();
    INFO(status.message());
    return status.code() == Code::kInvalid && status.message().find(part) != std::string::npos;
  };
  REQUIRE(says(digits + "\xC2\xA0\n", "has U+00A0 (no-break space), which editors do not show"));
  REQUIRE(says(digits + "\xE2\x80\x8B", "has U+200B (zero-width space)"));
  REQUIRE(says(digits + "\r", "has U+000D (carriage return) without a line feed"));
  REQUIRE(says("\xEF\xBB\xBF\xEF\xBB\xBF" + digits, "has U+FEFF (byte order mark)"));
}

TEST_CASE("addresses of runs") {
  const auto parse = [](const char* text) { return HostAndPort::parse(text); };
  REQUIRE(parse("10.0.0.1:80")->host == "10.0.0.1");
  REQUIRE(parse("[fd00::1]:4711")->host == "fd00::1");
  REQUIRE(parse("head-node:65535")->port == 65535);
  for (const char* wrong :
       {"", ":", ":1", "host", "host:", "host:0", "host:65536", "host:1x", "fd00::1:80", "[]:1", "[:1"})
    REQUIRE(parse(wrong).status().code() == Code::kInvalid);
}

}  // namespace woa::test
