#include "url/filter.h"

#include <stdlib.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/arena.h"
#include "base/mem.h"
#include "url/glob.h"

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

/* --- adding ------------------------------------------------------------- */

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

/* Else the rule would never match: its author thought of a path or a host, or
 * that * is any text. */
static bool may_match_url(struct str glob)
{
    return glob_may_begin(glob, STR("http://")) ||
           glob_may_begin(glob, STR("https://"));
}

const char *filter_glob_fault(struct str pattern, size_t *at)
{
    const char *text = glob_fault(pattern, at);

    if (!text && !may_match_url(pattern))
        text = "no URL begins so; begin with http://, https:// or **";
    return text;
}

static bool check_glob(struct str pattern, struct buf *fault)
{
    size_t at;
    const char *text = filter_glob_fault(pattern, &at);

    if (text)
        put_fault(fault, text, at);
    return !text;
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
    } else if (!check_glob(pattern, fault)) {
        return false;
    }
    rule.pattern = arena_copy(&filter->patterns, pattern);
    filter->rules = mem_grow(filter->rules, filter->count, &filter->room,
                             sizeof(*filter->rules));
    filter->rules[filter->count++] = rule;
    return true;
}

/* --- asking ------------------------------------------------------------- */

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
