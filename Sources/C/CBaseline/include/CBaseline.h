// SPDX-License-Identifier: Apache-2.0
#ifndef VIGIL_CBASELINE_H
#define VIGIL_CBASELINE_H

#include <stddef.h>
#include <stdint.h>

/// What somebody writes who has Mbed TLS and no time: HKDF, key set once, one block encrypted, looked up in a hash table, 144
/// times per key. In C, so that the comparison measures the approach and not a language. For benchmarks only.
typedef struct baseline_table baseline_table;

/// A hash table over `count` identifiers of 16 bytes, of which copies are kept; the caller frees it with baseline_table_free(). NULL
/// when there is no memory.
baseline_table *baseline_table_create(const uint8_t *identifiers, size_t count);
/// Frees a table; does nothing for NULL.
void baseline_table_free(baseline_table *table);

/// The number of identifiers of `count` keys (16 bytes each) that are in the table, those that come twice counted twice: 144 of each
/// key, from interval `starts[k]` (an ENIN) on. -1 when Mbed TLS fails.
long baseline_match(const baseline_table *table, const uint8_t *keys, const uint32_t *starts, size_t count);

/// Lets Mbed TLS use AES instructions (not 0) or not (0). Works by taking the place of the library's own question to the processor, which
/// Debian's shared libraries (2.28 and 3.6) ask through a symbol.
void baseline_allow_aes_instructions(int allowed);
/// How often the library asked since the start of the process: 0 means that the switch above does nothing with this library, or that
/// this is no x86-64.
unsigned long baseline_aes_questions(void);

/// Keeps this process on one processor, the last it may use (interrupts tend to be on the first), so that caches and clocks are
/// one processor's. If that is refused, it stays as it is. Here because Swift sees sched_setaffinity only with _GNU_SOURCE.
void baseline_pin_to_one_processor(void);

/// The number of bytes that this process has taken from the C library and not given back. Here because Swift does not see malloc.h.
size_t baseline_heap_bytes(void);

#endif
