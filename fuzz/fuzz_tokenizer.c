/* The tokenizer by itself, in each of its states. The first byte chooses the
 * state, the rest is the page. */
#include "fuzz.h"

#include "web/text.h"
#include "web/tokenizer.h"
#include "web/tree.h"

/* Three times the length is always room enough; plain text is itself. */
static void check_text(struct str raw, enum html_text kind)
{
    struct buf out;

    buf_init(&out, 3 * raw.len);
    bool fits = html_text_put(&out, raw, kind);
    assert(fits);
    assert(!html_text_is_plain(raw, kind) || str_eq(buf_str(&out), raw));
    buf_release(&out);
}

static void check_attrs(const struct html_token *token, struct str page)
{
    struct html_attrs attrs = html_attrs(token);
    const char *at = token->rest.ptr;
    struct html_attr attr;

    while (html_attrs_next(&attrs, &attr)) {
        assert(attr.name.len && fuzz_is_inside(attr.name, page));
        assert(!attr.value.len || fuzz_is_inside(attr.value, page));
        assert(attr.name.ptr >= at);
        at = attr.name.ptr + attr.name.len;
        check_text(attr.name, HTML_TEXT_RAW);
        check_text(attr.value, HTML_TEXT_VALUE);
    }
    html_is_self_closing(token);
}

static void check_token(const struct html_token *token, struct str page)
{
    assert(fuzz_is_inside(token->text, page));
    check_text(token->text, token->text_kind);
    if (token->type == HTML_TOKEN_START_TAG ||
        token->type == HTML_TOKEN_END_TAG) {
        assert(token->name.len && fuzz_is_inside(token->name, page));
        assert(fuzz_is_inside(token->rest, page));
        check_attrs(token, page);
    }
    if (token->type == HTML_TOKEN_DOCTYPE)
        assert(fuzz_is_inside(token->rest, page));
}

/* What a caller does: raw text is entered after its start tag. */
static void follow(struct html_tokenizer *tokenizer,
                   const struct html_token *token)
{
    enum html_state state = HTML_DATA;

    if (token->type == HTML_TOKEN_START_TAG)
        state = html_tree_state(html_tag_find(token->name));
    if (state != HTML_DATA)
        html_tokenizer_enter(tokenizer, state, token->name);
}

static void check_all(struct html_tokenizer tokenizer, struct str page)
{
    const char *at = page.ptr;
    struct html_token token;

    while (html_next(&tokenizer, &token)) {
        assert(tokenizer.at > at); /* so that it comes to an end */
        at = tokenizer.at;
        check_token(&token, page);
        follow(&tokenizer, &token);
    }
    check_token(&token, page);
}

static bool is_watched(const struct html_token *token)
{
    return token->type == HTML_TOKEN_START_TAG &&
           html_tags[html_tag_find(token->name)].flags & TAG_IS_WATCHED;
}

static bool next_watched(struct html_tokenizer *tokenizer,
                         struct html_token *token)
{
    while (html_next(tokenizer, token)) {
        follow(tokenizer, token);
        if (is_watched(token))
            return true;
    }
    return false;
}

/* With the filter the same watched tags come out, of the same bytes. */
static void check_filter(struct html_tokenizer all)
{
    struct html_tokenizer some = all;
    struct html_token of_all, of_some;
    bool more;

    some.only = &html_watched;
    do {
        more = next_watched(&all, &of_all);
        assert(next_watched(&some, &of_some) == more);
        if (more) {
            assert(of_all.name.ptr == of_some.name.ptr);
            assert(of_all.rest.ptr == of_some.rest.ptr);
            assert(of_all.rest.len == of_some.rest.len);
        }
    } while (more);
}

static void check_references(struct str page)
{
    for (size_t i = 0; i < page.len; i++) {
        if (page.ptr[i] != '&')
            continue;
        struct str s = str_skip(page, i);
        struct html_reference ref = html_reference(s, i & 1);
        assert(ref.len <= s.len && ref.utf8_len <= sizeof(ref.utf8));
        assert(!ref.len == !ref.utf8_len);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct html_tokenizer tokenizer;

    if (!size)
        return 0;
    struct str page = fuzz_input(data + 1, size - 1);
    html_tokenizer_init(&tokenizer, page);
    tokenizer.has_cdata = data[0] & 8;
    if (data[0] & 7 && (data[0] & 7) <= HTML_CDATA)
        html_tokenizer_enter(&tokenizer, (enum html_state)(data[0] & 7),
                             data[0] & 16 ? STR("title") : STR("script"));
    check_all(tokenizer, page);
    if ((data[0] & 7) == 0)
        check_filter(tokenizer);
    check_references(page);
    return 0;
}
