// Two hosts as two network namespaces joined by a virtual cable. Needs root and iproute2; skipped with the reason
// otherwise.
#include <signal.h>

#include <cstdlib>
#include <memory>
#include <sstream>

#include "tests/integration/hosts/peers.h"
#include "tests/support/require.h"

namespace woa::test {
namespace {

// The output of `command`, and its exit code.
struct Answer {
  int code = 0;
  std::string text;
};
Answer run(const std::vector<std::string>& command) {
  Program program(command);
  const int code = program.exit_code();
  return {code, program.output()};
}

std::vector<std::string> split(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

Answer ip(const std::string& arguments) {
  std::vector<std::string> command = split(arguments);
  command.insert(command.begin(), "ip");
  return run(command);
}

// Two namespaces, 10.77.0.1 in the first and 10.77.0.2 in the second. Their names end in this process's id.
class Namespaces {
 public:
  Namespaces() {
    remove_stale();
    if (getuid() != 0) skip("netns", "network namespaces need root");
    if (const Answer made = ip("netns add " + name(0)); made.code != 0)
      skip("netns",
           "`ip netns add` failed with code " + std::to_string(made.code) + "; iproute2 and the right to make one");
    const bool ok =
        ip("netns add " + name(1)).code == 0 &&
        ip("link add name cable netns " + name(0) + " type veth peer name cable netns " + name(1)).code == 0 &&
        configure(0) && configure(1);
    if (!ok) {
      remove();
      skip("netns", "a virtual cable between namespaces cannot be made here");
    }
  }
  ~Namespaces() { remove(); }
  Namespaces(const Namespaces&) = delete;
  Namespaces& operator=(const Namespaces&) = delete;

  static std::string name(int which) { return "woa-" + std::to_string(getpid()) + (which == 0 ? "-a" : "-b"); }
  static std::vector<std::string> inside(int which) { return {"ip", "netns", "exec", name(which)}; }
  static std::string address(int which) { return "10.77.0." + std::to_string(which + 1); }

 private:
  static bool configure(int which) {
    const std::string at = "-n " + name(which);
    return ip(at + " address add " + address(which) + "/24 dev cable").code == 0 &&
           ip(at + " link set cable up").code == 0 && ip(at + " link set lo up").code == 0;
  }
  static void remove() {
    for (int which = 0; which < 2; ++which) (void)ip("netns delete " + name(which));
  }
  // Removes namespaces of a run that was killed before it could.
  static void remove_stale() {
    for (const std::string& word : split(ip("netns list").text)) {
      if (word.rfind("woa-", 0) != 0) continue;
      const long process = std::atol(word.c_str() + 4);
      if (process > 0 && kill(static_cast<pid_t>(process), 0) != 0) (void)ip("netns delete " + word);
    }
  }
};

}  // namespace

TEST_CASE("two hosts: every payload arrives, by the interface that was named") {
  auto hosts = std::make_unique<Namespaces>();
  for (const std::string request : {"cable", "10.77.0.0/24"}) {
    Folder folder;
    Program producer(peer_command(Namespaces::inside(0), "producer", folder, request, 1000));
    Program consumer(peer_command(Namespaces::inside(1), "consumer", folder, request, 1000));
    const int produced = producer.exit_code(), consumed = consumer.exit_code();
    INFO(producer.output() << consumer.output());
    if (produced == kUnavailable) hosts.reset(), skip("ofi", producer.output());
    REQUIRE(produced == 0);
    REQUIRE(consumed == 0);
  }
}

TEST_CASE("a cable that is pulled loses both ends") {
  const Namespaces hosts;
  Folder folder;
  Program producer(peer_command(Namespaces::inside(0), "producer", folder, "cable", 0));
  Program consumer(peer_command(Namespaces::inside(1), "consumer", folder, "cable", 0));
  REQUIRE(producer.says("ready"));
  REQUIRE(consumer.says("ready"));
  const std::uint64_t begin = now_ns();
  REQUIRE(ip("-n " + Namespaces::name(0) + " link set cable down").code == 0);
  REQUIRE(producer.exit_code() == kLost);
  REQUIRE(consumer.exit_code() == kLost);
  check_time_to_loss(now_ns() - begin);  // of both, one after the other, and the command itself
}

TEST_CASE("an interface of the other host is refused with what there is") {
  const Namespaces hosts;
  Folder folder;
  Program lost(peer_command(Namespaces::inside(0), "producer", folder, Namespaces::address(1), 1));
  REQUIRE(lost.exit_code() != 0);
  REQUIRE(lost.output().find("Requested: '10.77.0.2'; translated: nothing; available: ") != std::string::npos);
  REQUIRE(lost.output().find("cable 10.77.0.1") != std::string::npos);
}

}  // namespace woa::test
