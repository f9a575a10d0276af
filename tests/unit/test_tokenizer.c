/* The tokenizer on input that nobody writes by hand; what is in the standard
 * is tested by conformance/test_html5lib_tokenizer.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "support/random.h"
#include "web/tokenizer.h"

enum { MILLION = 1000000, LISTING_CAP = 1 << 20 };

/* ---- against a machine that takes one byte at a time ------------------- */

/* The states of tags and attributes, as the standard has them. */
enum state {
    DATA,
    TAG_OPEN,
    END_TAG_OPEN,
    TAG_NAME,
    BEFORE_NAME,
    NAME,
    AFTER_NAME,
    BEFORE_VALUE,
    DOUBLE_QUOTED,
    SINGLE_QUOTED,
    UNQUOTED,
    AFTER_VALUE,
    SELF_CLOSING,
    BOGUS_COMMENT,
};

struct machine {
    enum state state;
    bool is_end, has_value, is_self_closing;
    struct buf text, tag, all;
};

static void flush_text(struct machine *machine)
{
    if (machine->text.len) {
        buf_put(&machine->all, STR("text "));
        buf_put(&machine->all, buf_str(&machine->text));
        buf_put(&machine->all, STR("\n"));
    }
    buf_clear(&machine->text);
}

static void emit_tag(struct machine *machine)
{
    flush_text(machine);
    buf_put(&machine->all, machine->is_end ? STR("end ") : STR("start "));
    buf_put(&machine->all, buf_str(&machine->tag));
    buf_put(&machine->all, machine->is_self_closing ? STR("]/\n") : STR("]\n"));
    buf_clear(&machine->tag);
    machine->state = DATA;
}

static void begin_tag(struct machine *machine, bool is_end)
{
    machine->is_end = is_end;
    machine->is_self_closing = false;
    machine->state = TAG_NAME;
    buf_clear(&machine->tag);
}

/* One step; false to take the same byte again in the new state. */
static bool in_text(struct machine *machine, char c)
{
    switch (machine->state) {
    case DATA:
        if (c == '<')
            machine->state = TAG_OPEN;
        else
            buf_put_char(&machine->text, c);
        return true;
    case TAG_OPEN:
        if (c == '/') {
            machine->state = END_TAG_OPEN;
            return true;
        }
        if (ascii_is_alpha(c)) {
            begin_tag(machine, false);
            return false;
        }
        buf_put_char(&machine->text, '<');
        machine->state = DATA;
        return false;
    case END_TAG_OPEN:
        if (ascii_is_alpha(c)) {
            begin_tag(machine, true);
            return false;
        }
        machine->state = c == '>' ? DATA : BOGUS_COMMENT;
        return true;
    default: /* BOGUS_COMMENT */
        if (c == '>') {
            flush_text(machine);
            buf_put(&machine->all, STR("comment\n"));
            machine->state = DATA;
        }
        return true;
    }
}

static bool in_value(struct machine *machine, char c)
{
    char quote = machine->state == DOUBLE_QUOTED ? '"' : '\'';

    switch (machine->state) {
    case BEFORE_VALUE:
        if (ascii_is_space(c))
            return true;
        if (c == '"' || c == '\'') {
            machine->state = c == '"' ? DOUBLE_QUOTED : SINGLE_QUOTED;
            return true;
        }
        machine->state = UNQUOTED;
        return false;
    case UNQUOTED:
        if (c == '>')
            emit_tag(machine);
        else if (ascii_is_space(c))
            machine->state = BEFORE_NAME;
        else
            buf_put_char(&machine->tag, c);
        return true;
    default: /* quoted */
        if (c == quote)
            machine->state = AFTER_VALUE;
        else
            buf_put_char(&machine->tag, c);
        return true;
    }
}

