/* The affix file: letters, and prefixes and suffixes by flag (man 5 ispell). One statement a line.
 *
 * Read: wordchars, boundarychars, stringchar, compoundwords on|off, compoundmin, flagmarker, prefixes, suffixes, flags
 * with * and rules `conditions > -STRIP,ADD`. Skipped: what concerns formatters (nroffchars, texchars, defstringtype,
 * altstringtype, altstringchar, options, allaffixes off). Anything else is an error with its line.
 */
#ifndef WOA_BENCH_MIBENCH_ISPELL_AFFIXES_H
#define WOA_BENCH_MIBENCH_ISPELL_AFFIXES_H

#include <ctype.h>

#include "bench/mibench/ispell/letters.h"

enum { kMostRules = 256, kMostConditions = 8, kMostAffix = 16 };

typedef struct rule {
  uint64_t flag;
  bool crosses; /* `*`: goes with affixes at the other end */
  uint8_t strip_length, add_length, conditions;
  uint8_t strip[kMostAffix], add[kMostAffix]; /* folded */
  uint64_t allowed[kMostConditions][2];       /* bit per folded letter */
} rule;

typedef struct affixes {
  letters letters;
  char marker;    /* between a root and its flags */
  bool compounds; /* `compoundwords on` */
  uint32_t compound_min;
  uint32_t flag_count;
  uint64_t flag_of[128]; /* bit of a flag's character; 0: unknown */
  uint32_t prefixes, suffixes;
  rule prefix[kMostRules], suffix[kMostRules];
} affixes;

/* The whole file and a zero behind it, or null. */
static inline char *read_whole(const char *path, const char *what, size_t *bytes, woa_status *status,
                               woa_error *error) {
  FILE *file = fopen(path, "rb");
  char *text = NULL;
  size_t room = 1 << 16, count = 0;
  if (file == NULL) {
    *status =
        woa_fail(error, WOA_UNAVAILABLE, "parameter '%s': '%.80s' cannot be opened: %s", what, path, strerror(errno));
    return NULL;
  }
  do {
    char *more = (char *)realloc(text, room + 1);
    if (more == NULL) break;
    text = more;
    count += fread(text + count, 1, room - count, file);
    if (count < room) break;
    room *= 2;
  } while (true);
  if (text == NULL || ferror(file)) {
    *status = woa_fail(error, WOA_UNAVAILABLE, "parameter '%s': '%.80s' cannot be read", what, path);
    free(text);
    text = NULL;
  } else {
    text[count] = '\0';
    *bytes = count;
  }
  fclose(file);
  return text;
}

/* The next word of the statement into `out`: a run without blanks, backslashes taken away. False: none is left. */
static inline bool next_field(const char **at, char *out, size_t room) {
  const char *p = *at;
  size_t n = 0;
  while (*p == ' ' || *p == '\t') ++p;
  if (*p == '\0') return false;
  while (*p != '\0' && *p != ' ' && *p != '\t' && n + 1 < room) {
    if (p[0] == '\\' && p[1] == 'x' && isxdigit((unsigned char)p[2]) && isxdigit((unsigned char)p[3])) {
      const char digits[3] = {p[2], p[3], '\0'};
      out[n++] = (char)strtol(digits, NULL, 16);
      p += 4;
      continue;
    }
    if (*p == '\\' && p[1] != '\0') ++p;
    out[n++] = *p++;
  }
  out[n] = '\0';
  *at = p;
  return true;
}

/* Members of `[a-z]`, or the one character, in order of their bytes. */
static inline size_t members(const char *field, char *out) {
  bool in[256] = {false};
  size_t n = 0;
  const size_t length = strlen(field);
  if (field[0] != '[' || length < 3 || field[length - 1] != ']') {
    out[0] = field[0];
    return length == 1 ? 1 : 0;
  }
  for (const char *p = field + 1; p + 1 < field + length; ++p) {
    if (p[1] == '-' && p + 3 < field + length) {
      for (int c = (uint8_t)p[0]; c <= (uint8_t)p[2]; ++c) in[c] = true;
      p += 2;
    } else {
      in[(uint8_t)*p] = true;
    }
  }
  for (int c = 1; c < 256; ++c) {
    if (in[c]) out[n++] = (char)c;
  }
  return n;
}

