/* The tokens that kernels of `dijkstra` send each other, and the search that they share.
 *
 * The search keeps nodes to look at in the order of their arrival. It relaxes all edges of a node with the distance at
 * which the node was queued, and a node counts as nearer only if it is strictly nearer. This order decides which of
 * several shortest paths is found. */
#ifndef WOA_MIBENCH_DIJKSTRA_H
#define WOA_MIBENCH_DIJKSTRA_H

#include "bench/mibench/decimal.h"
#include "woa/woa_kernel.h"

enum {
  kNodes = 100,
  kMostPairs = 1000,
  kNoEdge = 9999,    /* in the text: no edge, or no path */
  kFar = 0x3fffffff, /* in the matrix and in lengths: the same, and twice this fits 32 bits */
  kQueueRoom = 4096, /* a power of two */
  kLineRoom = 1024,  /* a line has at most 100 nodes of 3 characters, and 60 characters before them */
  kFromNowhere = -1
};

/* A node that a path of length `distance` reaches over the node `from`; kFromNowhere for a source. */
typedef struct candidate {
  int32_t node, distance, from;
} candidate;

/* Shortest paths from one source, as known so far. */
typedef struct paths {
  int32_t source;
  int32_t length[kNodes], from[kNodes];
} paths;

/* Nodes to look at, oldest first. */
typedef struct queue {
  uint32_t head, tail;
  candidate ring[kQueueRoom];
} queue;

/* The nodes that relax() compares before it looks at each of them: most groups have no nearer node, and compilers
 * compare a whole group with vector instructions. */
enum { kGroup = 20 };

static inline void start_paths(paths *p, int32_t source) {
  p->source = source;
  for (int32_t k = 0; k < kNodes; ++k) {
    p->length[k] = kFar;
    p->from[k] = kFromNowhere;
  }
  p->length[source] = 0;
}

/* Appends to `nearer` every node that `at` brings nearer. `sums`: the length of the path over `at`, by node. */
static inline size_t keep_nearer(paths *p, int32_t at, const int32_t *sums, candidate *nearer) {
  size_t count = 0;
  for (int32_t k = 0; k < kNodes; ++k) {
    if (sums[k] >= p->length[k]) continue;
    p->length[k] = sums[k];
    p->from[k] = at;
    const candidate found = {k, sums[k], at};
    nearer[count++] = found;
  }
  return count;
}

/* A sum that any two numbers have, for another stage may send any. */
static inline int32_t plus(int32_t a, int32_t b) { return (int32_t)((uint32_t)a + (uint32_t)b); }

/* The sign of a difference says which length is less, and signs of a group are gathered by `or`: that is half as many
 * instructions as comparisons take. Lengths up to 2 * kFar have no overflow. */
static inline int has_nearer(const int32_t *length, int32_t distance, const int32_t *row) {
  uint32_t signs = 0;
  for (int32_t k = 0; k < kGroup; ++k) signs |= (uint32_t)plus(distance, row[k]) - (uint32_t)length[k];
  return signs >> 31 != 0;
}

/* Relaxes the edges of `at`, whose weights are `row`. Writes the nodes that come nearer to `nearer` from position
 * `count` on, modulo `mask` + 1, and returns the position behind the last one. */
static inline uint32_t relax(paths *p, const candidate *at, const int32_t *row, candidate *nearer, uint32_t count,
                             uint32_t mask) {
  const int32_t distance = at->distance;
  const int32_t node = at->node;
  for (int32_t group = 0; group < kNodes; group += kGroup) {
    if (!has_nearer(p->length + group, distance, row + group)) continue;
    for (int32_t k = group; k < group + kGroup; ++k) {
      const int32_t length = plus(distance, row[k]);
      if (length >= p->length[k]) continue;
      p->length[k] = length;
      p->from[k] = node;
      const candidate found = {k, length, node};
      nearer[count++ & mask] = found;
    }
  }
  return count;
}

/* Fails unless the queue has room for `count` nodes more. */
static inline woa_status check_room(const queue *q, size_t count, woa_error *error) {
  const size_t needed = (size_t)(q->tail - q->head) + count;
  if (needed <= kQueueRoom) return WOA_OK;
  woa_fail(error, WOA_EXHAUSTED,
           "the queue has room for %d nodes and needs room for %zu: give it a matrix with fewer detours", kQueueRoom,
           needed);
  return WOA_EXHAUSTED; /* a constant, as in woa_claim(): who checks it again needs no code for WOA_OK */
}

/* Fails unless a token is a node to look at. */
static inline woa_status check_candidate(const woa_input *in, woa_error *error) {
  const candidate *at = (const candidate *)(const void *)in->data;
  if (in->bytes != sizeof *at) {
    woa_fail(error, WOA_INVALID, "a node has %llu bytes, expected %zu", (unsigned long long)in->bytes, sizeof *at);
    return WOA_INVALID;
  }
  if (at->node >= 0 && at->node < kNodes && at->distance >= 0 && at->distance <= kFar) return WOA_OK;
  woa_fail(error, WOA_INVALID, "found node %d at distance %d, expected 0 to %d at a distance of 0 to %d", at->node,
           at->distance, kNodes - 1, kFar);
  return WOA_INVALID;
}

/* Writes a node to look at. */
static inline woa_status put_candidate(woa_output *out, const char *port, const candidate *at, woa_error *error) {
  const woa_status status = woa_claim(out, port, sizeof *at, error);
  if (status == WOA_OK) memcpy(out->data, at, sizeof *at);
  return status;
}

static inline woa_status append(queue *q, const candidate *nearer, size_t count, woa_error *error) {
  const woa_status status = check_room(q, count, error);
  if (status != WOA_OK) return status;
  for (size_t k = 0; k < count; ++k) q->ring[q->tail++ % kQueueRoom] = nearer[k];
  return WOA_OK;
}

static inline char *write_number(char *to, int32_t number) {
  if (number < 0) *to++ = '-';
  return write_whole(number < 0 ? 0 - (uint32_t)number : (uint32_t)number, to);
}

static inline char *write_text(char *to, const char *text) {
  const size_t bytes = strlen(text);
  memcpy(to, text, bytes);
  return to + bytes;
}

/* Writes the line of the pair `source` -> (source + 50) mod 100. Fails if the path leads back to one of its own nodes,
 * which it does for negative weights, and before any source came. */
static inline woa_status write_line(const paths *p, woa_output *out, woa_error *error) {
  const int32_t target = (p->source + kNodes / 2) % kNodes;
  int32_t nodes[kNodes];
  size_t count = 0;
  for (int32_t k = target; k != kFromNowhere; k = p->from[k]) {
    if (count == kNodes) {
      return woa_fail(error, WOA_INVALID, "the path to node %d leads round, expected weights from 0 to %d", target,
                      kNoEdge);
    }
    nodes[count++] = k;
  }
  const woa_status status = woa_claim(out, "line", kLineRoom, error);
  if (status != WOA_OK) return status;
  const int32_t length = p->length[target] == kFar ? kNoEdge : p->length[target];
  char *to = write_number(write_text((char *)out->data, "Shortest path is "), length);
  to = write_text(to, " in cost. Path is: ");
  while (count > 0) to = write_number(write_text(to, " "), nodes[--count]);
  *to++ = '\n';
  out->bytes = (uint64_t)(to - (char *)out->data);
  return WOA_OK;
}

#endif