static bool in_tag(struct machine *machine, char c)
{
    if (c == '>') {
        machine->is_self_closing = machine->state == SELF_CLOSING;
        emit_tag(machine);
        return true;
    }
    if (c == '/') {
        machine->state = SELF_CLOSING;
        return true;
    }
    switch (machine->state) {
    case TAG_NAME:
        if (ascii_is_space(c))
            machine->state = BEFORE_NAME;
        else
            buf_put_char(&machine->tag, c);
        return true;
    case AFTER_NAME:
        if (ascii_is_space(c))
            return true;
        if (c == '=') {
            buf_put_char(&machine->tag, '=');
            machine->state = BEFORE_VALUE;
            return true;
        }
        break;
    case NAME:
        if (ascii_is_space(c) || c == '=') {
            machine->state = AFTER_NAME;
            return false;
        }
        buf_put_char(&machine->tag, c);
        return true;
    default: /* BEFORE_NAME, AFTER_VALUE, SELF_CLOSING */
        if (ascii_is_space(c)) {
            machine->state = BEFORE_NAME;
            return true;
        }
        break;
    }
    buf_put_char(&machine->tag, '|');
    buf_put_char(&machine->tag, c);
    machine->state = NAME;
    return true;
}

static bool step(struct machine *machine, char c)
{
    switch (machine->state) {
    case DATA:
    case TAG_OPEN:
    case END_TAG_OPEN:
    case BOGUS_COMMENT:
        return in_text(machine, c);
    case BEFORE_VALUE:
    case DOUBLE_QUOTED:
    case SINGLE_QUOTED:
    case UNQUOTED:
        return in_value(machine, c);
    default:
        return in_tag(machine, c);
    }
}

static void run_machine(struct buf *out, struct str page)
{
    struct machine machine = {.state = DATA};

    buf_init(&machine.text, page.len + 2);
    buf_init(&machine.tag, 2 * page.len);
    buf_init(&machine.all, LISTING_CAP);
    for (size_t i = 0; i < page.len; i++)
        while (!step(&machine, page.ptr[i]))
            ;
    if (machine.state == TAG_OPEN || machine.state == END_TAG_OPEN)
        buf_put_char(&machine.text, '<');
    if (machine.state == END_TAG_OPEN)
        buf_put_char(&machine.text, '/');
    flush_text(&machine);
    if (machine.state == BOGUS_COMMENT)
        buf_put(&machine.all, STR("comment\n"));

    buf_put(out, buf_str(&machine.all));
    buf_release(&machine.text);
    buf_release(&machine.tag);
    buf_release(&machine.all);
}

/* ---- the same from the tokenizer --------------------------------------- */

static void put_tag(struct buf *out, const struct html_token *token)
{
    struct html_attrs attrs = html_attrs(token);
    struct html_attr attr;

    buf_put(out,
            token->type == HTML_TOKEN_END_TAG ? STR("end ") : STR("start "));
    buf_put(out, token->name);
    while (html_attrs_next(&attrs, &attr)) {
        const char *after = attr.name.ptr + attr.name.len;
        bool has_value = attr.value.ptr > after;

        /* "a=" has a value, which is empty, and "a" has none. */
        while (!has_value && after < attrs.at && ascii_is_space(*after))
            after++;
        has_value = has_value || (after < attrs.at && *after == '=');
        buf_put_char(out, '|');
        buf_put(out, attr.name);
        if (has_value)
            buf_put_char(out, '=');
        buf_put(out, attr.value);
    }
    buf_put(out, attrs.is_self_closing ? STR("]/\n") : STR("]\n"));
}

static void run_tokenizer(struct buf *out, struct str page)
{
    struct html_tokenizer tokenizer;
    struct html_token token;
    struct buf text;
    bool has_more;

    buf_init(&text, page.len);
    html_tokenizer_init(&tokenizer, page);
    do {
        has_more = html_next(&tokenizer, &token);
        buf_put(&text, token.text);
        if (token.type == HTML_TOKEN_NOTHING)
            continue;
        if (text.len) {
            buf_put(out, STR("text "));
            buf_put(out, buf_str(&text));
            buf_put(out, STR("\n"));
        }
        buf_clear(&text);
        if (token.type == HTML_TOKEN_COMMENT)
            buf_put(out, STR("comment\n"));
        else if (has_more)
            put_tag(out, &token);
    } while (has_more);
    buf_release(&text);
}

/* Only the start tags of a filter, found with its help or without. */
static void run_filter(struct buf *out, struct str page, bool has_filter)
{
    static const struct html_filter filter = {
        .has = {['d' & 31] = {['i' & 31] = true},
                ['b' & 31] = {['>' & 31] = true, [' ' & 31] = true}},
    };
    struct html_tokenizer tokenizer;
    struct html_token token;

    html_tokenizer_init(&tokenizer, page);
    tokenizer.only = has_filter ? &filter : NULL;
    while (html_next(&tokenizer, &token))
        if (token.type == HTML_TOKEN_START_TAG &&
            filter.has[token.name.ptr[0] & 31][token.name.ptr[1] & 31])
            put_tag(out, &token);
}

