/* Near misses of a wrong word, one candidate after another, and their list.
 *
 * Kinds, in the order in which they are tried: the word in other capitals, one letter left out of it (each letter at
 * each place), two letters swapped, one letter too many, one letter wrong, two words run together (a form for a blank
 * and one for a hyphen). At most kMostGuesses are kept. The list is sorted by letters, then capitals first.
 */
#ifndef WOA_BENCH_MIBENCH_ISPELL_NEAR_H
#define WOA_BENCH_MIBENCH_ISPELL_NEAR_H

#include "bench/mibench/ispell/check.h"

enum { kMostGuesses = 100 };

typedef enum near_kind { kSame, kMissing, kSwapped, kExtra, kOther, kSplit, kRest, kNoMore } near_kind;

typedef struct guess {
  uint32_t length;
  uint8_t codes[kLongest + 28];
} guess;

typedef struct near_misses {
  word wrong;
  bool splits; /* two words run together are near misses; not where they are right, as compounds */
  near_kind kind;
  uint32_t place, letter;
  uint32_t count;
  forms left; /* the word before the blank */
  guess guesses[kMostGuesses];
} near_misses;

static inline void near_start(near_misses *n, const affixes *a, const uint8_t *codes, uint32_t length) {
  set_word(&a->letters, &n->wrong, codes, length);
  n->splits = !a->compounds;
  n->kind = kSame;
  n->place = n->letter = n->count = 0;
}

static inline void near_kind_next(near_misses *n) {
  n->kind = (near_kind)(n->kind + 1);
  n->place = 0;
  n->letter = 1;
}

/* Steps through letters at each of `places` places; false: all were tried. */
static inline bool near_step(near_misses *n, const letters *l, uint32_t places) {
  if (n->letter > l->count) {
    n->letter = 1;
    ++n->place;
  }
  return n->place < places;
}

/* The next candidate of the present kind; false: this kind has no more. */
static inline bool near_candidate(near_misses *n, const letters *l, word *c) {
  const uint8_t *const from = n->wrong.folded;
  const uint32_t length = n->wrong.length;
  uint32_t made = length;
  switch (n->kind) {
    case kSame:
      if (n->place++ != 0) return false;
      memcpy(c->folded, from, length);
      break;
    case kMissing:
      if (length == kLongest || !near_step(n, l, length + 1)) return false;
      memcpy(c->folded, from, n->place);
      c->folded[n->place] = (uint8_t)n->letter++;
      memcpy(c->folded + n->place + 1, from + n->place, length - n->place);
      made = length + 1;
      break;
    case kSwapped:
      if (n->place + 1 >= length) return false;
      memcpy(c->folded, from, length);
      c->folded[n->place] = from[n->place + 1];
      c->folded[n->place + 1] = from[n->place];
      ++n->place;
      break;
    case kExtra:
      if (n->place >= length || length < 2) return false;
      memcpy(c->folded, from, n->place);
      memcpy(c->folded + n->place, from + n->place + 1, length - n->place - 1);
      ++n->place;
      made = length - 1;
      break;
    case kOther:
      if (n->place < length && n->letter == from[n->place]) ++n->letter;
      if (!near_step(n, l, length)) return false;
      if (n->letter == from[n->place]) return near_candidate(n, l, c);
      memcpy(c->folded, from, length);
      c->folded[n->place] = (uint8_t)n->letter++;
      break;
    case kSplit:
      if (n->place + 1 >= length || length < 3 || !n->splits) return false;
      made = ++n->place;
      memcpy(c->folded, from, made);
      break;
    case kRest:
      made = length - n->place;
      memcpy(c->folded, from + n->place, made);
      break;
    case kNoMore: return false;
  }
  c->length = made;
  memset(c->folded + made, 0, 8);
  return true;
}

/* The next candidate, the way in which it should be written and whether it begins with a capital. */
static inline bool near_next(near_misses *n, const letters *l, word *c, bool *high) {
  while (n->count < kMostGuesses && n->kind != kNoMore) {
    if (near_candidate(n, l, c)) {
      const bool rest = n->kind == kRest;
      c->style = rest ? style_of(l, n->wrong.codes + n->place, c->length) : n->wrong.style;
      *high = is_upper(l, n->wrong.codes[rest ? n->place : 0]);
      return true;
    }
    near_kind_next(n);
    if (n->kind == kRest) n->kind = kNoMore; /* kRest follows a left word alone */
  }
  return false;
}

static inline void add_guess(near_misses *n, const uint8_t *codes, uint32_t length) {
  for (uint32_t i = 0; i < n->count; ++i) {
    if (n->guesses[i].length == length && memcmp(n->guesses[i].codes, codes, length) == 0) return;
  }
  if (n->count == kMostGuesses) return;
  n->guesses[n->count].length = length;
  memcpy(n->guesses[n->count++].codes, codes, length);
}

/* Every left word with every right one. */
static inline void add_pairs(near_misses *n, const forms *right) {
  guess both;
  for (uint32_t i = 0; i < n->left.count; ++i) {
    const uint32_t left = n->left.length[i];
    for (uint32_t j = 0; j < right->count; ++j) {
      memcpy(both.codes, n->left.codes[i], left);
      memcpy(both.codes + left + 1, right->codes[j], right->length[j]);
      both.codes[left] = kBlank;
      add_guess(n, both.codes, left + 1 + right->length[j]);
      both.codes[left] = kHyphen;
      add_guess(n, both.codes, left + 1 + right->length[j]);
    }
  }
}

/* Takes the right forms of the candidate, perhaps none. */
static inline void near_take(near_misses *n, const forms *f) {
  if (n->kind == kSplit) {
    if (f->count == 0) return;
    n->left = *f;
    n->kind = kRest;
  } else if (n->kind == kRest) {
    add_pairs(n, f);
    n->kind = kSplit;
  } else {
    for (uint32_t i = 0; i < f->count; ++i) add_guess(n, f->codes[i], f->length[i]);
  }
}

/* Letters first, then capitals. */
static inline int compare_guesses(const void *a, const void *b) {
  const guess *x = (const guess *)a, *y = (const guess *)b;
  const uint32_t length = x->length < y->length ? x->length : y->length;
  for (uint32_t i = 0; i < length; ++i) {
    if (x->codes[i] >> 1 != y->codes[i] >> 1) return x->codes[i] >> 1 < y->codes[i] >> 1 ? -1 : 1;
  }
  if (x->length != y->length) return x->length < y->length ? -1 : 1;
  return memcmp(x->codes, y->codes, length);
}

/* Writes the sorted list, `a, b, c`; returns its bytes. A guess takes up to 102 letters in `to`. */
static inline size_t near_list(near_misses *n, const letters *l, char *to) {
  char *at = to;
  qsort(n->guesses, n->count, sizeof *n->guesses, compare_guesses);
  for (uint32_t i = 0; i < n->count; ++i) {
    if (i != 0) *at++ = ',', *at++ = ' ';
    at = put_codes(l, at, n->guesses[i].codes, n->guesses[i].length);
  }
  return (size_t)(at - to);
}

#endif /* WOA_BENCH_MIBENCH_ISPELL_NEAR_H */
