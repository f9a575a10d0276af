/* The tokenizer cases of html5lib: whole token streams, character tokens
 * joined, in every initial state that a case names. Not compared: parse
 * errors, and of a DOCTYPE anything but its name (a crawler asks for no more
 * than where it ends). Lone surrogates read as U+FFFD on both sides, as they
 * do in a page.
 *
 * Included by test_html5lib_tokenizer_scalar.c, which runs the same cases
 * without the processor's vector instructions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "support/conformance.h"
#include "web/tokenizer.h"

enum { ATTRS_MAX = 64, TEXT_CAP = 1 << 20 };

/* One line for each token; the characters collect until another comes. */
struct stream {
    struct buf lines, characters;
};

static void stream_init(struct stream *stream)
{
    buf_init(&stream->lines, TEXT_CAP);
    buf_init(&stream->characters, TEXT_CAP);
}

static void stream_release(struct stream *stream)
{
    buf_release(&stream->lines);
    buf_release(&stream->characters);
}

static void put_field(struct stream *stream, struct str s)
{
    assert_true(buf_printf(&stream->lines, " [%zu:", s.len));
    assert_true(buf_put(&stream->lines, s));
    assert_true(buf_put_char(&stream->lines, ']'));
}

static void flush_characters(struct stream *stream)
{
    if (stream->characters.len == 0)
        return;
    buf_put(&stream->lines, STR("Character"));
    put_field(stream, buf_str(&stream->characters));
    buf_put(&stream->lines, STR("\n"));
    buf_clear(&stream->characters);
}

static void begin_token(struct stream *stream, struct str type)
{
    flush_characters(stream);
    buf_put(&stream->lines, type);
}

static void end_token(struct stream *stream)
{
    buf_put(&stream->lines, STR("\n"));
}

struct pair {
    struct str name, value;
};

static int compare_pairs(const void *a, const void *b)
{
    struct str x = ((const struct pair *)a)->name;
    struct str y = ((const struct pair *)b)->name;
    int order = memcmp(x.ptr, y.ptr, x.len < y.len ? x.len : y.len);

    return order ? order : (x.len > y.len) - (x.len < y.len);
}

static void put_pairs(struct stream *stream, struct pair *pairs, size_t count)
{
    qsort(pairs, count, sizeof(*pairs), compare_pairs);
    for (size_t i = 0; i < count; i++) {
        put_field(stream, pairs[i].name);
        put_field(stream, pairs[i].value);
    }
}

/* ---- what the tokenizer says ------------------------------------------ */

static struct str decoded(struct arena *arena, struct str raw,
                          enum html_text kind)
{
    struct buf buf;

    buf_init(&buf, 3 * raw.len);
    assert_true(html_text_put(&buf, raw, kind));
    if (html_text_is_plain(raw, kind))
        assert_true(str_eq(raw, buf_str(&buf)));
    struct str copy = arena_copy(arena, buf_str(&buf));
    buf_release(&buf);
    return copy;
}

/* Names are lower-cased where they are compared, not by the tokenizer. */
static struct str decoded_name(struct arena *arena, struct str raw)
{
    struct str name = decoded(arena, raw, HTML_TEXT_RAW);
    char *lower = arena_new(arena, name.len + 1);

    for (size_t i = 0; i < name.len; i++)
        lower[i] = ascii_lower(name.ptr[i]);
    return (struct str){lower, name.len};
}

static struct str doctype_name(struct str doctype)
{
    struct str name = str_trim_start(doctype);
    size_t len = 0;

    while (len < name.len && !ascii_is_space(name.ptr[len]))
        len++;
    return str_first(name, len);
}

static void put_attrs(struct stream *stream, struct arena *arena,
                      const struct html_token *token)
{
    struct pair pairs[ATTRS_MAX];
    struct html_attrs attrs = html_attrs(token);
    struct html_attr attr;
    size_t count = 0;

    while (html_attrs_next(&attrs, &attr)) {
        struct str name = decoded_name(arena, attr.name);
        bool is_new = true;

        for (size_t i = 0; i < count; i++)
            is_new = is_new && !str_eq(pairs[i].name, name);
        assert_true(count < ATTRS_MAX);
        if (is_new)
            pairs[count++] = (struct pair){
                name, decoded(arena, attr.value, HTML_TEXT_VALUE)};
    }
    put_pairs(stream, pairs, count);
    if (attrs.is_self_closing)
        buf_put(&stream->lines, STR(" /"));
    assert_int_equal(attrs.is_self_closing, html_is_self_closing(token));
}

