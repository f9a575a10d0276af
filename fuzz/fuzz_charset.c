/* Encodings: finding out which, decoding, encoding. The first byte chooses the
 * encoding, the rest is the text. */
#include "fuzz.h"

#include "base/str.h"
#include "web/charset.h"

static const struct str labels[] = {
    STR_INIT("utf-8"),        STR_INIT("utf-16be"),
    STR_INIT("utf-16le"),     STR_INIT("gbk"),
    STR_INIT("gb18030"),      STR_INIT("big5"),
    STR_INIT("euc-jp"),       STR_INIT("iso-2022-jp"),
    STR_INIT("shift_jis"),    STR_INIT("euc-kr"),
    STR_INIT("replacement"),  STR_INIT("koi8-r"),
    STR_INIT("windows-1252"), STR_INIT("iso-8859-8"),
    STR_INIT("ibm866"),       STR_INIT("windows-874"),
    STR_INIT("macintosh"),    STR_INIT("x-user-defined"),
};

static bool is_utf8(struct str s)
{
    uint32_t c;

    while (s.len) {
        size_t len = utf8_read(s.ptr, s.ptr + s.len, &c);
        if (c == 0xFFFD && !str_starts(s, STR("\uFFFD")))
            return false;
        s = str_skip(s, len);
    }
    return true;
}

static bool is_ascii(struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        if ((unsigned char)s.ptr[i] >= 0x80)
            return false;
    return true;
}

static bool has(struct str s, struct str part)
{
    return s.len && memmem(s.ptr, s.len, part.ptr, part.len);
}

/* One byte less than the longest result is too little: nothing is added. */
static void check_cap(const struct charset *charset, struct str in)
{
    struct buf out;

    if (!in.len)
        return;
    buf_init(&out, CHARSET_GROWTH_MAX * in.len);
    buf_put_char(&out, 'x');
    bool fits = charset_decode(charset, in, &out);
    assert(!fits && out.len == 1);
    buf_release(&out);
}

/* What was decoded is encoded to something that means the same. Only where
 * the encoding has all of it; and ISO-2022-JP turns half-width katakana into
 * full-width ones. */
static void check_there_and_back(const struct charset *charset, struct str text)
{
    struct buf bytes, back;

    buf_init(&bytes, 16 * text.len + 16);
    bool fits = charset_encode_query((void *)charset, text, &bytes);
    assert(fits);
    buf_init(&back, 4 * bytes.len);
    if (charset_is_markup_safe(charset) &&
        !has(buf_str(&bytes), STR("%26%23"))) {
        fits = charset_decode(charset, buf_str(&bytes), &back);
        assert(fits && str_eq(buf_str(&back), text));
    }
    buf_release(&back);
    buf_release(&bytes);
}

static void check_decode(const struct charset *charset, struct str in)
{
    struct buf out;

    buf_init(&out, 4 * in.len + 4);
    bool fits = charset_decode(charset, in, &out);
    assert(fits && is_utf8(buf_str(&out)));
    if (charset_is_markup_safe(charset) && is_ascii(in))
        assert(str_eq(buf_str(&out), in));
    check_cap(charset, in);
    check_there_and_back(charset, buf_str(&out));
    buf_release(&out);
}

/* What is declared in the first 1024 bytes stays, whatever follows. */
static void check_declared(struct str body)
{
    struct str head = str_first(body, 1024);
    const struct charset *charset = charset_declared(head);

    assert(!charset || str_starts(body, STR("<?xml")) ||
           charset_declared(body) == charset);
}

static void check_sniff(struct str body)
{
    size_t bom_len = 0;
    const struct charset *charset =
        charset_sniff(body, STR(""), false, &bom_len);

    assert(charset && bom_len <= 3 && bom_len <= body.len);
    assert(charset_find(charset->name) == charset);
    check_declared(body);
    charset_sniff(STR(""), body, false, &bom_len);
    assert(fuzz_is_inside(charset_of_content_type(body), body));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    struct str in = fuzz_input(data + 1, size - 1);
    const struct charset *charset =
        charset_find(labels[data[0] % ARRAY_LEN(labels)]);
    assert(charset);
    check_decode(charset, in);
    check_sniff(in);
    return 0;
}
