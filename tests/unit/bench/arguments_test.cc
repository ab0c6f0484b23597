// The arguments of the programs of peers, and how large their jobs get.
#include <string>
#include <vector>

#include "bench/peers/peer.h"
#include "bench/peers/peer_program.h"
#include "tests/support/catch.h"

namespace woa::bench {
namespace {

Result<PeerArguments> read_words(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  return read_arguments(arguments, "one|another");
}

TEST_CASE("the arguments of a peer's program") {
  const auto all = read_words({"program", "another", "pipeline", "64", "8", "1000", "0", "1", "0", "1"});
  REQUIRE(all.ok());
  CHECK(all->way == "another");
  CHECK(all->shape == PeerArguments::Shape::kPipeline);
  CHECK(all->bytes == 64);
  CHECK(all->window == 8);
  CHECK(all->sides.messages == 1000);
  CHECK(all->sides.processors == std::vector<std::size_t>{0, 1, 0, 1});
  CHECK(all->sides.warm_up > all->window);
}

TEST_CASE("a peer's program is told how it is used") {
  const std::vector<std::string> right{"program", "one", "fanout", "64", "1", "10", "0", "1"};
  REQUIRE(read_words(right).ok());
  for (const auto& [place, word] :
       {std::pair{1U, "one|another"}, {2U, "walk"}, {3U, "0"}, {4U, "0"}, {5U, "-1"}, {6U, "x"}}) {
    auto wrong = right;
    wrong[place] = word;
    CHECK(read_words(wrong).status().code() == Code::kInvalid);
  }
  CHECK_FALSE(read_words({"program", "one", "fanout", "64", "1", "10", "0"}).ok());
  CHECK_FALSE(read_words({"program", "one", "stream", "64", "1", "10", "0", "1", "0"}).ok());
  CHECK_FALSE(read_words({"program", "one", "pipeline", "1", "1", "10", "0", "1"}).ok());
}

TEST_CASE("peers take no part where they would fill the memory") {
  CHECK(peers_can_hold({"pipeline", 4 << 20, 40, 8, {0, 1, 0, 1}}));
  CHECK(peers_can_hold({"fanout", 1 << 20, 40, 1, std::vector<std::size_t>(9)}));
  CHECK_FALSE(peers_can_hold({"pipeline", 256 << 20, 40, 8, {0, 1, 0, 1}}));
  CHECK_FALSE(peers_can_hold({"fanout", 64 << 20, 40, 1, std::vector<std::size_t>(65)}));
}

}  // namespace
}  // namespace woa::bench
