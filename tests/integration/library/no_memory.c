/* A program that uses most of woa.h while memory is refused once (tests/support/refuse_memory.c): whatever fails says
 * so, each instance ends once, and the next run of the program is right and leaves nothing behind.
 *
 *   no_memory MODE    MODE: caller, own or processes, by who drives the run and where controllers run
 *
 * Prints "failed STATUS MESSAGE" for each call and instance that failed. Exits 0 if all is well. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "woa/woa.h"

__attribute__((weak)) void woa_refuse_memory(int on);
__attribute__((weak)) long woa_live_allocations(void);

static const char *const graph =
    "woa: 1\n"
    "graph: work\n"
    "inputs: {x: {type: bytes, max: 64}}\n"
    "stages:\n"
    "  cut: {kernel: split_lines, in: {data: x}, on: \"cpu:0\"}\n"
    "  each: {kernel: fail_if, params: {byte: 70}, in: {data: cut.line}, on: \"cpu:1\"}\n"
    "  paste: {kernel: join_lines, in: {lines: each.data}, on: \"cpu:0\"}\n"
    "outputs: {y: paste.data}\n";
static const char *const texts[] = {
    "one\n", "F fails\n", "refused", "too large", "two\nlines\n", "three\nlines\nhere\n", "kept\n", "kept, too\n"};
enum { kTexts = sizeof texts / sizeof *texts, kFailsFrom = 1, kGoodFrom = 4, kKeptFrom = 6, kLimit_s = 10 };

struct work {
  woa_run *run;
  int bad, submitted, ended[kTexts], failed;
  uint64_t kept[kTexts];
  int kept_count;
};

static void say(struct work *work, woa_status status, const char *message) {
  printf("failed %s %s\n", woa_status_name(status), message);
  work->failed = 1;
  if (*message == 0) work->bad = 1;
}

/* True if the call did what it should. */
static int done(struct work *work, woa_status status) {
  if (status != WOA_OK) say(work, status, woa_message());
  return status == WOA_OK;
}

static woa_status fill(void *user, uint64_t instance, uint32_t input, woa_output *room, woa_error *error) {
  (void)instance, (void)input;
  const char *const text = texts[(uintptr_t)user];
  if ((uintptr_t)user == 2) return woa_fail(error, WOA_UNAVAILABLE, "the file is gone");
  room->bytes = (uintptr_t)user == 3 ? 1000 : strlen(text);
  if (room->bytes > room->capacity) return WOA_OK;
  memcpy(room->data, text, room->bytes);
  return WOA_OK;
}

static woa_taken complete(void *user, const woa_completion *end) {
  struct work *const work = user;
  const uintptr_t which = (uintptr_t)end->user;
  ++work->ended[which];
  if (end->status != WOA_OK) {
    if (which < kFailsFrom || which >= kGoodFrom) say(work, end->status, end->message);
    return WOA_DONE;
  }
  if ((which >= kFailsFrom && which < kGoodFrom) || end->outputs[0].bytes != strlen(texts[which]) ||
      memcmp(end->outputs[0].data, texts[which], end->outputs[0].bytes) != 0)
    work->bad = 1;
  if (which < kKeptFrom) return WOA_DONE;
  work->kept[work->kept_count++] = end->instance;
  return WOA_KEEP;
}

static void use(struct work *work, woa_plan *plan) {
  uint64_t numbers[kTexts];
  for (uintptr_t k = 0; k < kTexts; ++k) {
    if (!done(work, woa_run_submit_within(work->run, fill, (void *)k, 0, kLimit_s * 1000000000ull, &numbers[k])))
      continue;
    work->submitted |= 1 << k;
    if (k % 2 == 0) done(work, woa_run_wait(work->run, numbers[k], kLimit_s * 1000000000ull));
  }
  woa_statistics statistics = {.size = sizeof statistics};
  done(work, woa_run_statistics(work->run, &statistics));
  woa_run_drain(work->run, kLimit_s * 1000000000ull);
  for (int k = 0; k < work->kept_count; ++k) done(work, woa_run_give_back(work->run, work->kept[k]));
  woa_run_cancel(work->run, 0, "it has ended"); /* not found */
  char *json = NULL;
  if (done(work, woa_run_finish(work->run, &json)) && strstr(json, "\"failures\"") == NULL) work->bad = 1;
  woa_text_free(json);
  (void)plan;
  for (int k = 0; k < kTexts; ++k)
    if (work->ended[k] != (work->submitted >> k & 1)) {
      printf("instance %d ended %d times\n", k, work->ended[k]);
      work->bad = 1;
    }
}

/* All of it once. */
static struct work go(const char *mode) {
  struct work work = {0};
  woa_plan *plan = NULL;
  if (!done(&work, woa_compile("graph.yaml", graph, NULL, 0, NULL, NULL, &plan))) {
    if (plan != NULL) work.bad = 1;
    return work;
  }
  char *text = NULL;
  done(&work, woa_plan_text(plan, "json", &text));
  woa_text_free(text);
  const woa_option options[] = {{"processes", strcmp(mode, "processes") == 0 ? "per-controller" : "one"},
                                {"thread", strcmp(mode, "caller") == 0 ? "caller" : "own"}};
  const woa_run_setup setup = {sizeof setup, options, 2, complete, &work, NULL};
  if (done(&work, woa_run_start(plan, &setup, &work.run))) use(&work, plan);
  woa_run_free(work.run);
  woa_plan_free(plan);
  return work;
}

static int files(void) {
  int count = 0;
  for (int k = 0; k < 1000; ++k) count += fcntl(k, F_GETFD) != -1;
  return count;
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  static char buffer[4096];
  setvbuf(stdout, buffer, _IOLBF, sizeof buffer);
  woa_plan *none = NULL;
  woa_compile("graph.yaml", "woa: 1\n", NULL, 0, NULL, NULL,
              &none); /* invalid; the first exceptions leave something behind */
  const woa_option unknown = {"no such option", "1"};
  woa_compile("graph.yaml", graph, &unknown, 1, NULL, NULL, &none);
  int bad = 0;
  long live[4] = {0};
  int open_files[4];
  const int disturbed = getenv("WOA_REFUSE_FIRST") != NULL ? 0 : 2;
  for (int k = 0; k < 4; ++k) { /* the first fills what stays, the second is the measure */
    if (woa_refuse_memory != NULL) woa_refuse_memory(k == disturbed);
    const struct work work = go(argv[1]);
    woa_plan_write(NULL, ""); /* invalid: so that the message of this thread is always the same */
    if (woa_refuse_memory != NULL) woa_refuse_memory(0);
    bad |= work.bad || (work.failed && k != disturbed);
    if (woa_live_allocations != NULL) live[k] = woa_live_allocations();
    open_files[k] = files();
    if (work.bad) printf("round %d is wrong\n", k);
  }
  printf("left %ld/%d %ld/%d %ld/%d %ld/%d\n", live[0], open_files[0], live[1], open_files[1], live[2], open_files[2],
         live[3], open_files[3]); /* allocations and descriptors after each round */
  return bad;
}
