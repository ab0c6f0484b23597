/* Reads the matrix: 100 x 100 whole numbers from 0 to 9999, row i has the weights of the edges i -> j. */
#include "bench/mibench/dijkstra/dijkstra.h"
#include "bench/mibench/kept_number.h"
#include "bench/mibench/pieces.h"

typedef struct text {
  const char *at, *end;
  int line;
} text;

/* Goes to the next word; false at the end of the text. */
static int next_word(text *t) {
  for (; t->at < t->end; ++t->at) {
    if (*t->at == '\n') ++t->line;
    if (*t->at != ' ' && *t->at != '\t' && *t->at != '\n' && *t->at != '\r') return 1;
  }
  return 0;
}

static int is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/* `count`: the numbers before this one. */
static woa_status read_weight(text *t, long count, int32_t *weight, woa_error *error) {
  const char *begin = t->at;
  int32_t value = 0;
  int digits_only = 1;
  for (; t->at < t->end && !is_space(*t->at); ++t->at) {
    if (*t->at < '0' || *t->at > '9') digits_only = 0;
    if (digits_only && value <= kNoEdge) value = value * 10 + (*t->at - '0');
  }
  if (!digits_only || value > kNoEdge) {
    const int shown = t->at - begin < 32 ? (int)(t->at - begin) : 32;
    return woa_fail(
        error, WOA_INVALID,
        "line %d of the matrix, number %ld: found `%.*s`, expected a weight from 0 to %d; write %d for no edge",
        t->line, count + 1, shown, begin, kNoEdge, kNoEdge);
  }
  *weight = value == kNoEdge ? kFar : value;
  return WOA_OK;
}

static woa_status read_matrix(const woa_input *in, int32_t *matrix, woa_error *error) {
  const char *const begin = (const char *)data_of(in);
  text t = {begin, begin + in->bytes, 1};
  long count = 0;
  for (; next_word(&t); ++count) {
    int32_t weight = 0;
    const woa_status status = read_weight(&t, count, &weight, error);
    if (status != WOA_OK) return status;
    if (count < kNodes * kNodes) matrix[count] = weight;
  }
  if (count == kNodes * kNodes) return WOA_OK;
  return woa_fail(error, WOA_INVALID,
                  "the matrix has %ld numbers in %llu bytes, expected %d: give %d lines with %d weights each, "
                  "and nothing else",
                  count, (unsigned long long)in->bytes, kNodes * kNodes, kNodes, kNodes);
}

static woa_status create(const woa_param *params, size_t count, void **self, woa_error *error) {
  return keep_param(params, count, "pairs", 1, kMostPairs, self, error);
}

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)firing;
  woa_status status = woa_claim(&outs[0], "matrix", sizeof(int32_t) * kNodes * kNodes, error);
  if (status == WOA_OK) status = woa_claim(&outs[1], "pairs", sizeof(uint32_t), error);
  if (status != WOA_OK) return status;
  outs[0].dims[0] = outs[0].dims[1] = kNodes;
  const uint32_t pairs = (uint32_t)kept_number(self);
  memcpy(outs[1].data, &pairs, sizeof pairs);
  return read_matrix(ins, (int32_t *)(void *)outs[0].data, error);
}

WOA_KERNEL_TABLE(.create = create, .destroy = free, .run = run)
