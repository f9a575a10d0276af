#include "testserver/body.h"

#include <inttypes.h>

#include "testserver/encode.h"

enum { BLOCK = 64 * 1024 }; /* a short text is repeated up to this size */

void body_init(struct body *body, struct arena *arena)
{
    body->arena = arena;
    buf_init(&body->text, BODY_MAX);
    buf_init(&body->parts, BODY_MAX);
}

void body_release(struct body *body)
{
    buf_release(&body->text);
    buf_release(&body->parts);
}

void body_clear(struct body *body)
{
    buf_clear(&body->text);
    buf_clear(&body->parts);
}

static bool put_part(struct body *body, struct str bytes, uint64_t times)
{
    struct body_part part = {arena_copy(body->arena, bytes), times};

    return buf_put(&body->parts,
                   (struct str){(const char *)&part, sizeof(part)});
}

/* Make the text that was gathered so far a part of its own. */
static bool end_text(struct body *body)
{
    bool good = !body->text.len || put_part(body, buf_str(&body->text), 1);

    buf_clear(&body->text);
    return good;
}

bool body_repeat(struct body *body, struct str text, uint64_t times)
{
    struct buf block;
    uint64_t fits = 0;
    bool good = end_text(body);

    if (times != BODY_ENDLESS && times > (1ULL << 60) / text.len)
        return false; /* lengths are added up in 64 bits */
    if (!times)
        return good;
    buf_init(&block, BODY_MAX);
    do {
        good = good && buf_put(&block, text);
        fits++;
    } while (good && fits < times && block.len < BLOCK);

    if (good && times == BODY_ENDLESS)
        good = put_part(body, buf_str(&block), BODY_ENDLESS);
    else if (good)
        good = put_part(body, buf_str(&block), times / fits) &&
               buf_put(&body->text,
                       str_first(buf_str(&block), times % fits * text.len));
    buf_release(&block);
    return good;
}

bool body_links(struct body *body, struct str pattern, uint64_t count)
{
    const char *at = memmem(pattern.ptr, pattern.len, "%d", 2);
    struct str before = pattern, after = {0};

    if (at) {
        before = str_between(pattern.ptr, at);
        after = str_between(at + 2, pattern.ptr + pattern.len);
    }
    for (uint64_t i = 1; i <= count; i++)
        if (!buf_printf(&body->text,
                        "<a href=\"%.*s%" PRIu64 "%.*s\">%" PRIu64 "</a>\n",
                        (int)before.len, before.ptr, i, (int)after.len,
                        after.ptr, i))
            return false;
    return true;
}

/* Copy all parts into one piece. */
static bool join(const struct body *body, struct buf *out)
{
    const struct body_part *part = (const void *)body->parts.ptr;
    size_t count = body->parts.len / sizeof(*part);

    for (size_t i = 0; i < count; i++)
        for (uint64_t n = 0; n < part[i].times; n++)
            if (!buf_put(out, part[i].bytes))
                return false;
    return true;
}

bool body_encode(struct body *body, struct str coding)
{
    struct encoder *encoder = encoder_new();
    struct buf whole, coded;

    buf_init(&whole, BODY_MAX);
    buf_init(&coded, BODY_MAX);
    bool good = end_text(body) && join(body, &whole) &&
                encode(encoder, coding, buf_str(&whole), &coded);
    if (good) {
        buf_clear(&body->parts);
        good = put_part(body, buf_str(&coded), 1);
    }
    buf_release(&whole);
    buf_release(&coded);
    encoder_free(encoder);
    return good;
}

const struct body_part *body_finish(struct body *body, size_t *count)
{
    end_text(body);
    *count = body->parts.len / sizeof(struct body_part);

    struct body_part *parts = arena_new(body->arena, body->parts.len + 1);
    if (*count)
        memcpy(parts, body->parts.ptr, body->parts.len);
    body_clear(body);
    return parts;
}

bool body_unescape(struct str text, struct buf *out)
{
    static const char from[] = "rnt0\\", to[] = "\r\n\t\0\\";

    while (text.len) {
        size_t plain = str_find(text, '\\');
        if (!buf_put(out, str_first(text, plain)))
            return false;
        text = str_skip(text, plain);
        if (!text.len)
            break;

        char c = text.len > 1 ? text.ptr[1] : '\0';
        const char *known = c ? strchr(from, c) : NULL;
        int high = text.len > 3 ? hex_value(text.ptr[2]) : -1;
        int low = text.len > 3 ? hex_value(text.ptr[3]) : -1;
        if (!known && (c != 'x' || high < 0 || low < 0))
            return false;
        if (!buf_put_char(out,
                          known ? to[known - from] : (char)(high * 16 + low)))
            return false;
        text = str_skip(text, known ? 2 : 4);
    }
    return true;
}
