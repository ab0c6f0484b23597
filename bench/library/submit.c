/* Submits instances of 64 bytes to the graph given, by a callback in this process; prints the seconds that they took.
 *
 *     bench_submit GRAPH COUNT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "woa/woa.h"

enum { kBytes = 64 };

static uint64_t received;

static woa_status fill(void *user, uint64_t instance, uint32_t input, woa_output *room, woa_error *error) {
  (void)user, (void)input, (void)error;
  memset(room->data, (int)instance, kBytes);
  room->bytes = kBytes;
  return WOA_OK;
}

static woa_taken complete(void *user, const woa_completion *done) {
  (void)user;
  if (done->status == WOA_OK && done->outputs[0].data[0] == (uint8_t)done->instance) received += done->outputs[0].bytes;
  return WOA_DONE;
}

static int complain(void) {
  fprintf(stderr, "bench_submit: %s\n", woa_message());
  return 1;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int count, char **arguments) {
  const woa_run_setup setup = {sizeof setup, NULL, 0, complete, NULL, NULL};
  woa_plan *plan = NULL;
  woa_run *run = NULL;
  const uint64_t instances = count == 3 ? strtoull(arguments[2], NULL, 10) : 0;
  if (instances == 0) {
    fprintf(stderr, "bench_submit: expected GRAPH COUNT\n");
    return 2;
  }
  if (woa_compile(arguments[1], NULL, NULL, 0, NULL, NULL, &plan) != WOA_OK) return complain();
  if (woa_run_start(plan, &setup, &run) != WOA_OK) return complain();
  const double began = seconds();
  for (uint64_t k = 0; k < instances;) {
    const woa_status pushed = woa_run_submit(run, fill, NULL, 0, NULL);
    if (pushed == WOA_OK) {
      ++k;
    } else if (pushed != WOA_BACK_PRESSURED || woa_run_work(run, WOA_FOREVER) != WOA_OK) {
      return complain();
    }
  }
  if (woa_run_drain(run, WOA_FOREVER) != WOA_OK) return complain();
  const double ended = seconds();
  if (received != instances * kBytes) {
    fprintf(stderr, "bench_submit: %llu bytes came back, expected %llu\n", (unsigned long long)received,
            (unsigned long long)(instances * kBytes));
    return 1;
  }
  printf("%.6f\n", ended - began);
  woa_run_free(run);
  woa_plan_free(plan);
  return 0;
}
