#include "bench/mibench/susan/susan.h"

enum {
  kFirst = kRadius + 1, /* row and column that thinning begins at, and steps back to at most */
  kGrowing = 6,         /* an edge that was continued this often ends */
  kContinued = 4,
  kMoved = 3,
  kStepsPerPixel = 64 /* before it gives up; pictures need fewer than two */
};

/* The 8 neighbours in raster order, and the place of each on the ring around the pixel. */
static const int kDy[8] = {-1, -1, -1, 0, 0, 1, 1, 1};
static const int kDx[8] = {-1, 0, 1, -1, 1, -1, 0, 1};
static const int kRing[8] = {0, 1, 2, 7, 3, 6, 5, 4};

/* How much a neighbour counts by its distance on the ring from the one that is on. */
static const int kWeight[5] = {0, 0, 2, 3, 4};

typedef struct thinning {
  const int32_t *response;
  uint8_t *map;
  int width, height;
  int y, x; /* the pixel that is looked at */
} thinning;

static size_t place(const thinning *t, int dy, int dx) {
  return (size_t)(t->y + dy) * (size_t)t->width + (size_t)(t->x + dx);
}

static int on(const thinning *t, int dy, int dx) { return t->map[place(t, dy, dx)] < kOn; }

static int count_neighbours(const thinning *t) {
  int count = 0;
  for (int k = 0; k < 8; ++k) count += on(t, kDy[k], kDx[k]);
  return count;
}

static void step_back(thinning *t, int dy, int dx) {
  t->y = t->y + dy > kFirst ? t->y + dy : kFirst;
  t->x = t->x + dx > kFirst ? t->x + dx : kFirst;
}

/* The neighbour that continues an edge best whose only neighbour is number `from`; -1 if none responds. */
static int find_continuation(const thinning *t, int from) {
  int best = -1;
  int64_t largest = 0;
  for (int k = 0; k < 8; ++k) {
    const int apart = abs(kRing[k] - kRing[from]);
    const int64_t value = (int64_t)t->response[place(t, kDy[k], kDx[k])] * kWeight[apart > 4 ? 8 - apart : apart];
    if (value > largest) largest = value, best = k;
  }
  return best;
}

/* One neighbour: the end of an edge, which grows by a pixel. */
static void continue_edge(thinning *t) {
  const uint8_t here = t->map[place(t, 0, 0)];
  if (here >= kGrowing) return;
  int from = 0;
  while (!on(t, kDy[from], kDx[from])) ++from;
  const int to = find_continuation(t, from);
  if (to < 0) return;
  t->map[place(t, kDy[to], kDx[to])] = here < kContinued ? kContinued : (uint8_t)(here + 1);
  if (kDy[to] < 0 || (kDy[to] == 0 && kDx[to] < 0)) step_back(t, kDy[to], kDx[to] - 1);
}

/* Two corners on one side (dy, dx): the pixel between them is as good, and makes the edge straight. */
static void straighten(thinning *t, int dy, int dx) {
  const float here = (float)t->response[place(t, 0, 0)], there = (float)t->response[place(t, dy, dx)];
  if (!((double)(there / here) > 0.7)) return;
  if (on(t, 2 * dy, 2 * dx) || on(t, 2 * dy + dx, 2 * dx + dy) || on(t, 2 * dy - dx, 2 * dx - dy)) return;
  t->map[place(t, 0, 0)] = kOff;
  t->map[place(t, dy, dx)] = kMoved;
}

/* True for a straight neighbour at (dy, dx) that is on and goes on, aside, behind. */
static int goes_on(const thinning *t, int dy, int dx) {
  return on(t, dy, dx) && (on(t, 2 * dy + dx, 2 * dx + dy) || on(t, 2 * dy - dx, 2 * dx - dy));
}

static void remove_pixel(thinning *t) {
  t->map[place(t, 0, 0)] = kOff;
  step_back(t, -1, -2);
}

/* Two neighbours: a corner of the edge that is not needed goes. */
static void thin_line(thinning *t) {
  const int c00 = on(t, -1, -1), c02 = on(t, -1, 1), c20 = on(t, 1, -1), c22 = on(t, 1, 1);
  if (c00 + c02 + c20 + c22 == 2 && (c00 | c22) && (c02 | c20)) {
    if (c00 == c02) {
      straighten(t, c00 ? -1 : 1, 0);
    } else {
      straighten(t, 0, c00 ? -1 : 1);
    }
    return;
  }
  const int up = on(t, -1, 0), right = on(t, 0, 1), down = on(t, 1, 0), left = on(t, 0, -1);
  if (up + right + down + left != 2 || !(up | down) || !(left | right)) return;
  if (goes_on(t, -1, 0) || goes_on(t, 0, 1) || goes_on(t, 1, 0) || goes_on(t, 0, -1)) remove_pixel(t);
}

/* Three neighbours and more: the pixel goes unless it joins what would be apart without it. */
static void thin_crowd(thinning *t) {
  const int up = on(t, -1, 0), right = on(t, 0, 1), down = on(t, 1, 0), left = on(t, 0, -1);
  if (up + right + down + left < 2) return;
  const int p1 = on(t, -1, -1) | up, p2 = on(t, -1, 1) | right, p3 = on(t, 1, 1) | down, p4 = on(t, 1, -1) | left;
  const int parts = p1 + p2 + p3 + p4 - (up & p2) - (right & p3) - (down & p4) - (left & p1);
  if (parts < 2) remove_pixel(t);
}

static void thin_pixel(thinning *t) {
  switch (count_neighbours(t)) {
    case 0: t->map[place(t, 0, 0)] = kOff; return;
    case 1: continue_edge(t); return;
    case 2: thin_line(t); return;
    default: thin_crowd(t); return;
  }
}

woa_status susan_thin(const int32_t *response, int width, int height, uint8_t *map, woa_error *error) {
  thinning t = {response, map, width, height, kFirst, kFirst};
  int64_t steps = (int64_t)kStepsPerPixel * width * height;
  for (t.y = kFirst; t.y < height - kFirst; ++t.y) {
    for (t.x = kFirst; t.x < width - kFirst; ++t.x) {
      if (!on(&t, 0, 0)) continue;
      if (--steps < 0) {
        return woa_fail(error, WOA_UNSUPPORTED, "the edges are not thin after %d steps for each of %d x %d pixels",
                        kStepsPerPixel, width, height);
      }
      thin_pixel(&t);
    }
  }
  return WOA_OK;
}
