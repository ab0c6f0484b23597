/* The dictionary is loaded once, when the stage is created. A firing allocates nothing. */
#include "bench/mibench/ispell/tokens.h"

/* A word of the text: its line, or the word itself for *near*. */
static woa_status check_word(const dictionary *d, const woa_input *in, const word *w, woa_output *outs,
                             woa_error *error) {
  char line[kVerdictBytes];
  const size_t bytes = right_line(d, w, line);
  const woa_status status =
      bytes != 0 ? woa_claim(outs, "hit", bytes, error) : woa_claim(outs + 1, "miss", 1 + w->length, error);
  if (status != WOA_OK) return status;
  if (bytes != 0) {
    memcpy(outs[0].data, line, bytes);
  } else {
    outs[1].data[0] = 'w';
    memcpy(outs[1].data + 1, in->data + kAskBytes, w->length);
  }
  return WOA_OK;
}

static woa_status check_candidate(const dictionary *d, const woa_input *in, word *w, woa_output *out,
                                  woa_error *error) {
  forms f;
  uint64_t bytes = 1;
  f.style = (written)in->data[1];
  f.high = in->data[2] != 0;
  (void)find_forms(d, w, &f);
  for (uint32_t i = 0; i < f.count; ++i) bytes += 1 + f.length[i];
  const woa_status status = woa_claim(out, "miss", bytes, error);
  if (status != WOA_OK) return status;
  uint8_t *to = out->data;
  *to++ = 'c';
  for (uint32_t i = 0; i < f.count; ++i) {
    *to++ = (uint8_t)f.length[i];
    memcpy(to, f.codes[i], f.length[i]);
    to += f.length[i];
  }
  return WOA_OK;
}

static woa_status guess_word(const dictionary *d, const word *w, woa_output *out, woa_error *error) {
  char list[kGuessBytes];
  uint32_t count;
  const size_t bytes = guess_list(d, w, list, &count);
  const woa_status status = woa_claim(out, "miss", 2 + bytes, error);
  if (status != WOA_OK) return status;
  out->data[0] = 'g';
  out->data[1] = count != 0;
  memcpy(out->data + 2, list, bytes);
  return WOA_OK;
}

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  const dictionary *d = self;
  word w;
  (void)firing;
  if (ins[0].bytes <= kAskBytes || ins[0].data[1] > kMixed) {
    return woa_fail(error, WOA_INVALID,
                    "a question has %llu bytes, expected a kind, a style from 0 to %d, a capital and letters",
                    (unsigned long long)ins[0].bytes, kMixed);
  }
  const uint64_t length = ins[0].bytes - kAskBytes;
  const woa_status status = check_codes(&d->affixes.letters, ins[0].data + kAskBytes, length, error);
  if (status != WOA_OK) return status;
  set_word(&d->affixes.letters, &w, ins[0].data + kAskBytes, (uint32_t)length);
  switch (ins[0].data[0]) {
    case 'w': return check_word(d, ins, &w, outs, error);
    case 'c': return check_candidate(d, ins, &w, outs + 1, error);
    case 'g': return guess_word(d, &w, outs + 1, error);
    default:
      return woa_fail(error, WOA_INVALID, "a question has the kind %d, expected `w`, `c` or `g`", ins[0].data[0]);
  }
}

WOA_KERNEL_TABLE(.create = create_dictionary, .destroy = destroy_dictionary, .run = run)
