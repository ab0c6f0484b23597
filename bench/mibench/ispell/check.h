/* Is a word right, which forms of a candidate are, and how could a word be derived.
 *
 * A route is how affixes lead from a word to a root. Rules met (ispell 3.4, found by its documentation and its
 * answers):
 * - a root as it is, else a prefix, a prefix and a suffix if both flags have `*`, then a suffix; conditions look at the
 *   root;
 * - capitals: an entry in lower case may be written so, capitalised or in capitals; a capitalised one capitalised or in
 *   capitals; one in capitals only so; a mixed one as it is, with affixes in the case of the root's end, or in
 * capitals;
 * - flags belong to one way to write a root;
 * - a single letter is always right; compounds (`compoundwords on`) are checked from left to right.
 */
#ifndef WOA_BENCH_MIBENCH_ISPELL_CHECK_H
#define WOA_BENCH_MIBENCH_ISPELL_CHECK_H

#include "bench/mibench/ispell/dictionary.h"

enum { kMostForms = 10 };

typedef struct route {
  const rule *prefix, *suffix; /* null: none */
  const entry *first;          /* of the root's chain */
  uint32_t length;             /* of the root */
} route;

/* Called for each route, whatever the flags of the root; true ends the search. */
typedef bool (*route_fn)(void *self, const dictionary *d, const word *w, const route *r);

static inline bool meets(const rule *r, const uint8_t *root, uint32_t length, bool prefix) {
  if (length < r->conditions) return false;
  const uint8_t *at = prefix ? root : root + length - r->conditions;
  for (uint32_t i = 0; i < r->conditions; ++i) {
    if ((r->allowed[i][at[i] >> 6] >> (at[i] & 63) & 1) == 0) return false;
  }
  return true;
}

/* Takes the suffix off `from`; the root goes to `to`, which may be `from`. 0: the rule does not fit. */
static inline uint32_t without_suffix(const rule *r, const uint8_t *from, uint32_t length, uint8_t *to) {
  if (length <= r->add_length) return 0;
  const uint32_t kept = length - r->add_length;
  for (uint32_t i = 0; i < r->add_length; ++i) {
    if (from[kept + i] != r->add[i]) return 0;
  }
  if (kept + r->strip_length > kLongest) return 0;
  memcpy(to, from, kept);
  memcpy(to + kept, r->strip, r->strip_length);
  memset(to + kept + r->strip_length, 0, 8);
  return meets(r, to, kept + r->strip_length, false) ? kept + r->strip_length : 0;
}

static inline uint32_t without_prefix(const rule *r, const uint8_t *from, uint32_t length, uint8_t *to) {
  if (length <= r->add_length || memcmp(from, r->add, r->add_length) != 0) return 0;
  const uint32_t kept = length - r->add_length;
  if (kept + r->strip_length > kLongest) return 0;
  memcpy(to, r->strip, r->strip_length);
  memcpy(to + r->strip_length, from + r->add_length, kept);
  memset(to + r->strip_length + kept, 0, 8);
  return meets(r, to, kept + r->strip_length, true) ? kept + r->strip_length : 0;
}

/* Suffixes of `from`, below a prefix or not. */
static inline bool suffix_routes(const dictionary *d, const word *w, const rule *prefix, const uint8_t *from,
                                 uint32_t length, route_fn fn, void *self) {
  uint8_t root[kLongest + 28];
  const uint32_t groups[2] = {from[length - 1], 0};
  for (uint32_t g = 0; g < 2; ++g) {
    for (uint32_t i = d->suffix_start[groups[g]]; i < d->suffix_start[groups[g] + 1]; ++i) {
      const rule *r = d->affixes.suffix + d->suffixes[i];
      if (prefix != NULL && !r->crosses) continue;
      const uint32_t left = without_suffix(r, from, length, root);
      if (left == 0) continue;
      const entry *e = find_root(d, root, left);
      if (e != NULL && fn(self, d, w, &(route){prefix, r, e, left})) return true;
    }
  }
  return false;
}

static inline bool prefix_routes(const dictionary *d, const word *w, route_fn fn, void *self) {
  uint8_t root[kLongest + 28];
  const uint32_t groups[2] = {w->folded[0], 0};
  for (uint32_t g = 0; g < 2; ++g) {
    for (uint32_t i = d->prefix_start[groups[g]]; i < d->prefix_start[groups[g] + 1]; ++i) {
      const rule *r = d->affixes.prefix + d->prefixes[i];
      const uint32_t left = without_prefix(r, w->folded, w->length, root);
      if (left == 0) continue;
      const entry *e = find_root(d, root, left);
      if (e != NULL && fn(self, d, w, &(route){r, NULL, e, left})) return true;
      if (r->crosses && suffix_routes(d, w, r, root, left, fn, self)) return true;
    }
  }
  return false;
}

static inline bool affix_routes(const dictionary *d, const word *w, route_fn fn, void *self) {
  return prefix_routes(d, w, fn, self) || suffix_routes(d, w, NULL, w->folded, w->length, fn, self);
}

