/* The command line. The input is words, each ended by a NUL; the first byte
 * chooses the command. */
#include "fuzz.h"

#include "cli/options.h"

enum { WORDS_MAX = 64 };

static void check_list(const struct list *list)
{
    assert(list->item && !list->item[list->count]);
    for (size_t i = 0; i < list->count; i++)
        assert(list->item[i]);
}

/* Within the bounds that the help tells. */
static void check_good(const struct options *options, size_t words)
{
    check_list(&options->internal);
    check_list(&options->headers);
    check_list(&options->connect_to);
    check_list(&options->sitemap);
    assert(options->argument_count <= words);
    assert(!options->argument[options->argument_count]);
    assert(options->workers >= 1 && options->per_host >= 1);
    assert(options->max_size >= 1 && options->max_size <= (uint64_t)1 << 31);
    assert(options->timeout_ms >= 1);
}

static void check_error(const struct buf *error)
{
    assert(error->len && str_find(buf_str(error), '\n') == error->len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct options options;
    struct arena arena;
    struct buf error;
    char *words[WORDS_MAX];
    int count = 0;

    if (!size)
        return 0;
    enum command command = (enum command)(1 << (data[0] & 3));
    struct str rest = fuzz_input(data + 1, size - 1);
    arena_init(&arena);
    while (rest.len && count < WORDS_MAX) {
        struct str_pair cut = str_cut(rest, '\0');
        words[count++] = (char *)(uintptr_t)arena_copy(&arena, cut.head).ptr;
        rest = cut.tail;
    }
    buf_init(&error, 4096);
    if (options_parse(&options, command, count, words, &error))
        check_good(&options, (size_t)count);
    else if (str_find(fuzz_input(data, size), '\n') == size)
        check_error(&error);
    options_release(&options);
    buf_release(&error);
    arena_release(&arena);
    return 0;
}
