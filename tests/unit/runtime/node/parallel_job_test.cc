// Which process of a job this is, where no PMIx server is there to ask.
#include "runtime/node/parallel_job.h"

#include "tests/support/catch.h"
#include "tests/support/need.h"
#include "tests/unit/runtime/node/variables.h"

namespace woa::test {
namespace {

bool mentions(const Status& status, const std::string& text) {
  return status.message().find(text) != std::string::npos;
}

JobPlace place(const std::vector<std::pair<std::string, std::string>>& set) {
  const Variables variables(set);
  return need(ParallelJob::find()).place();
}

}  // namespace

TEST_CASE("a process that no launcher started is in no job") {
  const Variables variables({});
  ParallelJob job = need(ParallelJob::find());
  REQUIRE_FALSE(job.place().in_job());
  REQUIRE(job.publish_run("127.0.0.1:1").code() == Code::kUnavailable);
  const auto address = job.find_run(1);
  REQUIRE(address.status().code() == Code::kUnavailable);
  REQUIRE(mentions(address.status(), "PMIX_NAMESPACE and PMIX_SERVER_URI... are not set"));
}

TEST_CASE("launchers tell the place by their variables") {
  for (const auto& [rank, size] :
       {std::pair("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), std::pair("PMI_RANK", "PMI_SIZE"),
        std::pair("SLURM_PROCID", "SLURM_STEP_NUM_TASKS")}) {
    INFO(rank);
    const JobPlace third = place({{rank, "2"}, {size, "4"}});
    REQUIRE(third.rank == 2);
    REQUIRE(third.size == 4);
    REQUIRE_FALSE(place({{rank, "0"}, {size, "1"}}).in_job());
    REQUIRE_FALSE(place({{rank, "4"}, {size, "4"}}).in_job());
    REQUIRE_FALSE(place({{rank, "x"}, {size, "4"}}).in_job());
    REQUIRE_FALSE(place({{size, "4"}}).in_job());
  }
}

TEST_CASE("of two launchers the inner one counts") {
  const JobPlace inner = place({{"SLURM_PROCID", "0"},
                                {"SLURM_STEP_NUM_TASKS", "2"},
                                {"OMPI_COMM_WORLD_RANK", "5"},
                                {"OMPI_COMM_WORLD_SIZE", "6"}});
  REQUIRE(inner.rank == 5);
  REQUIRE(inner.size == 6);
}

TEST_CASE("variables of PMIx that name no server are left over, and mean nothing") {
  const JobPlace alone = place({{"PMIX_NAMESPACE", "job"}, {"PMIX_RANK", "1"}});
  REQUIRE_FALSE(alone.in_job());
  const Variables variables({{"PMIX_NAMESPACE", "job"}, {"PMI_RANK", "1"}, {"PMI_SIZE", "2"}});
  REQUIRE(need(ParallelJob::find()).told_by() == "PMI_RANK PMI_SIZE");
}

TEST_CASE("where PMIx is offered but cannot be asked, no process takes itself for alone") {
  const PmixOptions nowhere{.library = "libwoa-no-such-library.so", .timeout_s = 1};
  {
    const Variables variables({{"PMIX_NAMESPACE", "job"}, {"PMIX_RANK", "1"}, {"PMIX_SERVER_URI4", "server"}});
    const auto job = ParallelJob::find(nowhere);
    REQUIRE(job.status().code() == Code::kUnavailable);
    REQUIRE(mentions(job.status(), "which of its job this is cannot be told"));
    REQUIRE(mentions(job.status(), "unset PMIX_NAMESPACE"));
  }
  const Variables variables({{"PMIX_NAMESPACE", "job"},
                             {"PMIX_RANK", "1"},
                             {"PMIX_SERVER_URI4", "server"},
                             {"SLURM_PROCID", "1"},
                             {"SLURM_STEP_NUM_TASKS", "3"}});
  ParallelJob job = need(ParallelJob::find(nowhere));
  REQUIRE(job.place().rank == 1);
  REQUIRE(job.place().size == 3);
  REQUIRE(job.find_run(1).status().code() == Code::kUnavailable);
  REQUIRE(mentions(job.find_run(1).status(), "libpmix"));
}

}  // namespace woa::test
