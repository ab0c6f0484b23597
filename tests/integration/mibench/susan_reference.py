"""SUSAN's edge detector in Python, written from the rules alone: slow, and independent of the kernels.

Pictures are lists of rows. Numbers that the rules call `float` are rounded to single precision.
"""
import math
import struct

ON, OFF = 8, 100
HALVES = {-3: 1, -2: 2, -1: 3, 0: 3, 1: 3, 2: 2, 3: 1}
MASK = [(dy, dx) for dy, half in HALVES.items() for dx in range(-half, half + 1)]
RING = [(-1, -1), (-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1)]
STRAIGHT = [(-1, 0), (0, 1), (1, 0), (0, -1)]


def single(number):
    return struct.unpack("<f", struct.pack("<f", number))[0]


def alike(difference):
    t = single(difference / 20)
    t = single(t * t)
    t = single(single(t * t) * t)
    return int(single(100 * math.exp(-t)))


ALIKE = [alike(k) for k in range(256)]


def grid(like, value):
    return [[value] * len(like[0]) for _ in like]


def response_of(picture):
    out = grid(picture, 0)
    for i in range(3, len(picture) - 3):
        for j in range(3, len(picture[0]) - 3):
            n = sum(ALIKE[abs(picture[i + dy][j + dx] - picture[i][j])] for dy, dx in MASK)
            out[i][j] = max(0, 2650 - n)
    return out


def across(picture, m, i, j):
    """The step across the edge, and the number of the rule that finds it."""
    sx = sy = xx = yy = xy = 0
    for dy, dx in MASK:
        v = ALIKE[abs(picture[i + dy][j + dx] - picture[i][j])]
        sx, sy, xx, yy, xy = sx + v * dx, sy + v * dy, xx + v * dx * dx, yy + v * dy * dy, xy + v * dx * dy
    n = 2650 - m
    if n > 600 and math.sqrt(single(sx * sx + sy * sy)) > 0.9 * n:
        z = 1000000 if sx == 0 else single(sy / sx)
        diagonal, rule = ((1, 1) if z > 0 else (-1, 1)), 1
        z = abs(z)
    else:
        z = 1000000 if yy == 0 else single(xx / yy)
        diagonal, rule = ((-1, 1) if xy > 0 else (1, 1)), 2
    return ((0, 1) if z < 0.5 else (1, 0) if z > 2 else diagonal), rule


def map_of(picture, r):
    out = grid(picture, OFF)
    for i in range(4, len(picture) - 4):
        for j in range(4, len(picture[0]) - 4):
            m = r[i][j]
            if m == 0:
                continue
            (a, b), rule = across(picture, m, i, j)
            if m > r[i + a][j + b] and m >= r[i - a][j - b] and m > r[i + 2 * a][j + 2 * b] and m >= r[i - 2 * a][j - 2 * b]:
                out[i][j] = rule
    return out


class Thinning:
    def __init__(self, m, r):
        self.m, self.r = m, r

    def on(self, i, j):
        return self.m[i][j] < ON

    def run(self):
        i = 4
        while i < len(self.m) - 4:
            j = 4
            while j < len(self.m[0]) - 4:
                if self.on(i, j):
                    i, j = self.pixel(i, j)
                j += 1
            i += 1
        return self.m

    def pixel(self, i, j):
        """Looks at a pixel that is on; the scan goes on behind the place that this answers."""
        n = sum(self.on(i + a, j + b) for a, b in RING)
        if n == 0:
            self.m[i][j] = OFF
        elif n == 1:
            return self.end(i, j)
        elif n == 2:
            return self.line(i, j)
        else:
            return self.crowd(i, j)
        return i, j

    def end(self, i, j):
        here = self.m[i][j]
        if here >= 6:
            return i, j
        lit = next(k for k, (a, b) in enumerate(RING) if self.on(i + a, j + b))
        weights = {place: (0, 0, 2, 3, 4, 3, 2, 0)[(k - lit) % 8] for k, place in enumerate(RING)}
        best = max(sorted(RING), key=lambda place: weights[place] * self.r[i + place[0]][j + place[1]])  # the first of equals
        if weights[best] * self.r[i + best[0]][j + best[1]] == 0:
            return i, j
        a, b = best
        self.m[i + a][j + b] = 4 if here < 4 else here + 1
        return (max(i + a, 4), max(j + b - 1, 4)) if best < (0, 0) else (i, j)

    def line(self, i, j):
        corners = [(a, b) for a in (-1, 1) for b in (-1, 1) if self.on(i + a, j + b)]
        if len(corners) == 2 and corners[0] != tuple(-c for c in corners[1]):
            (a, b), (c, d) = corners
            y, x = (a + c) // 2, (b + d) // 2
            beyond = [(2 * y + k * x, 2 * x + k * y) for k in (-1, 0, 1)]
            if single(self.r[i + y][j + x] / self.r[i][j]) > 0.7 and not any(self.on(i + p, j + q) for p, q in beyond):
                self.m[i][j], self.m[i + y][j + x] = OFF, 3
            return i, j
        lit = [(a, b) for a, b in STRAIGHT if self.on(i + a, j + b)]
        if len(lit) == 2 and lit[0] != tuple(-c for c in lit[1]):
            if any(self.on(i + 2 * a + k * b, j + 2 * b + k * a) for a, b in lit for k in (-1, 1)):
                return self.off(i, j)
        return i, j

    def crowd(self, i, j):
        on = {(a, b): self.on(i + a, j + b) for a, b in RING}
        if sum(on[place] for place in STRAIGHT) < 2:
            return i, j
        straights = [on[place] for place in STRAIGHT]  # up, right, down, left
        p = [on[-1, -1] or straights[0], on[-1, 1] or straights[1], on[1, 1] or straights[2], on[1, -1] or straights[3]]
        joined = sum(straights[k] and p[(k + 1) % 4] for k in range(4))
        return self.off(i, j) if sum(p) - joined < 2 else (i, j)

    def off(self, i, j):
        self.m[i][j] = OFF
        return max(i - 1, 4), max(j - 2, 4)


def draw(picture, m):
    out = [list(row) for row in picture]
    edges = [(i, j) for i, row in enumerate(m) for j, value in enumerate(row) if value < ON]
    for i, j in edges:
        for a, b in RING:
            out[i + a][j + b] = 255
    for i, j in edges:
        out[i][j] = 0
    return out


def susan(picture):
    """(response, thinned map, picture with its edges)."""
    r = response_of(picture)
    m = Thinning(map_of(picture, r), r).run()
    return r, m, draw(picture, m)
