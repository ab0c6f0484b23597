/* Letters of a language as codes, and words as codes.
 *
 * Letter k of the affix file's order has the codes 2k (upper case) and 2k + 1 (lower case), so `code >> 1` forgets the
 * case and the order of codes is ispell's order of guesses. A letter without case has the odd code. Code 0 is no
 * letter.
 */
#ifndef WOA_BENCH_MIBENCH_ISPELL_LETTERS_H
#define WOA_BENCH_MIBENCH_ISPELL_LETTERS_H

#include <stdbool.h>
#include <string.h>

#include "woa/woa_kernel.h"

enum {
  kLongest = 100, /* letters of a word that the dictionary can hold; a longer one is never right */
  kMostLetters = 120,
  kBlank = 2 * 125, /* codes behind every letter; they join the two words of a guess */
  kHyphen = 2 * 126,
  kLetterBytes = 4,
};

/* How a word is written. */
typedef enum written { kLower, kCapital, kUpper, kMixed } written;

typedef struct letters {
  uint32_t count;              /* letters are 1..count */
  uint8_t of_byte[256];        /* code of a character of one byte */
  bool starts[256];            /* a character of several bytes begins so */
  bool boundary[kMostLetters]; /* a word holds it only between two other letters */
  bool cased[kMostLetters];
  char text[256][kLetterBytes + 1]; /* of a code */
} letters;

typedef struct word {
  uint32_t length;
  written style;
  uint8_t codes[kLongest + 28];
  uint8_t folded[kLongest + 28]; /* code >> 1; zeros behind the end as far as the last chunk of 8 */
} word;

static inline bool is_upper(const letters *l, uint8_t code) { return (code & 1) == 0 && l->cased[code >> 1]; }
static inline bool is_lower(const letters *l, uint8_t code) { return (code & 1) != 0 && l->cased[code >> 1]; }
static inline uint8_t upper(const letters *l, uint8_t code) { return l->cased[code >> 1] ? code & 0xfe : code; }

/* The code at `at` and its number of bytes; 0 and 1 for a character that is no letter. */
static inline uint8_t letter_at(const letters *l, const uint8_t *at, const uint8_t *end, uint32_t *bytes) {
  *bytes = 1;
  if (!l->starts[*at]) return l->of_byte[*at];
  for (uint32_t code = 2; code < 2 * (l->count + 1); ++code) {
    const size_t length = strlen(l->text[code]);
    if (length > 1 && (size_t)(end - at) >= length && memcmp(at, l->text[code], length) == 0) {
      *bytes = (uint32_t)length;
      return (uint8_t)code;
    }
  }
  return l->of_byte[*at];
}

static inline written style_of(const letters *l, const uint8_t *codes, uint32_t length) {
  uint32_t uppers = 0, lowers = 0;
  for (uint32_t i = 0; i < length; ++i) {
    uppers += is_upper(l, codes[i]);
    lowers += is_lower(l, codes[i]);
  }
  if (uppers == 0) return kLower;
  if (lowers == 0) return kUpper;
  return uppers == 1 && is_upper(l, codes[0]) ? kCapital : kMixed;
}

static inline void set_word(const letters *l, word *w, const uint8_t *codes, uint32_t length) {
  w->length = length;
  w->style = style_of(l, codes, length);
  memcpy(w->codes, codes, length);
  for (uint32_t i = 0; i < length; ++i) w->folded[i] = codes[i] >> 1;
  memset(w->folded + length, 0, 8);
}

/* Appends the text of codes; returns its end. */
static inline char *put_codes(const letters *l, char *to, const uint8_t *codes, uint32_t length) {
  for (uint32_t i = 0; i < length; ++i) {
    const char *text = l->text[codes[i]];
    while (*text != '\0') *to++ = *text++;
  }
  return to;
}

/* One more letter: `low` is its lower or only form, `high` its upper one or null. */
static inline woa_status add_letter(letters *l, const char *low, const char *high, bool boundary, woa_error *error) {
  const uint32_t letter = l->count + 1;
  const char *forms[2] = {high != NULL ? high : low, low};
  if (letter >= kMostLetters) return woa_fail(error, WOA_UNSUPPORTED, "more than %d letters", kMostLetters - 1);
  l->count = letter;
  l->boundary[letter] = boundary;
  l->cased[letter] = high != NULL;
  for (uint32_t form = 0; form < 2; ++form) {
    const uint8_t code = (uint8_t)(2 * letter + form);
    const uint8_t first = (uint8_t)forms[form][0];
    const size_t bytes = strlen(forms[form]);
    if (bytes == 0 || bytes > kLetterBytes) {
      return woa_fail(error, WOA_UNSUPPORTED, "a letter has %zu bytes, expected 1 to %d", bytes, kLetterBytes);
    }
    strcpy(l->text[code], forms[form]);
    if (bytes == 1) l->of_byte[first] = code;
    if (bytes > 1) l->starts[first] = true;
  }
  return WOA_OK;
}

static inline void no_letters(letters *l) {
  memset(l, 0, sizeof *l);
  strcpy(l->text[kBlank], " ");
  strcpy(l->text[kHyphen], "-");
}

#endif /* WOA_BENCH_MIBENCH_ISPELL_LETTERS_H */
