/* First input: the text. Every other one: the verdict on the last word. Output: the next word, or at the end of the
 * text all lines of the result. */
#include "bench/mibench/ispell/tokens.h"

typedef struct scribe {
  bool begun;
  uint8_t *text;
  cursor cursor;
  place word;
  result result;
} scribe;

static woa_status begin(scribe *s, const woa_input *in, woa_error *error) {
  s->begun = true;
  s->text = malloc(in->bytes + 1);
  if (s->text == NULL)
    return woa_fail(error, WOA_EXHAUSTED, "no memory for a text of %llu bytes", (unsigned long long)in->bytes);
  if (in->bytes != 0) memcpy(s->text, in->data, in->bytes);
  s->cursor = (cursor){s->text, s->text + in->bytes, 0, false};
  return WOA_OK;
}

static woa_status check_verdict(const scribe *s, const woa_input *in, woa_error *error) {
  const bool wrong = in->bytes != 0 && in->data[0] != '\0' && strchr("&?#", in->data[0]) != NULL;
  if (s->word.start != NULL && in->bytes >= (wrong ? 2 : 1)) return WOA_OK;
  return woa_fail(error, WOA_INVALID,
                  "a verdict of %llu bytes, expected the line of a right word, or `&`, `?` or `#`, "
                  "a count and a list, behind a word that was sent",
                  (unsigned long long)in->bytes);
}

/* False: no memory. */
static bool note(scribe *s, const woa_input *in) {
  const char *verdict = (const char *)in->data;
  if (verdict[0] == '\0' || strchr("&?#", verdict[0]) == NULL) return put_line(&s->result, verdict, in->bytes);
  return put_wrong(&s->result, &s->word, verdict[0], in->data[1], verdict + 2, in->bytes - 2);
}

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  const letters *l = &((const affixes *)self)->letters;
  scribe *s = firing->state;
  bool fine = true;
  if (!s->begun) {
    const woa_status status = begin(s, ins, error);
    if (status != WOA_OK) return status;
  } else {
    const woa_status status = check_verdict(s, ins, error);
    if (status != WOA_OK) return status;
    fine = note(s, ins);
  }
  while (fine) {
    switch (next_word(l, &s->cursor, &s->word)) {
      case kLineEnd: fine = put_line(&s->result, "", 0); break;
      case kWord:
        if (s->word.length <= kLongest) {
          return ask(outs, "word", 'w', kLower, false, s->word.codes, s->word.length, error);
        }
        fine = put_wrong(&s->result, &s->word, '#', 0, NULL, 0);
        break;
      case kTextEnd: {
        const woa_status status = woa_claim(outs + 1, "text", s->result.bytes, error);
        if (status == WOA_OK && s->result.bytes != 0) memcpy(outs[1].data, s->result.text, s->result.bytes);
        return status;
      }
    }
  }
  return woa_fail(error, WOA_EXHAUSTED, "no memory for a result of more than %zu bytes", s->result.bytes);
}

static void retire(void *self, void *state) {
  scribe *s = state;
  (void)self;
  free(s->text);
  free(s->result.text);
}

WOA_KERNEL_TABLE(.create = create_affixes, .destroy = free, .run = run, .retire = retire, .state_bytes = sizeof(scribe))
