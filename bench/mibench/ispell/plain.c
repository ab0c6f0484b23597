/* The check of a text as plain loops over words and near misses, for the time of the kernels beside it. */
#include "bench/mibench/ispell/plain.h"

#include "bench/mibench/ispell/verdict.h"

void *plain_load(const char *affix_path, const char *word_path) {
  const woa_param params[] = {{"affixes", affix_path}, {"words", word_path}};
  woa_error error;
  woa_status status = WOA_OK;
  return load_dictionary(params, 2, &status, &error);
}

void plain_free(void *loaded) { free_dictionary(loaded); }

static uint32_t look_up(const dictionary *d, const word *from, uint32_t start, word *c, uint32_t length) {
  forms f;
  f.high = is_upper(&d->affixes.letters, from->codes[start]);
  f.style = from->style;
  if (start != 0) f.style = style_of(&d->affixes.letters, from->codes + start, length);
  c->length = length;
  memset(c->folded + length, 0, 8);
  return find_forms(d, c, &f);
}

/* A candidate: `kept` letters, then perhaps `letter`, then the letters from `rest` on. */
static uint32_t try_one(const dictionary *d, const word *w, uint32_t kept, uint32_t letter, uint32_t rest) {
  word c;
  uint32_t length = kept;
  memcpy(c.folded, w->folded, kept);
  if (letter != 0) c.folded[length++] = (uint8_t)letter;
  memcpy(c.folded + length, w->folded + rest, w->length - rest);
  return look_up(d, w, 0, &c, length + w->length - rest);
}

static uint32_t try_all(const dictionary *d, const word *w) {
  const uint32_t n = w->length, last = d->affixes.letters.count;
  uint32_t forms_found = try_one(d, w, n, 0, n);
  for (uint32_t i = 0; i <= n; ++i) {
    for (uint32_t x = 1; x <= last; ++x) {
      forms_found += try_one(d, w, i, x, i);
      if (i < n && x != w->folded[i]) forms_found += try_one(d, w, i, x, i + 1);
    }
    if (i < n) forms_found += try_one(d, w, i, 0, i + 1);
    if (i + 1 >= n) continue;
    word c, rest;
    memcpy(c.folded, w->folded, n);
    c.folded[i] = w->folded[i + 1], c.folded[i + 1] = w->folded[i];
    forms_found += look_up(d, w, 0, &c, n);
    c.folded[i] = w->folded[i];
    memcpy(rest.folded, w->folded + i + 1, n - i - 1);
    forms_found +=
        n > 2 && !d->affixes.compounds && look_up(d, w, 0, &c, i + 1) && look_up(d, w, i + 1, &rest, n - i - 1);
  }
  return forms_found;
}

plain_counts plain_check(const void *loaded, const uint8_t *text, size_t bytes) {
  const dictionary *d = loaded;
  plain_counts counts = {0, 0, 0};
  cursor c = {text, text + bytes, 0, false};
  place p;
  word w;
  route r;
  for (found f; (f = next_word(&d->affixes.letters, &c, &p)) != kTextEnd;) {
    if (f == kLineEnd) continue;
    ++counts.words;
    if (p.length > kLongest) continue;
    set_word(&d->affixes.letters, &w, p.codes, p.length);
    if (w.length == 1 || is_right(d, &w, &r)) {
      ++counts.right;
    } else {
      counts.near += try_all(d, &w) != 0;
    }
  }
  return counts;
}
