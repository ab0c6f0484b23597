/* Words of a text and the lines of the result, as `ispell -a` has them without its first line.
 *
 * Rules met: words are runs of letters, with boundary characters between two letters; offsets count characters from the
 * beginning of the line; a blank line ends the results of a line; `^` at the beginning of a line is dropped. Lines that
 * begin with one of * & @ + - ~ # ! % ` are commands to ispell: they give no result, and nothing obeys them. nroff's
 * syntax: a request (. at the beginning of a line) is skipped to the first blank, \fX \f(XX \*X \*(XX \(XX and the
 * backslash itself (with `s` behind it) are skipped. Beyond ispell: a line may have any length, the last one needs no
 * newline, and a word of more than kLongest letters is wrong and has no near misses.
 */
#ifndef WOA_BENCH_MIBENCH_ISPELL_TEXT_H
#define WOA_BENCH_MIBENCH_ISPELL_TEXT_H

#include "bench/mibench/ispell/near.h"

typedef struct cursor {
  const uint8_t *at, *end;
  uint32_t column;
  bool inside; /* in a line */
} cursor;

typedef struct place {
  const uint8_t *start;
  uint32_t bytes, column;
  uint32_t length; /* letters; above kLongest `codes` has the first ones only */
  uint8_t codes[kLongest];
} place;

typedef enum found { kWord, kLineEnd, kTextEnd } found;

static inline uint32_t escape_bytes(const cursor *c) {
  const size_t left = (size_t)(c->end - c->at);
  const uint8_t *p = c->at;
  if (left > 1 && p[1] == 's') return 2;
  if (left < 3 || (p[1] != 'f' && p[1] != '*' && p[1] != '(')) return 1;
  if (p[1] == '(') return left < 4 ? 1 : 4;
  if (p[2] == '(') return left < 5 ? 3 : 5;
  return p[2] == '\n' ? 1 : 3;
}

static inline void skip(cursor *c, uint32_t bytes) {
  for (uint32_t i = 0; i < bytes && c->at < c->end && *c->at != '\n'; ++i) {
    ++c->at;
    ++c->column;
  }
}

/* Begins a line; false: it is a command, and the next line is next. */
static inline bool begin_line(cursor *c) {
  c->column = 0;
  if (*c->at != '\0' && strchr("*&@+-~#!%`", *c->at) != NULL) {
    const uint8_t *stop = (const uint8_t *)memchr(c->at, '\n', (size_t)(c->end - c->at));
    c->at = stop != NULL ? stop + 1 : c->end;
    return false;
  }
  c->inside = true;
  if (*c->at == '^') skip(c, 1);
  if (c->at < c->end && *c->at == '.') {
    while (c->at < c->end && strchr(" \t\n\r", *c->at) == NULL) skip(c, 1);
  }
  return true;
}

/* The word that begins here. */
static inline void take_word(const letters *l, cursor *c, place *p) {
  uint32_t used;
  p->start = c->at;
  p->column = c->column;
  p->length = 0;
  while (c->at < c->end) {
    const uint8_t code = letter_at(l, c->at, c->end, &used);
    if (code == 0) break;
    if (l->boundary[code >> 1]) {
      uint32_t unused;
      const uint8_t next = c->at + used < c->end ? letter_at(l, c->at + used, c->end, &unused) : 0;
      if (next == 0 || l->boundary[next >> 1]) break;
    }
    if (p->length < kLongest) p->codes[p->length] = code;
    ++p->length;
    ++c->column;
    c->at += used;
  }
  p->bytes = (uint32_t)(c->at - p->start);
}

/* The next word, or the end of a line, which has an empty line in the result. */
static inline found next_word(const letters *l, cursor *c, place *p) {
  while (!c->inside) {
    if (c->at == c->end) return kTextEnd;
    (void)begin_line(c);
  }
  while (c->at < c->end && *c->at != '\n') {
    uint32_t used;
    const uint8_t code = letter_at(l, c->at, c->end, &used);
    if (code != 0 && !l->boundary[code >> 1]) {
      take_word(l, c, p);
      return kWord;
    }
    skip(c, *c->at == '\\' ? escape_bytes(c) : 1);
  }
  if (c->at < c->end) ++c->at;
  c->inside = false;
  return kLineEnd;
}

/* Results: of a fixed room, or growing and freed by their owner. */
typedef struct result {
  char *text;
  size_t bytes, room;
  bool fixed;
} result;

/* Room for `more` bytes; null if there is none. */
static inline char *result_room(result *r, size_t more) {
  if (r->bytes + more > r->room) {
    if (r->fixed) return NULL;
    const size_t room = 2 * (r->bytes + more);
    char *text = (char *)realloc(r->text, room);
    if (text == NULL) return NULL;
    r->text = text;
    r->room = room;
  }
  return r->text + r->bytes;
}

/* `& word count offset: list`, `? word 0 offset: list`, `# word offset`. False: no room. */
static inline bool put_wrong(result *r, const place *p, char kind, uint32_t count, const char *list, size_t bytes) {
  char *at = result_room(r, p->bytes + bytes + 32);
  if (at == NULL) return false;
  *at++ = kind;
  *at++ = ' ';
  memcpy(at, p->start, p->bytes);
  at += p->bytes;
  if (kind == '#') {
    at += sprintf(at, " %u\n", p->column);
  } else {
    at += sprintf(at, " %u %u: ", count, p->column);
    memcpy(at, list, bytes);
    at += bytes;
    *at++ = '\n';
  }
  r->bytes = (size_t)(at - r->text);
  return true;
}

static inline bool put_line(result *r, const char *line, size_t bytes) {
  char *at = result_room(r, bytes + 1);
  if (at == NULL) return false;
  if (bytes != 0) memcpy(at, line, bytes);
  at[bytes] = '\n';
  r->bytes += bytes + 1;
  return true;
}

#endif /* WOA_BENCH_MIBENCH_ISPELL_TEXT_H */
