#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "web/charset.h"

#define FFFD "\xEF\xBF\xBD"

static const struct charset *find(const char *label)
{
    const struct charset *charset = charset_find(str_of(label));

    if (!charset)
        fail_msg("no charset %s", label);
    return charset;
}

static void print_bytes(const char *title, struct str s)
{
    printf("  %s:", title);
    for (size_t i = 0; i < s.len; i++)
        printf(" %02X", (unsigned char)s.ptr[i]);
    printf("\n");
}

static void labels(void **state)
{
    static const struct {
        struct str label;
        const char *name; /* NULL: not a label */
    } cases[] = {
        {STR_INIT("utf-8"), "UTF-8"},
        {STR_INIT("UTF8"), "UTF-8"},
        {STR_INIT(" \t\r\n\fUtf-8\f\n "), "UTF-8"},
        {STR_INIT("latin1"), "windows-1252"},
        {STR_INIT("ISO_8859-1:1987"), "windows-1252"},
        {STR_INIT("866"), "IBM866"},
        {STR_INIT("x-x-big5"), "Big5"},
        {STR_INIT("cseucpkdfmtjapanese"), "EUC-JP"},
        {STR_INIT("hz-gb-2312"), "replacement"},
        {STR_INIT("utf-16"), "UTF-16LE"},
        {STR_INIT(""), NULL},
        {STR_INIT(" "), NULL},
        {STR_INIT("utf-7"), NULL},
        {STR_INIT("utf 8"), NULL},
        {STR_INIT("utf-8\0"), NULL},
        {STR_INIT("\0"), NULL},
        {STR_INIT("utf-8\v"), NULL},
        {STR_INIT("8"), NULL},
        {STR_INIT("zzz"), NULL},
        {STR_INIT("cseucpkdfmtjapanesex"), NULL},
        {STR_INIT("a label far longer than any that there is"), NULL},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const struct charset *got = charset_find(cases[i].label);
        const char *name = got ? got->name.ptr : NULL;
        if ((name == NULL) != (cases[i].name == NULL) ||
            (name && strcmp(name, cases[i].name) != 0))
            fail_msg("\"%s\": expected %s, got %s", cases[i].label.ptr,
                     cases[i].name ? cases[i].name : "nothing",
                     name ? name : "nothing");
    }
    assert_ptr_equal(find("utf-8"), CHARSET_UTF_8);
    assert_ptr_equal(find("windows-1252"), CHARSET_WINDOWS_1252);
}