/* Much markup, some words, and everything in the places where it matters. */
static struct str random_page(struct random *random, char *page, size_t max)
{
    static const char *const parts[] = {
        "<",   ">",    "/",  "=",     "\"",    "'",      " ",    "\n",
        "a",   "b",    "<a", "</a",   "<div ", " href=", "=\"",  "='",
        "\">", "\" x", "'>", " c=\"", "\t",    "<b>",    "</>",  "a=b",
        " = ", "\x01", "<p", "x y z", "\f",    "\r\n",   "\"\"", "\xc3\xa9",
    };
    size_t len = 0, want = random_below(random, (uint32_t)max - 16);

    /* Sometimes across the border of a chunk of delimiters. */
    if (random_below(random, 4) == 0)
        for (; len < DELIMITERS_CHUNK - 100; len++)
            page[len] = 'x';
    want += len;
    while (len < want) {
        const char *part = parts[random_below(random, ARRAY_LEN(parts))];
        size_t part_len = strlen(part);
        memcpy(page + len, part, part_len);
        len += part_len;
    }
    return (struct str){page, len};
}

static void agrees_with_the_machine(void **state)
{
    struct random random = {20240229};
    struct buf expected, got;

    (void)state;
    buf_init(&expected, LISTING_CAP);
    buf_init(&got, LISTING_CAP);
    for (int i = 0; i < 30000; i++) {
        /* Allocated to size, so that reading beyond is noticed. */
        char scratch[DELIMITERS_CHUNK + 512];
        struct str made = random_page(&random, scratch, 300);
        char *copy = mem_new(made.len + 1);
        memcpy(copy, made.ptr, made.len);
        copy = mem_resize(copy, made.len ? made.len : 1);
        struct str page = {copy, made.len};

        buf_clear(&expected);
        buf_clear(&got);
        run_machine(&expected, page);
        run_tokenizer(&got, page);
        if (!str_eq(buf_str(&expected), buf_str(&got)))
            fail_msg("input:\n%.*s\nexpected:\n%.*s\ngot:\n%.*s", (int)page.len,
                     page.ptr, (int)expected.len, expected.ptr, (int)got.len,
                     got.ptr);

        buf_clear(&expected);
        buf_clear(&got);
        run_filter(&expected, page, false);
        run_filter(&got, page, true);
        if (!str_eq(buf_str(&expected), buf_str(&got)))
            fail_msg("input:\n%.*s\nwithout filter:\n%.*s\nwith:\n%.*s",
                     (int)page.len, page.ptr, (int)expected.len, expected.ptr,
                     (int)got.len, got.ptr);
        free(copy);
    }
    buf_release(&expected);
    buf_release(&got);
}

/* ---- too much of everything -------------------------------------------- */

struct flood {
    const char *name;
    const char *before, *part, *after;
    size_t tokens; /* the last one included */
};

/* A part a million times over. */
static const struct flood floods[] = {
    {"<", "", "<", "", 1},
    {"<<a", "", "<", "a>", 2},
    {"<a", "", "<a", "", 1},
    {"<a>", "", "<a>", "", MILLION + 1},
    {"</a>", "", "</a>", "", MILLION + 1},
    {"</>", "", "</>", "", MILLION + 1},
    {"attributes", "<a", " b=\"c\"", ">", 2},
    {"attributes, odd", "<a", " b = c", ">", 2},
    {"attributes, unclosed", "<a", " b='c'", "", 1},
    {"quotes in a tag", "<a ", "\"", ">", 2},
    {"equals signs", "<a ", "=", ">", 2},
    {"slashes", "<a", "/", ">", 2},
    {"blanks", "<a", " ", ">", 2},
    {"a name", "<a", "b", ">", 2},
    {"a name, unclosed", "<a", "b", "", 1},
    {"an open quote", "<a b=\"", "x>", "", 1},
    {"quotes in text", "", "\"'>", "<a>", 2},
    {"comments", "", "<!-->", "", MILLION + 1},
    {"an open comment", "<!--", "-", "", 2},
    {"nearly closed", "<!--", "--!", "", 2},
    {"comment starts", "", "<!--", "", 2},
    {"bogus comments", "", "<?>", "", MILLION + 1},
    {"an open bogus comment", "", "<!", "", 2},
    {"a DOCTYPE", "<!DOCTYPE", " html", ">", 2},
    {"references", "", "&amp", "", 1},
    {"tags with odd quotes", "", "<a \">", "", MILLION + 1},
};

