/* Globs, against a matcher that is written to be obvious.
 *
 * The bytes of the input become letters of an alphabet in which all that
 * matters is: slashes, stars, question marks, escapes. The first line is the
 * pattern, the rest is the text. */
#include "fuzz.h"

#include "base/buf.h"
#include "support/naive_glob.h"
#include "web/filter.h"

/* The naive matcher takes time that grows with every star. */
enum { PATTERN_MAX = 14, TEXT_MAX = 24, RAW_MAX = 3000 };

static void put_letters(struct str raw, size_t max, const char *alphabet,
                        struct buf *out)
{
    for (size_t i = 0; i < raw.len && i < max; i++)
        buf_put_char(out,
                     alphabet[(unsigned char)raw.ptr[i] % strlen(alphabet)]);
}

/* As it came: only that nothing is read outside and that it ends. */
static void match_raw(struct str pattern, struct str text)
{
    size_t at;

    if (glob_fault(pattern, &at))
        assert(at <= pattern.len);
    else if (glob_matches(pattern, text))
        assert(glob_may_begin(pattern, str_first(text, text.len / 2)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf pattern, text;
    size_t at;

    if (size > RAW_MAX)
        return 0;
    struct str_pair input = str_cut(fuzz_input(data, size), '\n');
    match_raw(input.head, input.tail);
    buf_init(&pattern, PATTERN_MAX);
    buf_init(&text, TEXT_MAX);
    put_letters(input.head, PATTERN_MAX, "/ab*?\\*", &pattern);
    put_letters(input.tail, TEXT_MAX, "/ab*?\\", &text);
    if (!glob_fault(buf_str(&pattern), &at))
        assert(glob_matches(buf_str(&pattern), buf_str(&text)) ==
               naive_glob(buf_str(&pattern), buf_str(&text)));
    buf_release(&pattern);
    buf_release(&text);
    return 0;
}