static void content_types(void **state)
{
    static const struct {
        const char *value, *label;
    } cases[] = {
        {"", ""},
        {"text/html", ""},
        {"text/html;", ""},
        {"text/html; charset", ""},
        {"text/html; charset=", ""},
        {"text/html; charset=utf-8", "utf-8"},
        {"text/html;charset=utf-8", "utf-8"},
        {"text/html ; CHARSET=UTF-8 ", "UTF-8"},
        {"text/html; charset=\"utf-8\"", "utf-8"},
        {"text/html; charset=\"utf-8", "utf-8"},
        {"text/html; charset=\"a;b\"; charset=c", "a;b"},
        {"text/html; charset='utf-8'", "'utf-8'"},
        {"text/html; version=1; charset=big5; x=y", "big5"},
        {"text/html; x=\"; charset=a\"; charset=b", "b"},
        {"text/html; charset=; charset=gbk", "gbk"},
        {"text/html; charset=a; charset=b", "a"},
        {"text/html; xcharset=a", ""},
        {"charset=a", ""},
        {";charset=a", "a"},
        {";;;=;charset=a", "a"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct str got = charset_of_content_type(str_of(cases[i].value));
        if (!str_eq(got, str_of(cases[i].label)))
            fail_msg("%s: expected \"%s\", got \"%.*s\"", cases[i].value,
                     cases[i].label, (int)got.len, got.ptr);
    }
}

static void sniff_order(void **state)
{
    static const struct {
        struct str body;
        const char *http_label, *name;
        size_t bom_len;
    } cases[] = {
        {STR_INIT(""), "", "windows-1252", 0},
        {STR_INIT("text"), "big5", "Big5", 0},
        {STR_INIT("text"), "nonsense", "windows-1252", 0},
        {STR_INIT("<meta charset=koi8-r>"), "", "KOI8-R", 0},
        {STR_INIT("<meta charset=koi8-r>"), "nonsense", "KOI8-R", 0},
        {STR_INIT("<meta charset=koi8-r>"), "big5", "Big5", 0},
        {STR_INIT("text"), "utf-16", "UTF-16LE", 0},
        {STR_INIT("\xEF\xBB\xBF<meta charset=koi8-r>"), "big5", "UTF-8", 3},
        {STR_INIT("\xFE\xFF\0<"), "big5", "UTF-16BE", 2},
        {STR_INIT("\xFF\xFE<\0"), "big5", "UTF-16LE", 2},
        {STR_INIT("\xEF\xBB"), "", "windows-1252", 0},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        size_t bom_len = 99;
        const struct charset *got = charset_sniff(
            cases[i].body, str_of(cases[i].http_label), false, &bom_len);
        if (!str_eq(got->name, str_of(cases[i].name)) ||
            bom_len != cases[i].bom_len)
            fail_msg("case %zu: expected %s, %zu, got %s, %zu", i,
                     cases[i].name, cases[i].bom_len, got->name.ptr, bom_len);
    }
}

/* What the suites do not have. */
static const struct {
    struct str body;
    const char *name; /* NULL: nothing declared */
} declared_cases[] = {
    {STR_INIT("<meta charset=utf-16be>"), "UTF-8"},
    {STR_INIT("<meta/charset=big5>"), "Big5"},
    {STR_INIT("<META CHARSET=BIG5>"), "Big5"},
    {STR_INIT("<meta charset=big5"), NULL},
    {STR_INIT("<meta charset=\"big5>"), NULL},
    {STR_INIT("<meta charset=none charset=big5>"), NULL},
    {STR_INIT("<meta charset=none><meta charset=big5>"), "Big5"},
    {STR_INIT("<meta =charset=big5>"), NULL},
    {STR_INIT("<meta charset=x-user-defined>"), "windows-1252"},
    {STR_INIT("<meta http-equiv=content-type content='charset=gbk'>"), "GBK"},
    {STR_INIT("<meta content='charset=gbk'>"), NULL},
    {STR_INIT("<meta content='charset=gbk' charset=big5>"), "Big5"},
    {STR_INIT("<meta charset=big5 content='charset=gbk'>"), "Big5"},
    {STR_INIT("<meta charset=none content='charset=gbk' "
              "http-equiv=content-type>"),
     NULL},
    {STR_INIT("<meta http-equiv=content-type "
              "content='charset charset = \"gbk\"'>"),
     "GBK"},
    {STR_INIT("<meta http-equiv=content-type content='charset=\"gbk'>"), NULL},
    {STR_INIT("<meta http-equiv=content-type content='charset='>"), NULL},
    {STR_INIT("<!--><meta charset=big5>"), "Big5"},
    {STR_INIT("<!-- <meta charset=big5>"), NULL},
    {STR_INIT("<!-- <meta charset=big5>--><meta charset=gbk>"), "GBK"},
    {STR_INIT("<a title='<meta charset=big5>'><meta charset=gbk>"), "GBK"},
    {STR_INIT("</a title='<meta charset=big5>'><meta charset=gbk>"), "GBK"},
    {STR_INIT("<! '><meta charset=big5>'"), "Big5"},
    {STR_INIT("<1><meta charset=big5>"), "Big5"},
    {STR_INIT("<"), NULL},
    {STR_INIT("<meta"), NULL},
    {STR_INIT("<script><meta charset=big5></script>"), NULL},
    {STR_INIT("<script>'<meta charset=big5>'</script><meta charset=gbk>"),
     "GBK"},
    {STR_INIT("<style><meta charset=big5></style>"), NULL},
    {STR_INIT("<title><meta charset=big5></title>"), NULL},
    {STR_INIT("<textarea><meta charset=big5></textarea>"), NULL},
    {STR_INIT("<body><iframe><meta charset=big5></iframe>"), NULL},
    {STR_INIT("<noscript><meta charset=big5></noscript>"), "Big5"},
    {STR_INIT("<svg><![CDATA[<meta charset=big5>]]></svg>"), NULL},
    {STR_INIT("<meta charset='&#98;ig5'>"), "Big5"},
    {STR_INIT(
         "<meta http-equiv=content-&#116;ype content='charset&equals;gbk'>"),
     "GBK"},
    {STR_INIT("<\0?\0x\0m\0l\0"), "UTF-16LE"},
    {STR_INIT("\0<\0?\0x\0m\0l"), "UTF-16BE"},
    {STR_INIT("<?xml version='1.0' encoding='koi8-r'?>"), "KOI8-R"},
    {STR_INIT("<?xml encoding=\"utf-16\"?>"), "UTF-8"},
    {STR_INIT("<?xml encoding \x01= \"koi8-r\"?>"), "KOI8-R"},
    {STR_INIT("<?xml encoding='koi8-r '?>"), NULL},
    {STR_INIT("<?xml encoding='koi8-r\"?>"), NULL},
    {STR_INIT("<?xml encoding=koi8-r?>"), NULL},
    {STR_INIT("<?xml encoding='koi8-r'"), NULL},
    {STR_INIT("<?xml?> encoding='koi8-r'>"), NULL},
    {STR_INIT(" <?xml encoding='koi8-r'?>"), NULL},
    {STR_INIT("<?xml encoding='koi8-r'?><meta charset=big5>"), "Big5"},
};

static void declared(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(declared_cases); i++) {
        const struct charset *got = charset_declared(declared_cases[i].body);
        const char *name = got ? got->name.ptr : NULL;
        if ((name == NULL) != (declared_cases[i].name == NULL) ||
            (name && strcmp(name, declared_cases[i].name) != 0))
            fail_msg("%s: expected %s, got %s", declared_cases[i].body.ptr,
                     declared_cases[i].name ? declared_cases[i].name
                                            : "nothing",
                     name ? name : "nothing");
    }
}

