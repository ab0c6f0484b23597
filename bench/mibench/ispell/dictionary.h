/* The dictionary: roots with flags (`root/FLAGS`, a root a line) in a hash table by their folded letters.
 *
 * Each way to write a root is an entry with its own flags; entries of one root are a chain. Nothing is allocated after
 * loading.
 */
#ifndef WOA_BENCH_MIBENCH_ISPELL_DICTIONARY_H
#define WOA_BENCH_MIBENCH_ISPELL_DICTIONARY_H

#include "bench/mibench/ispell/affixes.h"

typedef struct entry {
  uint64_t flags;
  uint32_t folded; /* place in `bytes`; the codes follow the folded letters and their zeros */
  uint32_t next;   /* the same root, written otherwise; 0: none */
  uint8_t length, style;
} entry;

typedef struct slot {
  uint32_t hash, first; /* first: number of an entry, 0: free */
} slot;

typedef struct dictionary {
  affixes affixes;
  uint32_t count, mask;
  entry *entries; /* from 1 */
  slot *slots;
  uint8_t *bytes;
  uint32_t longest;
  uint64_t used; /* flags that any root has */
  /* Rules by the letter that a prefix ends the search for, or a suffix: the first or last of `add`. */
  uint32_t prefix_start[kMostLetters + 1], suffix_start[kMostLetters + 1];
  uint16_t prefixes[kMostRules], suffixes[kMostRules];
} dictionary;

/* Folded letters are followed by zeros as far as the last chunk of 8. */
static inline uint32_t hash_of(const uint8_t *folded, uint32_t length) {
  uint64_t h = length;
  for (uint32_t i = 0; i < length; i += 8) {
    uint64_t chunk;
    memcpy(&chunk, folded + i, 8);
    h = (h ^ chunk) * 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
  }
  return (uint32_t)(h >> 8);
}

static inline bool same_letters(const uint8_t *a, const uint8_t *b, uint32_t length) {
  for (uint32_t i = 0; i < length; i += 8) {
    uint64_t x, y;
    memcpy(&x, a + i, 8);
    memcpy(&y, b + i, 8);
    if (x != y) return false;
  }
  return true;
}

/* The first entry of a root; null: the dictionary lacks it. */
static inline const entry *find_root(const dictionary *d, const uint8_t *folded, uint32_t length) {
  if (length > d->longest) return NULL;
  const uint32_t hash = hash_of(folded, length);
  for (uint32_t i = hash & d->mask;; i = (i + 1) & d->mask) {
    const slot s = d->slots[i];
    if (s.first == 0) return NULL;
    const entry *e = d->entries + s.first;
    if (s.hash == hash && e->length == length && same_letters(d->bytes + e->folded, folded, length)) return e;
  }
}

static inline const uint8_t *codes_of(const dictionary *d, const entry *e) {
  return d->bytes + e->folded + (e->length + 7u) / 8 * 8;
}

/* Adds a root, or its flags to the entry that is written so. */
static inline void add_root(dictionary *d, const word *w, uint64_t flags, uint32_t *end) {
  const uint32_t hash = hash_of(w->folded, w->length), padded = (w->length + 7) / 8 * 8;
  uint32_t at = hash & d->mask;
  while (d->slots[at].first != 0) {
    entry *e = d->entries + d->slots[at].first;
    if (d->slots[at].hash == hash && e->length == w->length && same_letters(d->bytes + e->folded, w->folded, w->length))
      break;
    at = (at + 1) & d->mask;
  }
  for (uint32_t i = d->slots[at].first; i != 0; i = d->entries[i].next) {
    if (memcmp(codes_of(d, d->entries + i), w->codes, w->length) == 0) {
      d->entries[i].flags |= flags;
      return;
    }
  }
  entry *e = d->entries + ++d->count;
  *e = (entry){flags, *end, d->slots[at].first, (uint8_t)w->length, (uint8_t)w->style};
  memset(d->bytes + *end, 0, padded);
  memcpy(d->bytes + *end, w->folded, w->length);
  memcpy(d->bytes + *end + padded, w->codes, w->length);
  *end += padded + w->length;
  d->slots[at] = (slot){hash, d->count};
}

/* A word of up to kLongest letters from text; false: something else. */
static inline bool read_word(const letters *l, const uint8_t *at, const uint8_t *end, word *w) {
  uint8_t codes[kLongest];
  uint32_t length = 0, used;
  while (at < end) {
    const uint8_t code = letter_at(l, at, end, &used);
    if (code == 0 || length == kLongest) return false;
    codes[length++] = code;
    at += used;
  }
  set_word(l, w, codes, length);
  return length != 0;
}

