/* The verdict on a word, from the calls that the stages of the graphs make. */
#ifndef WOA_BENCH_MIBENCH_ISPELL_VERDICT_H
#define WOA_BENCH_MIBENCH_ISPELL_VERDICT_H

#include "bench/mibench/ispell/text.h"

enum { kVerdictBytes = kLongest * kLetterBytes + 8, kGuessBytes = 4096, kListRoom = 48 << 10 };

/* `*`, `+ ROOT` or `-` of a right word; 0 bytes: it is wrong. */
static inline size_t right_line(const dictionary *d, const word *w, char *line) {
  route r;
  if (w->length == 1) {
    *line = '*';
    return 1;
  }
  if (is_right(d, w, &r)) {
    uint8_t codes[kLongest + 28];
    if (r.prefix == NULL && r.suffix == NULL) {
      *line = '*';
      return 1;
    }
    line[0] = '+';
    line[1] = ' ';
    write_style(&d->affixes.letters, d->bytes + r.first->folded, r.length, kUpper, codes);
    return (size_t)(put_codes(&d->affixes.letters, line + 2, codes, r.length) - line);
  }
  if (d->affixes.compounds && is_compound(d, w)) {
    *line = '-';
    return 1;
  }
  return 0;
}

/* How the word could be derived, `?`. Returns the bytes of the list. */
static inline size_t guess_list(const dictionary *d, const word *w, char *list, uint32_t *count) {
  guesses g = {list, 0, kGuessBytes, 0};
  if (!suffix_routes(d, w, NULL, w->folded, w->length, collect_guess, &g)) (void)prefix_routes(d, w, collect_guess, &g);
  *count = g.count;
  return g.bytes;
}

/* All near misses by direct calls; the list of `&` or `?`, its kind and count. */
static inline size_t all_misses(const dictionary *d, near_misses *n, const uint8_t *codes, uint32_t length, char *list,
                                char *kind, uint32_t *count) {
  const letters *l = &d->affixes.letters;
  word candidate;
  forms f;
  bool high;
  near_start(n, &d->affixes, codes, length);
  while (near_next(n, l, &candidate, &high)) {
    f.style = candidate.style;
    f.high = high;
    (void)find_forms(d, &candidate, &f);
    near_take(n, &f);
  }
  *kind = '&';
  *count = n->count;
  if (n->count != 0) return near_list(n, l, list);
  const size_t bytes = guess_list(d, &n->wrong, list, count);
  *kind = bytes != 0 ? '?' : '#';
  *count = 0;
  return bytes;
}

/* A whole text in one call. False: no room for its result. */
static inline bool check_text(const dictionary *d, near_misses *n, const uint8_t *text, size_t bytes, result *out) {
  const letters *l = &d->affixes.letters;
  cursor c = {text, text + bytes, 0, false};
  char list[kListRoom], kind;
  place p;
  word w;
  uint32_t count;
  for (found f; (f = next_word(l, &c, &p)) != kTextEnd;) {
    bool fine;
    if (f == kLineEnd) {
      fine = put_line(out, "", 0);
    } else if (p.length > kLongest) {
      fine = put_wrong(out, &p, '#', 0, NULL, 0);
    } else {
      set_word(l, &w, p.codes, p.length);
      size_t length = right_line(d, &w, list);
      if (length != 0) {
        fine = put_line(out, list, length);
      } else {
        length = all_misses(d, n, p.codes, p.length, list, &kind, &count);
        fine = put_wrong(out, &p, kind, count, list, length);
      }
    }
    if (!fine) return false;
  }
  return true;
}

#endif /* WOA_BENCH_MIBENCH_ISPELL_VERDICT_H */
