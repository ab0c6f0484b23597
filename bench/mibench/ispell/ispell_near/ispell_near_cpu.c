/* A wrong word begins a search; the forms of a candidate go on. After the last candidate the list leaves, or without
 * near misses the question how the word could be derived. */
#include "bench/mibench/ispell/tokens.h"

typedef struct near_state {
  near_misses misses;
} near_state;

/* A form has at most as many letters as the longest word, and two run together have one more. */
static woa_status take_forms(near_misses *n, const woa_input *in, woa_error *error) {
  const uint8_t *at = in->data + 1, *const end = in->data + in->bytes;
  uint32_t most = kLongest;
  forms f;
  f.count = 0;
  for (uint32_t i = 0; n->kind == kRest && i < n->left.count; ++i) {
    if (kLongest - n->left.length[i] < most) most = kLongest - n->left.length[i];
  }
  while (at < end) {
    const uint32_t length = *at++;
    if (f.count == kMostForms || length > most || length > (uint64_t)(end - at)) {
      return woa_fail(error, WOA_INVALID,
                      "form %u has %u letters and %lld bytes, expected at most %d forms of %u letters", f.count + 1,
                      length, (long long)(end - at), kMostForms, most);
    }
    f.length[f.count] = length;
    memcpy(f.codes[f.count++], at, length);
    at += length;
  }
  near_take(n, &f);
  return WOA_OK;
}

static woa_status go_on(near_misses *n, const letters *l, woa_output *outs, woa_error *error) {
  char list[kListRoom];
  uint8_t codes[kLongest + 28];
  word candidate;
  bool high;
  if (near_next(n, l, &candidate, &high)) {
    for (uint32_t i = 0; i < candidate.length; ++i) codes[i] = (uint8_t)(2 * candidate.folded[i] + 1);
    return ask(outs, "candidate", 'c', candidate.style, high, codes, candidate.length, error);
  }
  if (n->count == 0) return ask(outs, "candidate", 'g', n->wrong.style, false, n->wrong.codes, n->wrong.length, error);
  const size_t bytes = near_list(n, l, list);
  return tell_wrong(outs + 1, "list", '&', n->count, list, bytes, error);
}

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  const letters *l = &((const affixes *)self)->letters;
  near_misses *n = &((near_state *)firing->state)->misses;
  const uint8_t *data = ins[0].data;
  woa_status status = WOA_OK;
  if (ins[0].bytes > 0 && data[0] == 'w') {
    status = check_codes(l, data + 1, ins[0].bytes - 1, error);
    if (status == WOA_OK) near_start(n, self, data + 1, (uint32_t)ins[0].bytes - 1);
  } else if (ins[0].bytes > 0 && data[0] == 'c' && n->wrong.length > 0) {
    status = take_forms(n, &ins[0], error);
  } else if (ins[0].bytes > 1 && data[0] == 'g') {
    return tell_wrong(outs + 1, "list", data[1] != 0 ? '?' : '#', 0, (const char *)data + 2, ins[0].bytes - 2, error);
  } else {
    return woa_fail(error, WOA_INVALID,
                    "a token of %llu bytes is no word (`w`), no forms (`c`) of one and no guess (`g`)",
                    (unsigned long long)ins[0].bytes);
  }
  if (status != WOA_OK) return status;
  return go_on(n, l, outs, error);
}

WOA_KERNEL_TABLE(.create = create_affixes, .destroy = free, .run = run, .state_bytes = sizeof(near_state))