/* The mixed form that an entry and affixes make: affixes in the case of the root's end beside them. */
static inline uint32_t mixed_form(const dictionary *d, const entry *e, const route *r, uint8_t *to) {
  const letters *l = &d->affixes.letters;
  const uint8_t *codes = codes_of(d, e);
  uint32_t length = e->length, start = 0, n = 0;
  if (r->prefix != NULL) {
    for (uint32_t i = 0; i < r->prefix->add_length; ++i) {
      const uint8_t letter = r->prefix->add[i];
      to[n++] = (uint8_t)(2 * letter + (is_upper(l, codes[0]) && l->cased[letter] ? 0 : 1));
    }
    start = r->prefix->strip_length;
  }
  if (r->suffix != NULL) length -= r->suffix->strip_length;
  for (uint32_t i = start; i < length; ++i) to[n++] = codes[i];
  if (r->suffix != NULL) {
    const bool high = is_upper(l, codes[e->length - 1]);
    for (uint32_t i = 0; i < r->suffix->add_length; ++i) {
      const uint8_t letter = r->suffix->add[i];
      to[n++] = (uint8_t)(2 * letter + (high && l->cased[letter] ? 0 : 1));
    }
  }
  return n;
}

static inline uint64_t flags_of(const route *r) {
  return (r->prefix != NULL ? r->prefix->flag : 0) | (r->suffix != NULL ? r->suffix->flag : 0);
}

/* May the word be written as it is, by this entry? */
static inline bool writes(const dictionary *d, const word *w, const entry *e, const route *r) {
  uint8_t form[kLongest + 28];
  if (w->style == kUpper) return true;
  switch ((written)e->style) {
    case kLower: return w->style == kLower || w->style == kCapital;
    case kCapital: return w->style == kCapital;
    case kUpper: return false;
    case kMixed: break;
  }
  return mixed_form(d, e, r, form) == w->length && memcmp(form, w->codes, w->length) == 0;
}

static inline bool route_is_right(const dictionary *d, const word *w, const route *r, uint64_t flags) {
  for (const entry *e = r->first;; e = d->entries + e->next) {
    if ((e->flags & flags) == flags && writes(d, w, e, r)) return true;
    if (e->next == 0) return false;
  }
}

static inline bool first_right_route(void *self, const dictionary *d, const word *w, const route *r) {
  if (!route_is_right(d, w, r, flags_of(r))) return false;
  *(route *)self = *r;
  return true;
}

/* Is the word right? Without affixes: `found->prefix` and `->suffix` are null. */
static inline bool is_right(const dictionary *d, const word *w, route *found) {
  const entry *e = find_root(d, w->folded, w->length);
  *found = (route){NULL, NULL, e, w->length};
  if (e != NULL && route_is_right(d, w, found, 0)) return true;
  return affix_routes(d, w, first_right_route, found);
}

/* Is a part of a compound right in any capitals? */
static inline bool is_right_part(const dictionary *d, const uint8_t *codes, uint32_t length) {
  word part;
  route found;
  set_word(&d->affixes.letters, &part, codes, length);
  part.style = kUpper;
  return is_right(d, &part, &found);
}

/* Is the end of a word right, as a word or several? `wrong`: by length, the ends that are known to be wrong. Without
 * it, a word with many ways to cut it would be tried in each of them. */
static inline bool is_compound_tail(const dictionary *d, const uint8_t *codes, uint32_t length, bool *wrong) {
  const uint32_t least = d->affixes.compound_min;
  if (wrong[length]) return false;
  if (length >= least && is_right_part(d, codes, length)) return true;
  for (uint32_t cut = least; cut + least <= length; ++cut) {
    if (is_right_part(d, codes, cut) && is_compound_tail(d, codes + cut, length - cut, wrong)) return true;
  }
  wrong[length] = true;
  return false;
}

/* Two or more right words without a blank. Those behind the first are in lower case, or the whole is in capitals. */
static inline bool is_compound(const dictionary *d, const word *w) {
  const letters *l = &d->affixes.letters;
  const uint32_t least = d->affixes.compound_min;
  bool wrong[kLongest + 1] = {false};
  word part;
  route found;
  for (uint32_t cut = least; cut + least <= w->length; ++cut) {
    set_word(l, &part, w->codes, cut);
    if (w->style != kUpper && style_of(l, w->codes + cut, w->length - cut) != kLower) continue;
    if (is_right(d, &part, &found) && is_compound_tail(d, w->codes + cut, w->length - cut, wrong)) return true;
  }
  return false;
}

typedef struct forms {
  written style; /* as the wrong word is written */
  bool high;     /* its first letter is a capital */
  uint32_t count;
  uint32_t length[kMostForms];
  uint8_t codes[kMostForms][kLongest + 28];
} forms;

