// Two processes joined by ofi over loopback: everything arrives, and a process that dies or stops is missed within 2 s.
#include <signal.h>

#include "tests/integration/hosts/peers.h"
#include "tests/support/require.h"

namespace woa::test {
namespace {

Program peer(const std::string& role, const Folder& folder, int packets) {
  return Program(peer_command({}, role, folder, "", packets));
}

// How long the survivor takes to report that the other, hit by `signal`, is lost.
void check_loss(const std::string& victim, const std::string& survivor, int signal) {
  Folder folder;
  Program dies = peer(victim, folder, 0), lives = peer(survivor, folder, 0);
  REQUIRE(dies.says("ready"));
  REQUIRE(lives.says("ready"));
  const std::uint64_t begin = now_ns();
  dies.signal(signal);
  const int code = lives.exit_code();
  const std::uint64_t took = now_ns() - begin;
  INFO(lives.output());
  REQUIRE(code == kLost);
  REQUIRE(lives.output().find("peer_lost: channel: ") != std::string::npos);
  check_time_to_loss(took);
}

}  // namespace

TEST_CASE("two processes: every payload arrives as it was sent, and both end in order") {
  Folder folder;
  Program producer = peer("producer", folder, 3000), consumer = peer("consumer", folder, 3000);
  const int produced = producer.exit_code(), consumed = consumer.exit_code();
  INFO(producer.output() << consumer.output());
  if (produced == kUnavailable) skip("ofi", producer.output());
  REQUIRE(produced == 0);
  REQUIRE(consumed == 0);
}

TEST_CASE("a killed consumer is missed within 2 s") { check_loss("consumer", "producer", SIGKILL); }
TEST_CASE("a killed producer is missed within 2 s") { check_loss("producer", "consumer", SIGKILL); }
TEST_CASE("a stopped consumer is missed within 2 s") { check_loss("consumer", "producer", SIGSTOP); }
TEST_CASE("a stopped producer is missed within 2 s") { check_loss("producer", "consumer", SIGSTOP); }

}  // namespace woa::test