/* Blanks between the two: the tag starts in the first 1024 bytes, or not. */
static const struct {
    const char *before, *meta;
    bool counts_late; /* beyond the first 1024 bytes */
} late_cases[] = {
    {"", "<meta charset=big5>", true},
    {"<!DOCTYPE html><html lang=x><head>", "<meta charset=big5>", true},
    {"<!-- x --><link><script>a<b</script><base>", "<meta charset=big5>", true},
    {"<title>text</title><style>p{}</style>", "<meta charset=big5>", true},
    {"<head>", "<meta content=charset=big5 http-equiv=content-type>", true},
    {"<head><noscript><img src=x>text</noscript>", "<meta charset=big5>", true},
    {"<head></title>", "<meta charset=big5>", true},
    {"<head></head>", "<meta charset=big5>", false},
    {"<head></body>", "<meta charset=big5>", false},
    {"text", "<meta charset=big5>", false},
    {"<head><p>", "<meta charset=big5>", false},
    {"<head><body>", "<meta charset=big5>", false},
    {"<head></br>", "<meta charset=big5>", false},
    {"<head><template></template>", "<meta charset=big5>", false},
    {"<head><template>", "<meta charset=big5>", false},
    {"<head><noscript>", "<meta charset=big5>", false},
};

static void late_declarations_count_while_the_head_is_open(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(late_cases); i++) {
        const char *before = late_cases[i].before, *meta = late_cases[i].meta;
        for (size_t start = 1020; start <= 1026; start++) {
            char page[2048];
            memset(page, ' ', sizeof(page));
            memcpy(page, before, strlen(before));
            memcpy(page + start, meta, strlen(meta));
            const struct charset *got =
                charset_declared((struct str){page, sizeof(page)});
            bool counts = start < 1024 || late_cases[i].counts_late;
            if (got != (counts ? find("big5") : NULL))
                fail_msg("%s... %s, which starts at %zu", before, meta, start);
        }
    }
}

