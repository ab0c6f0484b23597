/* First input: the number of pairs. Every other one: the line of the last source. Output: the next source, or the text
 * behind the last one. The text is kept here, since nothing but a loop's end may leave the loop. */
#include "bench/mibench/dijkstra/dijkstra.h"

enum { kTextRoom = 64 << 10 };

typedef struct progress {
  uint32_t pairs, started; /* pairs: 0 until the first input */
  uint32_t bytes;
  char text[kTextRoom];
} progress;

static woa_status take_line(progress *p, const woa_input *in, woa_error *error) {
  if (in->bytes > kTextRoom - p->bytes) {
    return woa_fail(error, WOA_TOO_LARGE, "the text of %u pairs exceeds %d bytes", p->started, kTextRoom);
  }
  if (in->bytes != 0) memcpy(p->text + p->bytes, in->data, in->bytes);
  p->bytes += (uint32_t)in->bytes;
  return WOA_OK;
}

static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self;
  progress *p = firing->state;
  if (p->pairs == 0) {
    if (ins[0].bytes != sizeof p->pairs)
      return woa_fail(error, WOA_INVALID, "the number of pairs has %llu bytes, expected 4",
                      (unsigned long long)ins[0].bytes);
    memcpy(&p->pairs, ins[0].data, sizeof p->pairs);
  } else {
    const woa_status status = take_line(p, ins, error);
    if (status != WOA_OK) return status;
  }
  if (p->started < p->pairs) {
    const candidate source = {(int32_t)(p->started++ % kNodes), 0, kFromNowhere};
    return put_candidate(&outs[0], "source", &source, error);
  }
  const woa_status status = woa_claim(&outs[1], "text", p->bytes, error);
  if (status == WOA_OK) memcpy(outs[1].data, p->text, p->bytes);
  return status;
}

WOA_KERNEL_TABLE(.run = run, .state_bytes = sizeof(progress))
