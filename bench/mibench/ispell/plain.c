/* The check of a text as two plain loops, over its words and over the near misses of a wrong one, for the time of the
 * kernels beside them. Both have the same tables, and the same words of the text: loading and cutting are not hot. */
#include "bench/mibench/ispell/plain.h"

#include "bench/mibench/ispell/text.h"

void *plain_load(const char *affix_path, const char *word_path) {
  const woa_param params[] = {{"affixes", affix_path}, {"words", word_path}};
  woa_error error;
  woa_status status = WOA_OK;
  return load_dictionary(params, 2, &status, &error);
}

void plain_free(void *loaded) { free_dictionary(loaded); }

/* Words. True if the dictionary has a root of these letters, with these flags, that may be written in this style. */
static int has_root(const dictionary *d, const uint8_t *f, uint32_t n, uint64_t flags, written style) {
  uint64_t h = n, part;
  for (uint32_t i = 0; i < n; i += 8) {
    memcpy(&part, f + i, 8);
    h = (h ^ part) * 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
  }
  const uint32_t hash = (uint32_t)(h >> 8);
  for (uint32_t at = hash & d->mask; d->slots[at].first != 0; at = (at + 1) & d->mask) {
    const entry *e = d->entries + d->slots[at].first;
    if (d->slots[at].hash != hash || e->length != n || memcmp(d->bytes + e->folded, f, n) != 0) continue;
    for (;; e = d->entries + e->next) {
      const int written_so = style == kUpper || e->style == style || (e->style == kLower && style == kCapital);
      if ((e->flags & flags) == flags && written_so) return 1;
      if (e->next == 0) return 0;
    }
  }
  return 0;
}

/* Takes an affix off. Returns the letters of the root, or 0 where affix or conditions do not fit. */
static uint32_t strip(const rule *r, int prefix, const uint8_t *f, uint32_t n, uint8_t *root) {
  const uint32_t kept = n - r->add_length, left = kept + r->strip_length;
  if (n <= r->add_length || left > kLongest || left < r->conditions) return 0;
  if (memcmp(prefix ? f : f + kept, r->add, r->add_length) != 0) return 0;
  memcpy(prefix ? root + r->strip_length : root, prefix ? f + r->add_length : f, kept);
  memcpy(prefix ? root : root + kept, r->strip, r->strip_length);
  memset(root + left, 0, 8);
  const uint8_t *at = prefix ? root : root + left - r->conditions;
  for (uint32_t i = 0; i < r->conditions; ++i) {
    if ((r->allowed[i][at[i] >> 6] >> (at[i] & 63) & 1) == 0) return 0;
  }
  return left;
}

/* True for a root, or one with affixes at this end (and, behind a prefix, at the other). Rules lie by their letter. */
static int is_word(const dictionary *d, const uint8_t *f, uint32_t n, written style, const rule *before, int prefix) {
  uint8_t root[kLongest + 28];
  const uint32_t by_letter[2] = {f[prefix ? 0 : n - 1], 0}, *start = prefix ? d->prefix_start : d->suffix_start;
  for (int g = 0; g < 2; ++g) {
    for (uint32_t i = start[by_letter[g]]; i < start[by_letter[g] + 1]; ++i) {
      const rule *r = prefix ? d->affixes.prefix + d->prefixes[i] : d->affixes.suffix + d->suffixes[i];
      const uint32_t left = before == NULL || r->crosses ? strip(r, prefix, f, n, root) : 0;
      if (left == 0) continue;
      if (has_root(d, root, left, r->flag | (before != NULL ? before->flag : 0), style)) return 1;
      if (prefix && r->crosses && is_word(d, root, left, style, r, 0)) return 1;
    }
  }
  return 0;
}

static int is_known(const dictionary *d, uint8_t *f, uint32_t n, written style) {
  memset(f + n, 0, 8);
  return has_root(d, f, n, 0, style) || is_word(d, f, n, style, NULL, 1) || is_word(d, f, n, style, NULL, 0);
}

/* Near misses. A candidate has `kept` letters, then perhaps `letter`, then the letters from `rest` on. */
static int try_one(const dictionary *d, const uint8_t *f, uint32_t n, uint32_t kept, uint32_t letter, uint32_t rest) {
  uint8_t c[kLongest + 28];
  memcpy(c, f, kept);
  if (letter != 0) c[kept++] = (uint8_t)letter;
  memcpy(c + kept, f + rest, n - rest);
  return is_known(d, c, kept + n - rest, kUpper);
}

static int try_all(const dictionary *d, const uint8_t *f, uint32_t n) {
  int count = try_one(d, f, n, n, 0, n);
  for (uint32_t i = 0; i <= n; ++i) {
    uint8_t c[kLongest + 28], rest[kLongest + 28];
    for (uint32_t x = 1; x <= d->affixes.letters.count; ++x) {
      if (n < kLongest) count += try_one(d, f, n, i, x, i);
      if (i < n && x != f[i]) count += try_one(d, f, n, i, x, i + 1);
    }
    if (i < n && n > 1) count += try_one(d, f, n, i, 0, i + 1);
    if (i + 1 >= n) continue;
    memcpy(c, f, n);
    c[i] = f[i + 1], c[i + 1] = f[i];
    count += is_known(d, c, n, kUpper);
    c[i] = f[i];
    memcpy(rest, f + i + 1, n - i - 1);
    count += n > 2 && is_known(d, c, i + 1, kUpper) && is_known(d, rest, n - i - 1, kUpper);
  }
  return count;
}

plain_counts plain_check(const void *loaded, const uint8_t *text, size_t bytes) {
  const dictionary *d = loaded;
  plain_counts counts = {0, 0, 0};
  cursor c = {text, text + bytes, 0, false};
  place p;
  for (found f; (f = next_word(&d->affixes.letters, &c, &p)) != kTextEnd;) {
    uint8_t folded[kLongest + 28];
    counts.words += f == kWord;
    if (f == kLineEnd || p.length > kLongest) continue;
    for (uint32_t i = 0; i < p.length; ++i) folded[i] = p.codes[i] >> 1;
    const written style = style_of(&d->affixes.letters, p.codes, p.length);
    const int right = p.length == 1 || is_known(d, folded, p.length, style);
    counts.right += right;
    counts.near += !right && try_all(d, folded, p.length);
  }
  return counts;
}
