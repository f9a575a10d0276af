#include "web/filter.h"

#include <stdlib.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/mem.h"

/* ---- globs -------------------------------------------------------------- */

/* A text is read once. At each character it is known which places of the
 * pattern can be reached, as a set of bits; so nothing is ever tried again. */

enum { WORD_BITS = 64, WORDS = GLOB_LEN_MAX / WORD_BITS + 1 };

struct places {
    uint64_t word[WORDS];
};

const char *glob_fault(struct str pattern, size_t *at)
{
    *at = 0;
    if (!pattern.len)
        return "it is empty";
    if (pattern.len > GLOB_LEN_MAX) {
        *at = GLOB_LEN_MAX;
        return "it is longer than 2000 characters";
    }
    for (size_t i = 0; i < pattern.len; i++) {
        if (pattern.ptr[i] != '\\')
            continue;
        *at = i++;
        if (i == pattern.len)
            return "nothing follows the \\";
    }
    *at = 0;
    return NULL;
}

static bool has(const struct places *places, size_t place)
{
    return places->word[place / WORD_BITS] >> (place % WORD_BITS) & 1;
}

static bool is_star(struct str pattern, size_t place)
{
    return place < pattern.len && pattern.ptr[place] == '*';
}

static bool is_double_star(struct str pattern, size_t place)
{
    return is_star(pattern, place) && is_star(pattern, place + 1);
}

/* The place is reached, and with it those behind stars, which may stand for
 * nothing. */
static void reach(struct places *places, struct str pattern, size_t place)
{
    for (;;) {
        if (has(places, place))
            return;
        places->word[place / WORD_BITS] |= (uint64_t)1 << (place % WORD_BITS);
        if (!is_star(pattern, place))
            return;
        place += is_double_star(pattern, place) ? 2 : 1;
    }
}

/* Read the character `c` at a place. */
static void step(struct places *next, struct str pattern, size_t place, char c)
{
    if (place == pattern.len)
        return;
    char want = pattern.ptr[place];
    size_t after = place + 1;

    if (want == '*') {
        if (c != '/' || is_double_star(pattern, place))
            reach(next, pattern, place);
        return;
    }
    if (want == '\\')
        want = pattern.ptr[after++];
    else if (want == '?')
        want = c == '/' ? '?' : c;
    if (want != c)
        return;
    reach(next, pattern, after);
    /* "/ ** /" as a single '/'. A place behind one that was reached so, or by
     * its own '/', is reached with it. */
    while (pattern.ptr[place] == '/' && is_double_star(pattern, after) &&
           after + 2 < pattern.len && pattern.ptr[after + 2] == '/' &&
           !has(next, after + 3)) {
        after += 3;
        reach(next, pattern, after);
    }
}

/* The places that can be reached with all of the text read. False: none. */
static bool read_text(struct places *now, struct str pattern, struct str text)
{
    size_t words = pattern.len / WORD_BITS + 1;
    uint64_t any = 1;

    *now = (struct places){0};
    reach(now, pattern, 0);
    for (size_t i = 0; i < text.len && any; i++) {
        struct places next;

        memset(&next, 0, words * sizeof(next.word[0]));
        any = 0;
        for (size_t w = 0; w < words; w++)
            for (uint64_t left = now->word[w]; left; left &= left - 1)
                step(&next, pattern,
                     w * WORD_BITS + (size_t)__builtin_ctzll(left),
                     text.ptr[i]);
        for (size_t w = 0; w < words; w++)
            any |= now->word[w] = next.word[w];
    }
    return any;
}

bool glob_matches(struct str pattern, struct str text)
{
    struct places now;

    return read_text(&now, pattern, text) && has(&now, pattern.len);
}

bool glob_may_begin(struct str pattern, struct str head)
{
    struct places now;

    return read_text(&now, pattern, head);
}

/* ---- rules -------------------------------------------------------------- */

/* Enough for any honest pattern on a URL of 8192 bytes; a search that reaches
 * the first of them has taken about a millisecond. */
enum {
    MATCH_LIMIT = 100000,
    DEPTH_LIMIT = 10000,
    HEAP_LIMIT_KIB = 1024,
    STACK_BYTES = 32 << 10,
    STACK_BYTES_MAX = 256 << 10,
    NESTING_MAX = 100,
    REGEX_LEN_MAX = 2000,
};

struct rule {
    enum filter_rule_kind kind;
    struct str pattern; /* as given */
    pcre2_code *regex;  /* NULL: it is a glob */
};

struct filter {
    struct arena patterns;
    struct rule *rules;
    size_t count, room;
    /* For regular expressions; made with the first. */
    pcre2_match_context *limits;
    pcre2_jit_stack *stack;
    pcre2_match_data *match;
};

const char *filter_option(enum filter_rule_kind kind)
{
    return kind == RULE_INCLUDE ? "--include" : "--exclude";
}

struct filter *filter_new(void)
{
    struct filter *filter = NEW(struct filter);

    arena_init(&filter->patterns);
    return filter;
}