static const struct {
    const char *label;
    struct str in, out;
} decoding_cases[] = {
    {"utf-8", STR_INIT(""), STR_INIT("")},
    {"utf-8", STR_INIT("plain"), STR_INIT("plain")},
    {"utf-8", STR_INIT("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"),
     STR_INIT("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80")},
    {"utf-8", STR_INIT("a\x80z"), STR_INIT("a" FFFD "z")},
    {"utf-8", STR_INIT("\xC0\xAF"), STR_INIT(FFFD FFFD)},
    {"utf-8", STR_INIT("\xE2\x82"), STR_INIT(FFFD)},
    {"utf-8", STR_INIT("\xE2\x82z"), STR_INIT(FFFD "z")},
    {"utf-8", STR_INIT("\xE0\x80\x80"), STR_INIT(FFFD FFFD FFFD)},
    {"utf-8", STR_INIT("\xED\xA0\x80"), STR_INIT(FFFD FFFD FFFD)},
    {"utf-8", STR_INIT("\xF0\x9F\x98"), STR_INIT(FFFD)},
    {"utf-8", STR_INIT("\xF0\x8F\x98\x80"), STR_INIT(FFFD FFFD FFFD FFFD)},
    {"utf-8", STR_INIT("\xF4\x90\x80\x80"), STR_INIT(FFFD FFFD FFFD FFFD)},
    {"utf-8", STR_INIT("\xF5\xFF"), STR_INIT(FFFD FFFD)},
    {"utf-8", STR_INIT("\xE2\x82\xE2\x82\xAC"), STR_INIT(FFFD "\xE2\x82\xAC")},
    {"utf-16le", STR_INIT("a\0\xAC\x20=\xD8\x00\xDE"),
     STR_INIT("a\xE2\x82\xAC\xF0\x9F\x98\x80")},
    {"utf-16be", STR_INIT("\0a\x20\xAC\xD8=\xDE\x00"),
     STR_INIT("a\xE2\x82\xAC\xF0\x9F\x98\x80")},
    {"utf-16be", STR_INIT("\xD8=\0a"), STR_INIT(FFFD "a")},
    {"utf-16be", STR_INIT("\xD8=\xD8=\xDE\0"),
     STR_INIT(FFFD "\xF0\x9F\x98\x80")},
    {"utf-16be", STR_INIT("\xDE\0\0a"), STR_INIT(FFFD "a")},
    {"utf-16be", STR_INIT("\0a\0"), STR_INIT("a" FFFD)},
    {"utf-16be", STR_INIT("\xD8=\0"), STR_INIT(FFFD)},
    {"replacement", STR_INIT("anything"), STR_INIT(FFFD)},
    {"replacement", STR_INIT(""), STR_INIT("")},
    {"x-user-defined", STR_INIT("a\x80\xFF"),
     STR_INIT("a\xEF\x9E\x80\xEF\x9F\xBF")},
    {"windows-1252", STR_INIT("\x80\x81\xE9z"),
     STR_INIT("\xE2\x82\xAC\xC2\x81\xC3\xA9z")},
    {"iso-8859-3", STR_INIT("\xA5z"), STR_INIT(FFFD "z")},
    /* Two code points for one pair. */
    {"big5", STR_INIT("\x88\x62\x88\x64\x88\xA3\x88\xA5"),
     STR_INIT("\xC3\x8A\xCC\x84\xC3\x8A\xCC\x8C"
              "\xC3\xAA\xCC\x84\xC3\xAA\xCC\x8C")},
    {"big5", STR_INIT("\x88\x66z"), STR_INIT("\xC3\x8Az")},
    /* ASCII is not swallowed, other bytes are. */
    {"big5", STR_INIT("\xA4\"z"), STR_INIT(FFFD "\"z")},
    {"big5", STR_INIT("\x81@z"), STR_INIT(FFFD "@z")},
    {"big5", STR_INIT("\x81\xA1z"), STR_INIT(FFFD "z")},
    {"big5", STR_INIT("\xA4\x80z"), STR_INIT(FFFD "z")},
    {"big5", STR_INIT("\x80z\xFFz"), STR_INIT(FFFD "z" FFFD "z")},
    {"big5", STR_INIT("\xA4"), STR_INIT(FFFD)},
    {"euc-kr", STR_INIT("\xB0\xA1\xA2\xE8\xB0\xA1"),
     STR_INIT("\xEA\xB0\x80" FFFD "\xEA\xB0\x80")},
    {"euc-kr", STR_INIT("\xB0<"), STR_INIT(FFFD "<")},
    {"euc-kr", STR_INIT("\xB0\0z"), STR_INIT(FFFD "\0z")},
    {"euc-kr", STR_INIT("\xC9\x41z"), STR_INIT(FFFD "Az")},
    {"euc-kr", STR_INIT("\x80\xFF\xB0"), STR_INIT(FFFD FFFD FFFD)},
    {"shift_jis", STR_INIT("\x82\xA0\xB1\x5C\x7E\x80\xA0\xFD"),
     STR_INIT("\xE3\x81\x82\xEF\xBD\xB1\\~\xC2\x80" FFFD FFFD)},
    {"shift_jis", STR_INIT("\x82\"\x82\x7F\x82\xFD\x82"),
     STR_INIT(FFFD "\"" FFFD "\x7F" FFFD FFFD)},
    {"shift_jis", STR_INIT("\x85\x40z"), STR_INIT(FFFD "@z")},
    {"gbk", STR_INIT("\x80\xFF"), STR_INIT("\xE2\x82\xAC" FFFD)},
    {"gbk", STR_INIT("\xB0\xA1\x81\x30\x81\x30"),
     STR_INIT("\xE5\x95\x8A\xC2\x80")},
    {"gb18030", STR_INIT("\x81\x30\x81\x30"), STR_INIT("\xC2\x80")},
    {"gb18030", STR_INIT("\x81\x30\x81\"z"), STR_INIT(FFFD "0" FFFD "\"z")},
    {"gb18030", STR_INIT("\x81\x30\"z"), STR_INIT(FFFD "0\"z")},
    {"gb18030", STR_INIT("\x81\x30\x81"), STR_INIT(FFFD)},
    {"gb18030", STR_INIT("\x81\x30"), STR_INIT(FFFD)},
    {"gb18030", STR_INIT("\x81"), STR_INIT(FFFD)},
    {"gb18030", STR_INIT("\x81\"\x81\x7F\x81\xFF"),
     STR_INIT(FFFD "\"" FFFD "\x7F" FFFD)},
    {"gb18030", STR_INIT("\xFE\x39\xFE\x39z"), STR_INIT(FFFD "z")},
    {"euc-jp", STR_INIT("\xA4\xA2\x8E\xB1\x8F\xB0\xA1"),
     STR_INIT("\xE3\x81\x82\xEF\xBD\xB1\xE4\xB8\x82")},
    {"euc-jp", STR_INIT("\x8E\xE0z\x8E\"z\x8E"),
     STR_INIT(FFFD "z" FFFD "\"z" FFFD)},
    {"euc-jp", STR_INIT("\x8F\xA1\xA1z\x8F\xB0\"z\x8F\xB0\x80z"),
     STR_INIT(FFFD "z" FFFD "\"z" FFFD "z")},
    {"euc-jp", STR_INIT("\x8F\"\x8F\x80\x8F\xB0"),
     STR_INIT(FFFD "\"" FFFD FFFD)},
    {"euc-jp", STR_INIT("\xA4\0z"), STR_INIT(FFFD "\0z")},
    {"euc-jp", STR_INIT("\xA4<\xA9\xA1z\x80"),
     STR_INIT(FFFD "<" FFFD "z" FFFD)},
    {"iso-2022-jp", STR_INIT("a\x1B$B$\"\x1B(Jb\\~\x1B(Bc\\~"),
     STR_INIT("a\xE3\x81\x82"
              "b\xC2\xA5\xE2\x80\xBE"
              "c\\~")},
    {"iso-2022-jp", STR_INIT("\x1B$@$\"\x1B(I1\x60"),
     STR_INIT("\xE3\x81\x82\xEF\xBD\xB1" FFFD)},
    {"iso-2022-jp", STR_INIT("\x1B(B\x1B(Bz"), STR_INIT(FFFD "z")},
    {"iso-2022-jp", STR_INIT("\x1B(Xz"), STR_INIT(FFFD "(Xz")},
    {"iso-2022-jp", STR_INIT("\x1Bz\x1B"), STR_INIT(FFFD "z" FFFD)},
    {"iso-2022-jp", STR_INIT("z\x1B("), STR_INIT("z" FFFD "(")},
    {"iso-2022-jp", STR_INIT("\x0E\x0F\x80z"), STR_INIT(FFFD FFFD FFFD "z")},
    {"iso-2022-jp", STR_INIT("\x1B$B$\x1B(Bz"), STR_INIT(FFFD "z")},
    {"iso-2022-jp", STR_INIT("\x1B$B$\n$\"\n$"),
     STR_INIT(FFFD "\xE3\x81\x82" FFFD FFFD)},
};