static struct str flood_page(const struct flood *flood)
{
    size_t before = strlen(flood->before), part = strlen(flood->part);
    size_t after = strlen(flood->after);
    size_t len = before + MILLION * part + after;
    char *page = mem_new(len);

    memcpy(page, flood->before, before);
    for (size_t i = 0; i < MILLION; i++)
        memcpy(page + before + i * part, flood->part, part);
    memcpy(page + before + MILLION * part, flood->after, after);
    return (struct str){page, len};
}

static double seconds_of(const struct flood *flood)
{
    struct html_tokenizer tokenizer;
    struct html_token token;
    struct str page = flood_page(flood);
    size_t tokens = 1, attrs_count = 0;
    clock_t start = clock();

    html_tokenizer_init(&tokenizer, page);
    for (; html_next(&tokenizer, &token); tokens++) {
        struct html_attrs attrs;
        struct html_attr attr;

        if (token.type != HTML_TOKEN_START_TAG)
            continue;
        for (attrs = html_attrs(&token); html_attrs_next(&attrs, &attr);)
            attrs_count++;
    }
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    if (tokens != flood->tokens)
        fail_msg("%s: expected %zu tokens, got %zu", flood->name, flood->tokens,
                 tokens);
    assert_true(attrs_count <= MILLION);
    free((char *)page.ptr);
    return seconds;
}

/* A second is a hundred times what a million of anything takes, and far less
 * than anything quadratic. */
static void takes_time_in_proportion(void **state)
{
    const char *valgrind = getenv("VALGRIND");
    double most = valgrind && valgrind[0] ? 250 : 5;

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(floods); i++) {
        double seconds = seconds_of(&floods[i]);
        if (seconds > most)
            fail_msg("%s: %f seconds", floods[i].name, seconds);
    }
}

static const struct {
    enum html_state state;
    const char *name, *part;
} raw_floods[] = {
    {HTML_RCDATA, "title", "</titl"},
    {HTML_RCDATA, "title", "</title"},
    {HTML_RAWTEXT, "style", "<"},
    {HTML_SCRIPT, "script", "<!--"},
    {HTML_SCRIPT, "script", "<!--<script>"},
    {HTML_SCRIPT, "script", "<!---->"},
    {HTML_SCRIPT, "script", "-"},
    {HTML_SCRIPT, "script", "</scrip"},
    {HTML_PLAINTEXT, "plaintext", "</plaintext>"},
    {HTML_CDATA, "", "]]"},
};

static void raw_text_may_never_end(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(raw_floods); i++) {
        struct flood flood = {"", "", raw_floods[i].part, "", 0};
        struct str page = flood_page(&flood);
        struct html_tokenizer tokenizer;
        struct html_token token;

        html_tokenizer_init(&tokenizer, page);
        html_tokenizer_enter(&tokenizer, raw_floods[i].state,
                             str_of(raw_floods[i].name));
        assert_false(html_next(&tokenizer, &token));
        if (!str_eq(token.text, page))
            fail_msg("%s in %s: %zu bytes of text, expected %zu",
                     raw_floods[i].part, raw_floods[i].name, token.text.len,
                     page.len);
        free((char *)page.ptr);
    }
}

static void an_empty_page_has_an_end(void **state)
{
    static const struct str pages[] = {{NULL, 0}, {"", 0}};

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(pages); i++) {
        struct html_tokenizer tokenizer;
        struct html_token token;

        html_tokenizer_init(&tokenizer, pages[i]);
        for (int again = 0; again < 3; again++) {
            assert_false(html_next(&tokenizer, &token));
            assert_int_equal(token.type, HTML_TOKEN_END);
            assert_int_equal(token.text.len, 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_machine),
        cmocka_unit_test(takes_time_in_proportion),
        cmocka_unit_test(raw_text_may_never_end),
        cmocka_unit_test(an_empty_page_has_an_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