static inline woa_status read_line(dictionary *d, char *line, size_t length, uint32_t *end, woa_error *error) {
  word w;
  uint64_t flags = 0;
  const uint8_t *const start = (const uint8_t *)line;
  if (length != 0 && line[length - 1] == '\r') --length;
  if (length == 0) return WOA_OK;
  const char *marker = (const char *)memchr(line, d->affixes.marker, length);
  const size_t root = marker != NULL ? (size_t)(marker - line) : length;
  if (!read_word(&d->affixes.letters, start, start + root, &w)) {
    return woa_fail(error, WOA_INVALID, "'%.*s': expected 1 to %d letters, then perhaps '%c' and flags",
                    (int)(length < 60 ? length : 60), line, kLongest, d->affixes.marker);
  }
  for (size_t i = root + 1; i < length; ++i) {
    const uint8_t flag = start[i];
    if (flag > 127 || d->affixes.flag_of[flag] == 0) {
      return woa_fail(error, WOA_INVALID, "'%.*s': flag '%c' is not in the affix file; add it there or remove it here",
                      (int)(length < 60 ? length : 60), line, flag > 32 && flag < 127 ? flag : '?');
    }
    flags |= d->affixes.flag_of[flag];
  }
  if (w.length > d->longest) d->longest = w.length;
  d->used |= flags;
  add_root(d, &w, flags, end);
  return WOA_OK;
}

/* Sorts rules by letter, the shortest affix first, then in the order of the file. Rules that add nothing have letter 0.
 */
static inline void index_rules(const rule *rules, uint32_t count, bool prefix, uint32_t *start, uint16_t *sorted) {
  uint32_t at = 0;
  for (uint32_t letter = 0; letter < kMostLetters; ++letter) {
    start[letter] = at;
    for (uint32_t length = 0; length <= kMostAffix; ++length) {
      for (uint32_t i = 0; i < count; ++i) {
        const rule *r = rules + i;
        const uint32_t own = r->add_length == 0 ? 0 : r->add[prefix ? 0 : r->add_length - 1];
        if (own == letter && r->add_length == length) sorted[at++] = (uint16_t)i;
      }
    }
  }
  start[kMostLetters] = at;
}

static inline void free_dictionary(dictionary *d) {
  if (d == NULL) return;
  free(d->entries);
  free(d->slots);
  free(d->bytes);
  free(d);
}

static inline woa_status make_room(dictionary *d, const char *text, size_t bytes, woa_error *error) {
  size_t lines = 1, slots = 16;
  for (size_t i = 0; i < bytes; ++i) lines += text[i] == '\n';
  if (bytes > (size_t)256 << 20) return woa_fail(error, WOA_TOO_LARGE, "words: more than 256 MiB");
  while (slots < 2 * lines) slots *= 2;
  d->mask = (uint32_t)slots - 1;
  d->entries = (entry *)calloc(lines + 1, sizeof *d->entries);
  d->slots = (slot *)calloc(slots, sizeof *d->slots);
  d->bytes = (uint8_t *)calloc(1, 2 * bytes + 8 * lines + 16);
  if (d->entries == NULL || d->slots == NULL || d->bytes == NULL) {
    return woa_fail(error, WOA_EXHAUSTED, "no memory for a dictionary of %zu bytes", bytes);
  }
  return WOA_OK;
}

static inline woa_status read_words(dictionary *d, const char *path, woa_error *error) {
  woa_status status = WOA_OK;
  size_t bytes = 0;
  uint32_t end = 0, number = 0;
  char *const text = read_whole(path, "words", &bytes, &status, error);
  if (text == NULL) return status;
  status = make_room(d, text, bytes, error);
  for (char *line = text, *next; status == WOA_OK && line < text + bytes; line = next) {
    char *const stop = (char *)memchr(line, '\n', (size_t)(text + bytes - line));
    const size_t length = (size_t)((stop != NULL ? stop : text + bytes) - line);
    next = line + length + 1;
    ++number;
    status = read_line(d, line, length, &end, error);
    if (status == WOA_INVALID) {
      const woa_error why = *error;
      status = woa_fail(error, status, "words, line %u: %.150s", number, why.message);
    }
  }
  if (status == WOA_OK && d->count == 0) {
    status = woa_fail(error, WOA_INVALID, "words: '%.80s' holds no word, expected `root/FLAGS`, one a line", path);
  }
  free(text);
  return status;
}

/* Loads what parameters `affixes` and `words` name; null and the reason otherwise. */
static inline dictionary *load_dictionary(const woa_param *params, size_t count, woa_status *status, woa_error *error) {
  const char *affix_path = woa_param_text(params, count, "affixes"),
             *word_path = woa_param_text(params, count, "words");
  dictionary *d = (dictionary *)calloc(1, sizeof *d);
  if (affix_path == NULL || word_path == NULL) {
    *status = woa_fail(error, WOA_INVALID, "parameter '%s' is missing", affix_path == NULL ? "affixes" : "words");
  } else if (d == NULL) {
    *status = woa_fail(error, WOA_EXHAUSTED, "no memory for a dictionary");
  } else {
    *status = read_affixes(affix_path, &d->affixes, error);
    if (*status == WOA_OK) *status = read_words(d, word_path, error);
  }
  if (*status != WOA_OK) {
    free_dictionary(d);
    return NULL;
  }
  index_rules(d->affixes.prefix, d->affixes.prefixes, true, d->prefix_start, d->prefixes);
  index_rules(d->affixes.suffix, d->affixes.suffixes, false, d->suffix_start, d->suffixes);
  return d;
}

#endif /* WOA_BENCH_MIBENCH_ISPELL_DICTIONARY_H */