static void decoding(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(decoding_cases); i++) {
        struct buf got;
        buf_init(&got, 256);
        assert_true(charset_decode(find(decoding_cases[i].label),
                                   decoding_cases[i].in, &got));
        if (!str_eq(buf_str(&got), decoding_cases[i].out)) {
            print_bytes("in", decoding_cases[i].in);
            print_bytes("expected", decoding_cases[i].out);
            print_bytes("got", buf_str(&got));
            fail_msg("%s, case %zu", decoding_cases[i].label, i);
        }
        buf_release(&got);
    }
}

static const char *const all_labels[] = {
    "utf-8",     "utf-16be", "utf-16le", "windows-1252", "iso-8859-3",
    "gbk",       "gb18030",  "big5",     "euc-jp",       "iso-2022-jp",
    "shift_jis", "euc-kr",   "koi8-u",   "replacement",  "x-user-defined",
};

/* Long mixed text into every cap: always whole, valid UTF-8, or nothing. */
static void caps(void **state)
{
    enum { LEN = 3000 };
    char in[LEN];
    uint32_t random = 1;

    (void)state;
    for (size_t i = 0; i < LEN; i++) {
        random = random * 1664525 + 1013904223;
        in[i] = (char)(i % 700 < 300 ? 'a' : random >> 24);
    }
    for (size_t l = 0; l < ARRAY_LEN(all_labels); l++) {
        const struct charset *charset = find(all_labels[l]);
        struct buf whole, part;
        buf_init(&whole, 1 << 20);
        assert_true(charset_decode(charset, (struct str){in, LEN}, &whole));
        assert_true(whole.len > 0);

        size_t most = (size_t)CHARSET_GROWTH_MAX * LEN;
        assert_true(whole.len <= most);
        for (size_t cap = 0; cap < most + 3; cap += 1 + cap / 7) {
            buf_init(&part, cap + 1);
            buf_put_char(&part, 'x');
            bool fits = charset_decode(charset, (struct str){in, LEN}, &part);
            assert_int_equal(fits, cap >= most);
            assert_int_equal(part.len, fits ? whole.len + 1 : 1);
            buf_release(&part);
        }
        buf_init(&part, CHARSET_GROWTH_MAX * whole.len);
        assert_true(charset_decode(CHARSET_UTF_8, buf_str(&whole), &part));
        assert_true(str_eq(buf_str(&part), buf_str(&whole)));
        buf_release(&part);
        buf_release(&whole);
    }
}