/* wordchars, boundarychars, stringchar. */
static inline woa_status read_letters(affixes *a, const char *kind, const char *at, woa_error *error) {
  char low[64], high[64], lows[256], highs[256];
  const bool boundary = kind[0] == 'b';
  if (!next_field(&at, low, sizeof low)) return woa_fail(error, WOA_INVALID, "'%s' without a character", kind);
  const bool pair = next_field(&at, high, sizeof high);
  if (kind[0] == 's') return add_letter(&a->letters, low, pair ? high : NULL, false, error);
  const size_t count = members(low, lows);
  if (count == 0 || (pair && members(high, highs) != count)) {
    return woa_fail(error, WOA_INVALID, "'%s %s': not one character or a range, or ranges differ in size", kind, low);
  }
  for (size_t i = 0; i < count; ++i) {
    const char one[2] = {lows[i], '\0'}, other[2] = {pair ? highs[i] : '\0', '\0'};
    const woa_status status = add_letter(&a->letters, one, pair ? other : NULL, boundary, error);
    if (status != WOA_OK) return status;
  }
  return WOA_OK;
}

/* Letters of an affix, folded. */
static inline woa_status read_affix(const letters *l, const char *text, size_t bytes, uint8_t *out, uint8_t *length,
                                    woa_error *error) {
  const uint8_t *at = (const uint8_t *)text, *const end = at + bytes;
  *length = 0;
  while (at < end) {
    uint32_t used;
    const uint8_t code = letter_at(l, at, end, &used);
    if (code == 0 || *length == kMostAffix) {
      return woa_fail(error, WOA_INVALID, "'%.32s': not 1 to %d letters that the file declares", text, kMostAffix);
    }
    out[(*length)++] = code >> 1;
    at += used;
  }
  return WOA_OK;
}

/* One condition, `.`, a letter or `[^AB]`; moves `at` behind it. */
static inline woa_status read_condition(const letters *l, const char **at, uint64_t allowed[2], woa_error *error) {
  const uint8_t *p = (const uint8_t *)*at;
  const uint8_t *const end = p + strlen(*at);
  const bool range = *p == '[', inverse = range && p[1] == '^';
  allowed[0] = allowed[1] = 0;
  p += range + inverse;
  if (*p == '.') {
    allowed[0] = allowed[1] = ~(uint64_t)0;
    ++p;
  } else {
    do {
      uint32_t used = 1;
      const uint8_t code = p < end ? letter_at(l, p, end, &used) : 0;
      if (code == 0) return woa_fail(error, WOA_INVALID, "condition '%.32s': not a letter that the file declares", *at);
      allowed[code >> 7] |= (uint64_t)1 << (code >> 1 & 63);
      p += used;
    } while (range && *p != ']');
    p += range;
  }
  if (inverse) allowed[0] = ~allowed[0], allowed[1] = ~allowed[1];
  *at = (const char *)p;
  return WOA_OK;
}

/* `conditions > -STRIP,ADD`. */
static inline woa_status read_rule(affixes *a, bool prefix, uint64_t flag, bool crosses, const char *at,
                                   woa_error *error) {
  uint32_t *count = prefix ? &a->prefixes : &a->suffixes;
  rule *r = (prefix ? a->prefix : a->suffix) + *count;
  const char *const rule_text = at;
  char change[64];
  woa_status status = WOA_OK;
  if (*count == kMostRules) return woa_fail(error, WOA_UNSUPPORTED, "more than %d rules", kMostRules);
  memset(r, 0, sizeof *r);
  r->flag = flag;
  r->crosses = crosses;
  for (at += strspn(at, " \t"); *at != '>'; at += strspn(at, " \t")) {
    if (*at == '\0' || r->conditions == kMostConditions) {
      return woa_fail(error, WOA_INVALID, "'%.32s': expected up to %d conditions and `>`", rule_text, kMostConditions);
    }
    status = read_condition(&a->letters, &at, r->allowed[r->conditions++], error);
    if (status != WOA_OK) return status;
  }
  ++at;
  if (r->conditions == 1 && r->allowed[0][0] == ~(uint64_t)0) r->conditions = 0; /* a single dot needs no letter */
  if (!next_field(&at, change, sizeof change)) {
    return woa_fail(error, WOA_INVALID, "'%.32s': nothing behind `>`", rule_text);
  }
  const char *comma = change[0] == '-' ? strchr(change, ',') : NULL;
  const char *add = comma != NULL ? comma + 1 : change;
  if (comma != NULL) {
    status = read_affix(&a->letters, change + 1, (size_t)(comma - change - 1), r->strip, &r->strip_length, error);
  }
  if (status == WOA_OK && strcmp(add, "-") != 0) {
    status = read_affix(&a->letters, add, strlen(add), r->add, &r->add_length, error);
  }
  *count += status == WOA_OK;
  return status;
}

typedef struct affix_place {
  int part; /* 0: before the tables, 'p' in prefixes, 's' in suffixes */
  uint64_t flag;
  bool crosses;
} affix_place;

