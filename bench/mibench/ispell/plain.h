/* The plain loop of plain.c. */
#ifndef WOA_MIBENCH_ISPELL_PLAIN_H
#define WOA_MIBENCH_ISPELL_PLAIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct plain_counts {
  int64_t words, right, near; /* near: wrong words that have near misses */
} plain_counts;

/* The dictionary, or null. */
void *plain_load(const char *affix_path, const char *word_path);
void plain_free(void *loaded);

/* Checks all words of a text and tries every near miss of the wrong ones. */
plain_counts plain_check(const void *loaded, const uint8_t *text, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