static const struct {
    const char *label;
    struct str in, out;
} encoding_cases[] = {
    {"utf-8", STR_INIT("a\xC3\xA9"), STR_INIT("a\xC3\xA9")},
    {"utf-16le", STR_INIT("a\xC3\xA9"), STR_INIT("a\xC3\xA9")},
    {"replacement", STR_INIT("a\xC3\xA9"), STR_INIT("a\xC3\xA9")},
    {"windows-1252", STR_INIT(""), STR_INIT("")},
    {"windows-1252", STR_INIT("plain \x0E"), STR_INIT("plain \x0E")},
    {"windows-1252", STR_INIT("a\xC3\xA9z\xE2\x82\xAC"),
     STR_INIT("a\xE9z\x80")},
    {"windows-1252", STR_INIT("\xCE\xB1"), STR_INIT("%26%23945%3B")},
    {"windows-1252", STR_INIT("\xF0\x9F\x98\x80"), STR_INIT("%26%23128512%3B")},
    /* Not valid UTF-8, which the caller promises: still safe. */
    {"windows-1252", STR_INIT("\xE2\x82"), STR_INIT("%26%2365533%3B")},
    {"x-user-defined", STR_INIT("\xEF\x9E\x80"), STR_INIT("\x80")},
    {"x-user-defined", STR_INIT("\xC3\xA9"), STR_INIT("%26%23233%3B")},
    {"gbk", STR_INIT("\xE2\x82\xAC"), STR_INIT("\x80")},
    {"gb18030", STR_INIT("\xE2\x82\xAC"), STR_INIT("\xA2\xE3")},
    {"gbk", STR_INIT("\xC2\x80"), STR_INIT("%26%23128%3B")},
    {"gb18030", STR_INIT("\xC2\x80"), STR_INIT("\x81\x30\x81\x30")},
    {"gb18030", STR_INIT("\xF4\x8F\xBF\xBF"), STR_INIT("\xE3\x32\x9A\x35")},
    {"big5", STR_INIT("\xC3\x8A\xCC\x84"),
     STR_INIT("%26%23202%3B%26%23772%3B")},
    {"shift_jis", STR_INIT("\xC2\xA5\xE2\x80\xBE\xE2\x88\x92"),
     STR_INIT("\\~\x81\x7C")},
    {"euc-jp", STR_INIT("\xEF\xBD\xB1"), STR_INIT("\x8E\xB1")},
    {"iso-2022-jp", STR_INIT("plain"), STR_INIT("plain")},
    {"iso-2022-jp", STR_INIT("\x0E\x0F\x1B"),
     STR_INIT("%26%2365533%3B%26%2365533%3B%26%2365533%3B")},
    {"iso-2022-jp", STR_INIT("a\xE3\x81\x82\xE3\x81\x82z"),
     STR_INIT("a\x1B$B$\"$\"\x1B(Bz")},
    {"iso-2022-jp", STR_INIT("\xE3\x81\x82\x0E"),
     STR_INIT("\x1B$B$\"\x1B(B%26%2365533%3B")},
    {"iso-2022-jp", STR_INIT("\xE3\x81\x82\xF0\x9F\x98\x80"),
     STR_INIT("\x1B$B$\"\x1B(B%26%23128512%3B")},
    {"iso-2022-jp", STR_INIT("\xC2\xA5z\xF0\x9F\x98\x80\\"),
     STR_INIT("\x1B(J\\z%26%23128512%3B\x1B(B\\")},
    {"iso-2022-jp", STR_INIT("\xEF\xBD\xB1"), STR_INIT("\x1B$B%\"\x1B(B")},
};