void filter_free(struct filter *filter)
{
    if (!filter)
        return;
    for (size_t i = 0; i < filter->count; i++)
        pcre2_code_free(filter->rules[i].regex);
    free(filter->rules);
    pcre2_match_data_free(filter->match);
    pcre2_jit_stack_free(filter->stack);
    pcre2_match_context_free(filter->limits);
    arena_release(&filter->patterns);
    free(filter);
}

/* ---- adding ------------------------------------------------------------- */

static void prepare_searches(struct filter *filter)
{
    if (filter->match)
        return;
    filter->limits = mem_checked(pcre2_match_context_create(NULL));
    filter->match = mem_checked(pcre2_match_data_create(1, NULL));
    pcre2_set_match_limit(filter->limits, MATCH_LIMIT);
    pcre2_set_depth_limit(filter->limits, DEPTH_LIMIT);
    pcre2_set_heap_limit(filter->limits, HEAP_LIMIT_KIB);
    /* NULL where there is no JIT. */
    filter->stack = pcre2_jit_stack_create(STACK_BYTES, STACK_BYTES_MAX, NULL);
    if (filter->stack)
        pcre2_jit_stack_assign(filter->limits, NULL, filter->stack);
}

static void put_fault(struct buf *fault, const char *text, size_t at)
{
    buf_printf(fault, "%s (at character %zu)", text, at + 1);
}

/* `text` is the pattern without "re:". URLs are ASCII, so bytes are characters.
 */
static pcre2_code *compile(struct str text, struct buf *fault)
{
    pcre2_compile_context *context =
        mem_checked(pcre2_compile_context_create(NULL));
    PCRE2_UCHAR message[256];
    PCRE2_SIZE at = 0;
    int error = 0;

    pcre2_set_max_pattern_length(context, REGEX_LEN_MAX);
    pcre2_set_parens_nest_limit(context, NESTING_MAX);
    pcre2_code *regex = pcre2_compile((PCRE2_SPTR)text.ptr, text.len,
                                      PCRE2_NEVER_UTF | PCRE2_NEVER_UCP |
                                          PCRE2_NEVER_BACKSLASH_C,
                                      &error, &at, context);
    pcre2_compile_context_free(context);
    if (regex) {
        pcre2_jit_compile(regex, PCRE2_JIT_COMPLETE); /* or it is interpreted */
        return regex;
    }
    pcre2_get_error_message(error, message, sizeof(message));
    put_fault(fault, (const char *)message, (at < text.len ? at : text.len));
    return NULL;
}

const char *filter_glob_fault(struct str pattern, size_t *at)
{
    const char *text = glob_fault(pattern, at);

    /* The rule would never match: its author thought of a path or a host, or
     * that * is any text. */
    if (!text && !glob_may_begin(pattern, STR("http://")) &&
        !glob_may_begin(pattern, STR("https://")))
        text = "no URL begins so; begin with http://, https:// or **";
    return text;
}

bool filter_add(struct filter *filter, enum filter_rule_kind kind,
                struct str pattern, struct buf *fault)
{
    struct rule rule = {.kind = kind};

    if (str_starts(pattern, STR("re:"))) {
        rule.regex = compile(str_skip(pattern, 3), fault);
        if (!rule.regex)
            return false;
        prepare_searches(filter);
    } else {
        size_t at;
        const char *text = filter_glob_fault(pattern, &at);
        if (text) {
            put_fault(fault, text, at);
            return false;
        }
    }
    rule.pattern = arena_copy(&filter->patterns, pattern);
    filter->rules = mem_grow(filter->rules, filter->count, &filter->room,
                             sizeof(*filter->rules));
    filter->rules[filter->count++] = rule;
    return true;
}

/* ---- asking ------------------------------------------------------------- */

enum match { MATCHES, DIFFERS, NOT_KNOWN };

static enum match matches(struct filter *filter, const struct rule *rule,
                          struct str url)
{
    if (!rule->regex)
        return glob_matches(rule->pattern, url) ? MATCHES : DIFFERS;
    int found = pcre2_match(rule->regex, (PCRE2_SPTR)url.ptr, url.len, 0, 0,
                            filter->match, filter->limits);
    if (found == PCRE2_ERROR_NOMATCH)
        return DIFFERS;
    return found < 0 ? NOT_KNOWN : MATCHES;
}

struct filter_answer filter_judge(struct filter *filter, struct str url)
{
    for (size_t i = filter->count; i-- > 0;) {
        const struct rule *rule = &filter->rules[i];
        enum match match = matches(filter, rule, url);

        if (match == DIFFERS)
            continue;
        return (struct filter_answer){
            .verdict = match == NOT_KNOWN           ? FILTER_UNDECIDED
                       : rule->kind == RULE_EXCLUDE ? FILTER_EXCLUDED
                                                    : FILTER_INCLUDED,
            .kind = rule->kind,
            .pattern = rule->pattern,
        };
    }
    return (struct filter_answer){.verdict = FILTER_INCLUDED};
}