static void put_token(struct stream *stream, struct arena *arena,
                      const struct html_token *token)
{
    switch (token->type) {
    case HTML_TOKEN_START_TAG:
        begin_token(stream, STR("StartTag"));
        put_field(stream, decoded_name(arena, token->name));
        put_attrs(stream, arena, token);
        break;
    case HTML_TOKEN_END_TAG:
        begin_token(stream, STR("EndTag"));
        put_field(stream, decoded_name(arena, token->name));
        break;
    case HTML_TOKEN_COMMENT:
        begin_token(stream, STR("Comment"));
        put_field(stream, decoded(arena, token->rest, HTML_TEXT_RAW));
        break;
    case HTML_TOKEN_DOCTYPE:
        begin_token(stream, STR("DOCTYPE"));
        put_field(stream, decoded_name(arena, doctype_name(token->rest)));
        break;
    case HTML_TOKEN_NOTHING:
    case HTML_TOKEN_END:
        return;
    }
    end_token(stream);
}

static void tokenize(struct stream *stream, struct arena *arena,
                     struct str input, enum html_state state, struct str name)
{
    struct html_tokenizer tokenizer;
    struct html_token token;
    bool has_more;

    html_tokenizer_init(&tokenizer, input);
    html_tokenizer_enter(&tokenizer, state, name);
    do {
        has_more = html_next(&tokenizer, &token);
        assert_int_equal(has_more, token.type != HTML_TOKEN_END);
        buf_put(&stream->characters,
                decoded(arena, token.text, token.text_kind));
        put_token(stream, arena, &token);
    } while (has_more);
    flush_characters(stream);
}

/* ---- what the suite says ---------------------------------------------- */

static size_t put_utf8(char *out, unsigned c)
{
    if (c >= 0xd800 && c <= 0xdfff)
        c = 0xfffd;
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xc0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3f));
        return 2;
    }
    out[0] = (char)(0xe0 | c >> 12);
    out[1] = (char)(0x80 | (c >> 6 & 0x3f));
    out[2] = (char)(0x80 | (c & 0x3f));
    return 3;
}

/* "\uHHHH" in the text itself, for the cases marked doubleEscaped. */
static struct str unescaped(struct arena *arena, struct str s, bool is_escaped)
{
    if (!is_escaped)
        return s;

    char *out = arena_reserve(arena, s.len);
    size_t len = 0;

    for (size_t i = 0; i < s.len; i++) {
        unsigned c;
        char digits[5] = {0};

        if (s.ptr[i] != '\\' || s.len - i < 6 || s.ptr[i + 1] != 'u') {
            out[len++] = s.ptr[i];
            continue;
        }
        memcpy(digits, s.ptr + i + 2, 4);
        assert_int_equal(sscanf(digits, "%4x", &c), 1);
        len += put_utf8(out + len, c);
        i += 5;
    }
    arena_commit(arena, len);
    return (struct str){out, len};
}

static void expect_tag(struct stream *stream, struct arena *arena,
                       const struct json *token, bool is_escaped)
{
    struct pair pairs[ATTRS_MAX];
    const struct json *attrs = json_at(token, 2);
    size_t count = json_count(attrs);

    assert_true(count <= ATTRS_MAX);
    for (size_t i = 0; i < count; i++) {
        const struct json *attr = json_at(attrs, i);
        pairs[i] = (struct pair){unescaped(arena, attr->name, is_escaped),
                                 unescaped(arena, attr->string, is_escaped)};
    }
    put_pairs(stream, pairs, count);
    if (json_bool(json_at(token, 3)))
        buf_put(&stream->lines, STR(" /"));
}

static void expect(struct stream *stream, struct arena *arena,
                   const struct json *tokens, bool is_escaped)
{
    for (size_t i = 0; i < json_count(tokens); i++) {
        const struct json *token = json_at(tokens, i);
        struct str type = json_str(json_at(token, 0));
        struct str value =
            unescaped(arena, json_str(json_at(token, 1)), is_escaped);

        if (str_eq(type, STR("Character"))) {
            buf_put(&stream->characters, value);
            continue;
        }
        begin_token(stream, type);
        put_field(stream, value);
        if (str_eq(type, STR("StartTag")))
            expect_tag(stream, arena, token, is_escaped);
        end_token(stream);
    }
    flush_characters(stream);
}

/* ---- the cases -------------------------------------------------------- */

static enum html_state state_of(struct str name)
{
    static const struct {
        struct str name;
        enum html_state state;
    } states[] = {
        {STR_INIT("Data state"), HTML_DATA},
        {STR_INIT("RCDATA state"), HTML_RCDATA},
        {STR_INIT("RAWTEXT state"), HTML_RAWTEXT},
        {STR_INIT("Script data state"), HTML_SCRIPT},
        {STR_INIT("PLAINTEXT state"), HTML_PLAINTEXT},
        {STR_INIT("CDATA section state"), HTML_CDATA},
    };