static void encoding(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(encoding_cases); i++) {
        void *charset = (void *)find(encoding_cases[i].label);
        for (size_t cap = 0; cap <= encoding_cases[i].out.len + 4; cap++) {
            struct buf got;
            bool fits = cap >= encoding_cases[i].out.len;
            buf_init(&got, cap);
            assert_int_equal(
                charset_encode_query(charset, encoding_cases[i].in, &got),
                fits);
            if (!str_eq(buf_str(&got),
                        fits ? encoding_cases[i].out : STR(""))) {
                print_bytes("in", encoding_cases[i].in);
                print_bytes("expected", encoding_cases[i].out);
                print_bytes("got", buf_str(&got));
                fail_msg("%s, case %zu, cap %zu", encoding_cases[i].label, i,
                         cap);
            }
            buf_release(&got);
        }
    }
}

static void markup_safety(void **state)
{
    static const char *const unsafe[] = {"utf-16be", "utf-16le", "iso-2022-jp",
                                         "replacement"};
    static const char markup[] = "<>&=/\"' \t\n";

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(unsafe); i++)
        assert_false(charset_is_markup_safe(find(unsafe[i])));

    /* Elsewhere no byte before a character of markup swallows it. */
    for (size_t l = 0; l < ARRAY_LEN(all_labels); l++) {
        const struct charset *charset = find(all_labels[l]);
        if (!charset_is_markup_safe(charset))
            continue;
        for (unsigned lead = 0x80; lead < 0x100; lead++) {
            for (size_t m = 0; m < strlen(markup); m++) {
                char in[] = {(char)lead, markup[m]};
                struct buf got;
                buf_init(&got, 16);
                charset_decode(charset, (struct str){in, 2}, &got);
                assert_true(got.len > 1);
                assert_int_equal(got.ptr[got.len - 1], markup[m]);
                buf_release(&got);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels),
        cmocka_unit_test(content_types),
        cmocka_unit_test(sniff_order),
        cmocka_unit_test(declared),
        cmocka_unit_test(late_declarations_count_while_the_head_is_open),
        cmocka_unit_test(decoding),
        cmocka_unit_test(caps),
        cmocka_unit_test(encoding),
        cmocka_unit_test(markup_safety),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