/* `flag *X:` */
static inline woa_status read_flag(affixes *a, affix_place *place, const char *at, woa_error *error) {
  at += strspn(at, " \t");
  place->crosses = *at == '*';
  at += place->crosses;
  at += strspn(at, " \t");
  if (*at == '~') return woa_fail(error, WOA_UNSUPPORTED, "a flag for compounds alone (`~`)");
  if (*at == '\\') ++at;
  const uint8_t name = (uint8_t)*at;
  if (name <= ' ' || name > 126 || at[1 + strspn(at + 1, " \t")] != ':') {
    return woa_fail(error, WOA_INVALID, "expected `flag X:` with one ASCII character");
  }
  if (a->flag_of[name] == 0) {
    if (a->flag_count == 64) return woa_fail(error, WOA_UNSUPPORTED, "more than 64 flags");
    a->flag_of[name] = (uint64_t)1 << a->flag_count++;
  }
  place->flag = a->flag_of[name];
  return WOA_OK;
}

/* Options of the language. */
static inline woa_status read_option(affixes *a, const char *kind, const char *at, woa_error *error) {
  static const char *const kSkipped[] = {"nroffchars",    "troffchars",    "TeXchars",      "texchars",
                                         "defstringtype", "altstringtype", "altstringchar", "options"};
  char value[64] = "";
  for (size_t i = 0; i < sizeof kSkipped / sizeof *kSkipped; ++i) {
    if (strcmp(kind, kSkipped[i]) == 0) return WOA_OK;
  }
  (void)next_field(&at, value, sizeof value);
  const bool on = strcmp(value, "on") == 0, off = strcmp(value, "off") == 0;
  if (strcmp(kind, "compoundwords") == 0 && (on || off)) {
    a->compounds = on;
  } else if (strcmp(kind, "compoundmin") == 0 && value[0] >= '1' && value[0] <= '9' && value[1] == '\0') {
    a->compound_min = (uint32_t)(value[0] - '0');
  } else if (strcmp(kind, "flagmarker") == 0 && value[0] > ' ' && value[1] == '\0') {
    a->marker = value[0];
  } else if (strcmp(kind, "allaffixes") != 0 || !off) {
    return woa_fail(error, WOA_UNSUPPORTED, "'%.32s %.32s' is not supported", kind, value);
  }
  return WOA_OK;
}

static inline woa_status read_statement(affixes *a, affix_place *place, const char *line, woa_error *error) {
  char kind[64];
  const char *at = line;
  if (!next_field(&at, kind, sizeof kind)) return WOA_OK;
  if (strcmp(kind, "prefixes") == 0 || strcmp(kind, "suffixes") == 0) {
    *place = (affix_place){kind[0], 0, false};
    return WOA_OK;
  }
  if (strcmp(kind, "flag") == 0) {
    if (place->part == 0) return woa_fail(error, WOA_INVALID, "a flag before `prefixes` or `suffixes`");
    return read_flag(a, place, at, error);
  }
  if (place->flag != 0) return read_rule(a, place->part == 'p', place->flag, place->crosses, line, error);
  if (strcmp(kind, "wordchars") == 0 || strcmp(kind, "boundarychars") == 0 || strcmp(kind, "stringchar") == 0) {
    return read_letters(a, kind, at, error);
  }
  return read_option(a, kind, at, error);
}

/* Reads the file that parameter `affixes` names. */
static inline woa_status read_affixes(const char *path, affixes *a, woa_error *error) {
  affix_place place = {0, 0, false};
  woa_status status = WOA_OK;
  size_t bytes = 0;
  uint32_t number = 0;
  char *const text = read_whole(path, "affixes", &bytes, &status, error);
  if (text == NULL) return status;
  memset(a, 0, sizeof *a);
  no_letters(&a->letters);
  a->marker = '/';
  a->compound_min = 3;
  for (char *line = text, *next; status == WOA_OK && line < text + bytes; line = next) {
    size_t length = strcspn(line, "\n");
    next = line + length + 1;
    line[length] = '\0';
    ++number;
    for (char *p = line; *p != '\0'; ++p) {
      if (*p == '\r' || (*p == '#' && (p == line || p[-1] != '\\'))) *p = '\0';
      if (*p == '\0') break;
    }
    status = read_statement(a, &place, line, error);
  }
  if (status != WOA_OK) {
    const woa_error why = *error;
    status = woa_fail(error, status, "affixes, line %u: %.150s", number, why.message);
  } else if (a->letters.count == 0 || a->prefixes + a->suffixes == 0) {
    status = woa_fail(error, WOA_INVALID, "affixes: '%.80s' declares no letters or no prefixes and suffixes", path);
  }
  free(text);
  return status;
}

#endif /* WOA_BENCH_MIBENCH_ISPELL_AFFIXES_H */