    for (size_t i = 0; i < ARRAY_LEN(states); i++)
        if (str_eq(states[i].name, name))
            return states[i].state;
    fail_msg("no such state: %.*s", (int)name.len, name.ptr);
    return HTML_DATA;
}

static void print_bytes(const char *label, struct str s)
{
    printf("  %s:", label);
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        if (c == '\n')
            printf("\n    ");
        else if (c < 0x20 || c == 0x7f)
            printf("\\x%02x", c);
        else
            putchar(c);
    }
    putchar('\n');
}

/* A filter may leave out tags, but no start tag that it has, and no other
 * markup: what remains is the same with it and without. */
static void put_filtered(struct buf *out, struct str input, bool has_filter)
{
    struct html_filter filter = {
        .has = {['a' & 31] = {['b' & 31] = true},
                ['h' & 31] = {[' ' & 31] = true, ['>' & 31] = true}}};
    struct html_tokenizer tokenizer;
    struct html_token token;

    html_tokenizer_init(&tokenizer, input);
    tokenizer.only = has_filter ? &filter : NULL;
    while (html_next(&tokenizer, &token)) {
        if (token.type == HTML_TOKEN_END_TAG)
            continue;
        if (token.type == HTML_TOKEN_START_TAG &&
            !filter.has[token.name.ptr[0] & 31][token.name.ptr[1] & 31])
            continue;
        buf_printf(out, "%d at %td\n", token.type, tokenizer.at - input.ptr);
    }
}

static bool run_filter(struct str input)
{
    struct buf with, without;

    buf_init(&with, TEXT_CAP);
    buf_init(&without, TEXT_CAP);
    put_filtered(&with, input, true);
    put_filtered(&without, input, false);
    bool is_same = str_eq(buf_str(&with), buf_str(&without));
    if (!is_same) {
        print_bytes("input", input);
        print_bytes("without filter", buf_str(&without));
        print_bytes("with filter", buf_str(&with));
    }
    buf_release(&with);
    buf_release(&without);
    return is_same;
}

static bool run_case(const struct json *row, struct str state)
{
    struct arena arena;
    struct stream expected, got;
    bool is_escaped = json_bool(json_get(row, "doubleEscaped"));

    arena_init(&arena);
    stream_init(&expected);
    stream_init(&got);

    struct str input =
        unescaped(&arena, json_str(json_get(row, "input")), is_escaped);
    expect(&expected, &arena, json_get(row, "output"), is_escaped);
    tokenize(&got, &arena, input, state_of(state),
             json_str(json_get(row, "lastStartTag")));

    bool is_same = str_eq(buf_str(&expected.lines), buf_str(&got.lines));
    if (!is_same) {
        print_bytes("case", json_str(json_get(row, "description")));
        print_bytes("state", state);
        print_bytes("input", input);
        print_bytes("expected", buf_str(&expected.lines));
        print_bytes("got", buf_str(&got.lines));
    }
    is_same = run_filter(input) && is_same;
    stream_release(&expected);
    stream_release(&got);
    arena_release(&arena);
    return is_same;
}

static void run_file(void **state)
{
    struct arena arena;
    char path[128];
    unsigned runs = 0, failures = 0;

    arena_init(&arena);
    snprintf(path, sizeof(path), "html5lib/tokenizer/%s", (char *)*state);
    const struct json *file = conformance_json(path, &arena);
    if (!file)
        skip();

    const struct json *rows = json_get(file, "tests");
    assert_true(json_count(rows) > 0);
    for (size_t i = 0; i < json_count(rows); i++) {
        const struct json *row = json_at(rows, i);
        const struct json *states = json_get(row, "initialStates");

        if (!states) {
            failures += !run_case(row, STR("Data state"));
            runs++;
        }
        for (size_t j = 0; j < json_count(states); j++, runs++)
            failures += !run_case(row, json_str(json_at(states, j)));
    }
    printf("%s: %zu cases, %u runs, %u failed\n", (char *)*state,
           json_count(rows), runs, failures);
    arena_release(&arena);
    assert_int_equal(failures, 0);
}

/* xmlViolation.test is left out: it is about a tree turned into XML. */
#define SUITE_FILE(name)                                                       \
    {                                                                          \
        name, run_file, NULL, NULL, name                                       \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        SUITE_FILE("contentModelFlags.test"),
        SUITE_FILE("domjs.test"),
        SUITE_FILE("entities.test"),
        SUITE_FILE("escapeFlag.test"),
        SUITE_FILE("namedEntities.test"),
        SUITE_FILE("numericEntities.test"),
        SUITE_FILE("pendingSpecChanges.test"),
        SUITE_FILE("test1.test"),
        SUITE_FILE("test2.test"),
        SUITE_FILE("test3.test"),
        SUITE_FILE("test4.test"),
        SUITE_FILE("unicodeChars.test"),
        SUITE_FILE("unicodeCharsProblematic.test"),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
