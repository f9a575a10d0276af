/* What every fuzzer has: the function that libFuzzer calls. What must hold is
 * an assert; a value that only an assert reads is marked as used here. */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

#ifdef NDEBUG
#error "a fuzzer without asserts finds only crashes"
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline struct str fuzz_input(const uint8_t *data, size_t size)
{
    return (struct str){(const char *)data, size};
}

static inline bool fuzz_is_inside(struct str part, struct str whole)
{
    return !part.len || (part.ptr >= whole.ptr &&
                         part.ptr + part.len <= whole.ptr + whole.len);
}

#endif