static inline void add_form(forms *f, const uint8_t *codes, uint32_t length) {
  for (uint32_t i = 0; i < f->count; ++i) {
    if (f->length[i] == length && memcmp(f->codes[i], codes, length) == 0) return;
  }
  if (f->count == kMostForms) return;
  memcpy(f->codes[f->count], codes, length);
  f->length[f->count++] = length;
}

/* Folded letters in a style other than mixed. */
static inline void write_style(const letters *l, const uint8_t *folded, uint32_t length, written style, uint8_t *to) {
  for (uint32_t i = 0; i < length; ++i) {
    const bool high = style == kUpper || (style == kCapital && i == 0);
    to[i] = (uint8_t)(2 * folded[i] + (high && l->cased[folded[i]] ? 0 : 1));
  }
}

/* The style in which an entry is written where the wrong word was. */
static inline written form_style(const entry *e, const forms *f) {
  return e->style == kLower && f->high ? kCapital : (written)e->style;
}

/* The forms of one route: that in the style of the wrong word, or else all that the root's entries allow. */
static inline bool collect_forms(void *self, const dictionary *d, const word *w, const route *r) {
  forms *f = (forms *)self;
  const uint64_t flags = flags_of(r);
  const letters *l = &d->affixes.letters;
  uint8_t codes[kLongest + 28];
  bool right = false, plain = f->style == kUpper;
  for (const entry *e = r->first;; e = d->entries + e->next) {
    if ((e->flags & flags) == flags) {
      right = true;
      if (e->style != kMixed && (written)e->style == f->style) plain = true;
    }
    if (e->next == 0) break;
  }
  if (!right) return false;
  if (plain) {
    write_style(l, w->folded, w->length, f->style, codes);
    add_form(f, codes, w->length);
    return false;
  }
  for (const entry *e = r->first;; e = d->entries + e->next) {
    if ((e->flags & flags) == flags) {
      uint32_t length = w->length;
      if (e->style == kMixed) {
        length = mixed_form(d, e, r, codes);
      } else {
        write_style(l, w->folded, w->length, form_style(e, f), codes);
      }
      add_form(f, codes, length);
    }
    if (e->next == 0) return false;
  }
}

/* All right ways to write the candidate's letters. Returns their number. */
static inline uint32_t find_forms(const dictionary *d, const word *w, forms *f) {
  const entry *e = find_root(d, w->folded, w->length);
  f->count = 0;
  if (e != NULL) (void)collect_forms(f, d, w, &(route){NULL, NULL, e, w->length});
  affix_routes(d, w, collect_forms, f);
  return f->count;
}

typedef struct guesses {
  char *text;
  size_t bytes, room;
  uint32_t count;
} guesses;

static inline char *put_affix(const letters *l, char *to, const uint8_t *folded, uint32_t length, bool high) {
  for (uint32_t i = 0; i < length; ++i) {
    const uint8_t code = (uint8_t)(2 * folded[i] + (high && l->cased[folded[i]] ? 0 : 1));
    to = put_codes(l, to, &code, 1);
  }
  return to;
}

/* Appends `prefix+root-strip+suffix`. */
static inline bool collect_guess(void *self, const dictionary *d, const word *w, const route *r) {
  guesses *g = (guesses *)self;
  const letters *l = &d->affixes.letters;
  bool high = w->style == kUpper;
  char one[(3 * kLongest + 64) * kLetterBytes], *to = one;
  uint8_t codes[kLongest + 28];
  if (w->style == kMixed || !route_is_right(d, w, r, 0)) { /* a root in capitals suits any word */
    const entry *e = r->first;
    while (e->style != kUpper && e->next != 0) e = d->entries + e->next;
    if (e->style != kUpper) return false;
    high = true;
  }
  if (g->count != 0) *to++ = ',', *to++ = ' ';
  if (r->prefix != NULL) {
    write_style(l, r->prefix->add, r->prefix->add_length, high ? kUpper : w->style, codes);
    to = put_codes(l, to, codes, r->prefix->add_length);
    *to++ = '+';
    if (r->prefix->strip_length != 0) {
      *to++ = '-';
      to = put_affix(l, to, r->prefix->strip, r->prefix->strip_length, high);
      *to++ = '+';
    }
  }
  const written style = high ? kUpper : r->prefix == NULL ? w->style : kLower;
  write_style(l, d->bytes + r->first->folded, r->length, style, codes);
  to = put_codes(l, to, codes, r->length);
  if (r->suffix != NULL) {
    if (r->suffix->strip_length != 0) *to++ = '-';
    to = put_affix(l, to, r->suffix->strip, r->suffix->strip_length, high);
    *to++ = '+';
    to = put_affix(l, to, r->suffix->add, r->suffix->add_length, high);
  }
  const size_t bytes = (size_t)(to - one);
  if (g->bytes + bytes > g->room) return true;
  memcpy(g->text + g->bytes, one, bytes);
  g->bytes += bytes;
  ++g->count;
  return false;
}

#endif /* WOA_BENCH_MIBENCH_ISPELL_CHECK_H */
