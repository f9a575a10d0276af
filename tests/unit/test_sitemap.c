/* Sitemaps by hand: forms, leniency, what is cut off, and hostile files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>
#include <libdeflate.h>

#include "page/coding.h"
#include "page/sitemap.h"

#define XML    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
#define URLSET "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">"

struct row {
    const char *name;
    struct str body;
    enum sitemap_form form;
    enum sitemap_end end;
    struct str locs; /* one a line; '*' before that of a sitemap */
};

// clang-format off
static const struct row rows[] = {
    {"urlset", STR_INIT(XML URLSET "<url><loc>http://a/1?x=1&amp;y=2</loc><lastmod>2020</lastmod></url><url><loc>\n http://a/2 \n</loc></url></urlset>"),
     SITEMAP_URLSET, SITEMAP_WHOLE, STR_INIT("http://a/1?x=1&y=2\nhttp://a/2\n")},
    {"index", STR_INIT("<sitemapindex><sitemap><loc>http://a/s1.xml</loc></sitemap><sitemap><loc>s2.xml.gz</loc></sitemap></sitemapindex>"),
     SITEMAP_INDEX, SITEMAP_WHOLE, STR_INIT("*http://a/s1.xml\n*s2.xml.gz\n")},
    {"both in one", STR_INIT("<urlset><sitemap><loc>http://a/s</loc></sitemap><url><loc>http://a/p</loc></url></urlset>"),
     SITEMAP_URLSET, SITEMAP_WHOLE, STR_INIT("*http://a/s\nhttp://a/p\n")},
    {"prefixes", STR_INIT("<s:urlset><s:url><i:loc>http://a/no</i:loc><s:loc>http://a/1</s:loc><i:image><i:loc>http://a/i.png</i:loc></i:image></s:url></s:urlset>"),
     SITEMAP_URLSET, SITEMAP_WHOLE, STR_INIT("http://a/1\n")},
    {"deeper loc", STR_INIT("<urlset><url><x><loc>http://a/no</loc></x><loc>http://a/1</loc></url><loc>http://a/no</loc><x><url><loc>http://a/no</loc></url></x></urlset>"),
     SITEMAP_URLSET, SITEMAP_WHOLE, STR_INIT("http://a/1\n")},
    {"upper case", STR_INIT("<URLSET><URL><LOC>http://a/1</LOC></URL></URLSET>"),
     SITEMAP_URLSET, SITEMAP_WHOLE, STR_INIT("http://a/1\n")},
    {"several locs, and a forgotten one", STR_INIT("<urlset><url><loc>http://a/1</loc><loc>http://a/2</loc></url><url>\nhttp://a/3<x>y</x>\n</url><url>no URL</url><url/></urlset>"),
     SITEMAP_URLSET, SITEMAP_WHOLE, STR_INIT("http://a/1\nhttp://a/2\nhttp://a/3\n")},
    {"text in pieces", STR_INIT("<urlset><url><loc><b/>http://a/<![CDATA[?x&y]]>&#x7a;<!-- no --></loc></url></urlset>"),
     SITEMAP_URLSET, SITEMAP_WHOLE, STR_INIT("http://a/?x&yz\n")},
    {"Unicode's blanks", STR_INIT("<urlset><url><loc>\xc2\xa0\xe2\x80\x83\xef\xbb\xbf http://a/\xc3\xa9\xc2\xa0x \xe3\x80\x80\xe2\x80\x8b\n</loc></url></urlset>"),
     SITEMAP_URLSET, SITEMAP_WHOLE, STR_INIT("http://a/\xc3\xa9\xc2\xa0x\n")},
    {"blanks before", STR_INIT("\xef\xbb\xbf\n\t " XML "<urlset><url><loc>http://a/1</loc></url></urlset>"),
     SITEMAP_URLSET, SITEMAP_WHOLE, STR_INIT("http://a/1\n")},
    {"junk behind", STR_INIT("<urlset><url><loc>http://a/1</loc></url></urlset>\n<!-- --><p>junk & more"),
     SITEMAP_URLSET, SITEMAP_WHOLE, STR_INIT("http://a/1\n")},
    {"no entries", STR_INIT("<urlset/>"), SITEMAP_URLSET, SITEMAP_WHOLE, STR_INIT("")},
    {"a DOCTYPE alone", STR_INIT("<!DOCTYPE rss SYSTEM \"http://evil.example/rss.dtd\"><rss><item><link>http://a/1</link><title>&eacute;</title></item></rss>"),
     SITEMAP_RSS, SITEMAP_WHOLE, STR_INIT("http://a/1\n")},

    {"rss", STR_INIT("<rss version='2.0'><channel><link>http://a/no</link><image><link>http://a/no</link></image><item><atom:link href='http://a/no'/><link>http://a/1</link><guid>http://a/no</guid></item>"
                     "<item><guid isPermaLink='false'>tag:x</guid></item><item><guid> http://a/2 </guid><guid>http://a/no</guid><link/></item><item><source><link>http://a/no</link></source><link>http://a/3</link><link>http://a/no</link></item></channel></rss>"),
     SITEMAP_RSS, SITEMAP_WHOLE, STR_INIT("http://a/1\nhttp://a/2\nhttp://a/3\n")},
    {"rss 1.0", STR_INIT("<rdf:RDF><channel><link>http://a/no</link></channel><item><link>http://a/1</link></item></rdf:RDF>"),
     SITEMAP_RSS, SITEMAP_WHOLE, STR_INIT("http://a/1\n")},
    {"atom", STR_INIT("<feed><link href='http://a/no'/><entry><link rel='edit' href='http://a/no'/><link rel=' Alternate ' href=' http://a/?x&amp;y '/><link href='http://a/no'/><content><link href='http://a/no'/></content></entry><entry><link href=''/><link href='2'/></entry></feed>"),
     SITEMAP_ATOM, SITEMAP_WHOLE, STR_INIT("http://a/?x&y\n2\n")},
    {"atom with a prefix", STR_INIT("<a:feed><a:entry><link href='http://a/no'/><a:link href='http://a/1'/></a:entry></a:feed>"),
     SITEMAP_ATOM, SITEMAP_WHOLE, STR_INIT("http://a/1\n")},

    {"list", STR_INIT("\xef\xbb\xbfhttp://a/1\r\n\n HTTPS://a/2 \xc2\xa0\rftp://a/no\n# http://a/no\n/no\nhttp://a/3"),
     SITEMAP_TEXT, SITEMAP_WHOLE, STR_INIT("http://a/1\nHTTPS://a/2\nhttp://a/3\n")},
    {"no list", STR_INIT("this is text\nof more lines"), SITEMAP_NONE, SITEMAP_WHOLE, STR_INIT("")},
    {"nothing", STR_INIT(""), SITEMAP_NONE, SITEMAP_WHOLE, STR_INIT("")},
    {"blanks", STR_INIT(" \n"), SITEMAP_NONE, SITEMAP_WHOLE, STR_INIT("")},
    {"a page", STR_INIT("<!DOCTYPE html><html><url><loc>http://a/no</loc></url></html>"), SITEMAP_NONE, SITEMAP_WHOLE, STR_INIT("")},
    {"no XML", STR_INIT("<<<"), SITEMAP_NONE, SITEMAP_CUT, STR_INIT("")},

    {"cut in an end tag", STR_INIT("<urlset><url><loc>http://a/1</loc></url><url><loc>http://a/2</lo"),
     SITEMAP_URLSET, SITEMAP_CUT, STR_INIT("http://a/1\nhttp://a/2\n")},
    {"cut in a URL", STR_INIT("<urlset><url><loc>http://a/1</loc></url><url><loc>http://a/ha"),
     SITEMAP_URLSET, SITEMAP_CUT, STR_INIT("http://a/1\n")},
    {"cut in a CDATA", STR_INIT("<urlset><url><loc><![CDATA[http://a/ha"),
     SITEMAP_URLSET, SITEMAP_CUT, STR_INIT("")},
    {"cut in another tag", STR_INIT("<urlset><url><loc>http://a/ha<b"),
     SITEMAP_URLSET, SITEMAP_CUT, STR_INIT("")},
    {"broken before, cut in an end tag", STR_INIT("<urlset><url><loc>http://a/ha&</x></loc></url></urls"),
     SITEMAP_URLSET, SITEMAP_CUT, STR_INIT("")},
    {"a stray ampersand", STR_INIT("<urlset><url><loc>http://a/1</loc></url><url><loc>http://a/?a&b=2</loc></url></urlset>"),
     SITEMAP_URLSET, SITEMAP_CUT, STR_INIT("http://a/1\n")},
    {"wrong end tag", STR_INIT("<urlset><url><loc>http://a/1</loc></url></url><url><loc>http://a/no</loc></url></urlset>"),
     SITEMAP_URLSET, SITEMAP_CUT, STR_INIT("http://a/1\n")},

    {"entities", STR_INIT("<!DOCTYPE urlset [<!ENTITY a 'b'>]><urlset><url><loc>http://a/1</loc></url></urlset>"),
     SITEMAP_NONE, SITEMAP_REFUSED, STR_INIT("")},
    {"external entities", STR_INIT("<!DOCTYPE urlset [<!ENTITY a SYSTEM 'file:///etc/hostname'>]><urlset><url><loc>http://a/1</loc></url></urlset>"),
     SITEMAP_NONE, SITEMAP_REFUSED, STR_INIT("")},
    {"parameter entities", STR_INIT("<!DOCTYPE urlset [<!ENTITY % a 'b'> %a;]><urlset><url><loc>http://a/1</loc></url></urlset>"),
     SITEMAP_NONE, SITEMAP_REFUSED, STR_INIT("")},

    {"Latin-1", STR_INIT("<?xml version='1.0' encoding='ISO-8859-1'?><urlset><url><loc>http://a/\xe9</loc></url></urlset>"),
     SITEMAP_URLSET, SITEMAP_WHOLE, STR_INIT("http://a/\xc3\xa9\n")},
    {"windows-1251", STR_INIT("<?xml version='1.0' encoding='cp1251'?><urlset><url><loc>http://a/\xe9</loc></url></urlset>"),
     SITEMAP_URLSET, SITEMAP_WHOLE, STR_INIT("http://a/\xd0\xb9\n")},
    {"windows-1252", STR_INIT("<?xml version='1.0' encoding='windows-1252'?><urlset><url><loc>http://a/\x80</loc></url></urlset>"),
     SITEMAP_URLSET, SITEMAP_WHOLE, STR_INIT("http://a/\xe2\x82\xac\n")},
    {"Shift_JIS", STR_INIT("<?xml version='1.0' encoding='Shift_JIS'?><rss><item><title>\x83\x7d\x83\x62\x83\x76</title><link>http://a/1</link></item></rss>"),
     SITEMAP_RSS, SITEMAP_WHOLE, STR_INIT("http://a/1\n")},
    {"an encoding that is none", STR_INIT("<?xml version='1.0' encoding='latin-one'?><rss><item><title>\xe9</title><link>http://a/1</link></item></rss>"),
     SITEMAP_RSS, SITEMAP_WHOLE, STR_INIT("http://a/1\n")},
    {"UTF-16", STR_INIT("\xff\xfe<\0r\0s\0s\0>\0<\0i\0t\0e\0m\0>\0<\0l\0i\0n\0k\0>\0h\0t\0t\0p\0:\0/\0/\0a\0<\0/\0l\0i\0n\0k\0>\0<\0/\0i\0t\0e\0m\0>\0<\0/\0r\0s\0s\0>\0"),
     SITEMAP_RSS, SITEMAP_WHOLE, STR_INIT("http://a\n")},
};
// clang-format on

static bool row_is_good(const struct row *row, const struct sitemap *sitemap)
{
    struct buf locs;

    buf_init(&locs, 1 << 20);
    for (size_t i = 0; i < sitemap->count; i++) {
        if (sitemap->entry[i].is_sitemap)
            buf_put_char(&locs, '*');
        buf_put(&locs, sitemap->entry[i].loc);
        buf_put_char(&locs, '\n');
    }
    bool is_good = sitemap->form == row->form && sitemap->end == row->end &&
                   str_eq(buf_str(&locs), row->locs);
    if (!is_good)
        print_error("%s: want form %d, end %d,\n%sgot form %d, end %d,\n%s",
                    row->name, (int)row->form, (int)row->end, row->locs.ptr,
                    (int)sitemap->form, (int)sitemap->end, buf_cstr(&locs));
    buf_release(&locs);
    return is_good;
}

static void documents(void **state)
{
    struct sitemap sitemap;
    struct arena arena;
    unsigned failed = 0;

    (void)state;
    arena_init(&arena);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        sitemap_read(&sitemap, &arena, rows[i].body);
        failed += !row_is_good(&rows[i], &sitemap);
        arena_clear(&arena);
    }
    arena_release(&arena);
    assert_int_equal(failed, 0);
}

/* Cut at every byte: what comes out is the begin of what the whole gives. */
static void cut_anywhere(void **state)
{
    struct sitemap whole, part;
    struct arena arena;

    (void)state;
    arena_init(&arena);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        sitemap_read(&whole, &arena, rows[i].body);
        for (size_t len = 0; len < rows[i].body.len; len++) {
            sitemap_read(&part, &arena, str_first(rows[i].body, len));
            /* Of a list that ends there nobody can say that it is cut. */
            size_t sure = part.form == SITEMAP_TEXT && part.count
                              ? part.count - 1
                              : part.count;
            if (part.count > whole.count)
                fail_msg("%s, cut at %zu: %zu entries", rows[i].name, len,
                         part.count);
            for (size_t at = 0; at < sure; at++)
                if (!str_eq(part.entry[at].loc, whole.entry[at].loc))
                    fail_msg("%s, cut at %zu: %s", rows[i].name, len,
                             part.entry[at].loc.ptr);
        }
        arena_clear(&arena);
    }
    arena_release(&arena);
}

/* ---- gzip -------------------------------------------------------------- */

static void put_member(struct buf *out, struct str bytes)
{
    struct libdeflate_compressor *gz = libdeflate_alloc_compressor(6);
    size_t room = libdeflate_gzip_compress_bound(gz, bytes.len);
    char *at = buf_reserve(out, room);

    assert_non_null(at);
    size_t len = libdeflate_gzip_compress(gz, bytes.ptr, bytes.len, at, room);
    assert_true(len > 0);
    out->len += len;
    libdeflate_free_compressor(gz);
}

static void check(struct str body, enum sitemap_form form, enum sitemap_end end,
                  size_t count)
{
    struct sitemap sitemap;
    struct arena arena;

    arena_init(&arena);
    sitemap_read(&sitemap, &arena, body);
    assert_int_equal(sitemap.form, form);
    assert_int_equal(sitemap.end, end);
    assert_int_equal(sitemap.count, count);
    arena_release(&arena);
}

static void members(void **state)
{
    struct buf gz;

    (void)state;
    buf_init(&gz, 1 << 20);
    put_member(&gz, STR("<urlset><url><loc>http://a/1</loc></url>"));
    size_t first_len = gz.len;
    check(buf_str(&gz), SITEMAP_URLSET, SITEMAP_CUT, 1);
    put_member(&gz, STR(""));
    put_member(&gz, STR("<url><loc>http://a/2</loc></url></urlset>"));
    check(buf_str(&gz), SITEMAP_URLSET, SITEMAP_WHOLE, 2);

    /* Cut off, or wrong: what came before. */
    check(str_first(buf_str(&gz), gz.len - 1), SITEMAP_URLSET, SITEMAP_CUT, 1);
    check(str_first(buf_str(&gz), first_len - 1), SITEMAP_NONE, SITEMAP_CUT, 0);
    gz.ptr[gz.len - 6] ^= 1;
    check(buf_str(&gz), SITEMAP_URLSET, SITEMAP_CUT, 1);
    gz.ptr[gz.len - 6] ^= 1;

    /* Padding means nothing. */
    buf_put(&gz, STR("\0\0\0\0"));
    check(buf_str(&gz), SITEMAP_URLSET, SITEMAP_WHOLE, 2);
    buf_release(&gz);
}

static void half_a_line(void **state)
{
    struct buf gz;

    (void)state;
    buf_init(&gz, 1 << 20);
    put_member(&gz, STR("http://a/1\nhttp://a/ha"));
    check(buf_str(&gz), SITEMAP_TEXT, SITEMAP_WHOLE, 2);
    buf_put(&gz, STR("\x1f\x8b"));
    check(buf_str(&gz), SITEMAP_TEXT, SITEMAP_CUT, 1);
    buf_release(&gz);
}

/* gzip in gzip is not read: one level is what servers do by mistake. */
static void once_only(void **state)
{
    struct buf gz, twice;

    (void)state;
    buf_init(&gz, 1 << 20);
    buf_init(&twice, 1 << 20);
    put_member(&gz, STR("http://a/1"));
    put_member(&twice, buf_str(&gz));
    check(buf_str(&twice), SITEMAP_NONE, SITEMAP_WHOLE, 0);
    buf_release(&gz);
    buf_release(&twice);
}

static void bomb(void **state)
{
    struct str zeros = {calloc(1, SITEMAP_BYTES_MAX + 1),
                        SITEMAP_BYTES_MAX + 1};
    struct buf gz, out;

    (void)state;
    assert_non_null(zeros.ptr);
    buf_init(&gz, 64 << 20);
    put_member(&gz, STR("http://a/1\n"));
    put_member(&gz, zeros);
    assert_true(gz.len < 100 * 1024);
    check(buf_str(&gz), SITEMAP_TEXT, SITEMAP_TOO_LARGE, 1);

    /* Exactly what fits, and one byte more. */
    buf_init(&out, 1000);
    buf_clear(&gz);
    put_member(&gz, str_first(zeros, 1000));
    assert_int_equal(gunzip(buf_str(&gz), &out), CODING_WHOLE);
    assert_int_equal(out.len, 1000);
    put_member(&gz, str_first(zeros, 1));
    buf_clear(&out);
    assert_int_equal(gunzip(buf_str(&gz), &out), CODING_TOO_LARGE);
    assert_int_equal(out.len, 1000);
    buf_release(&out);
    buf_release(&gz);
    free((void *)zeros.ptr);
}

/* ---- limits ------------------------------------------------------------ */

static void too_many(void **state)
{
    struct buf xml, list;

    (void)state;
    buf_init(&xml, 16 << 20);
    buf_init(&list, 16 << 20);
    buf_put(&xml, STR("<urlset>"));
    for (unsigned i = 0; i < SITEMAP_ENTRIES_MAX; i++) {
        buf_printf(&xml, "<url><loc>http://a/%u</loc></url>", i);
        buf_printf(&list, "http://a/%u\n", i);
    }
    size_t xml_len = xml.len, list_len = list.len;
    buf_put(&xml, STR("</urlset>"));
    check(buf_str(&xml), SITEMAP_URLSET, SITEMAP_WHOLE, SITEMAP_ENTRIES_MAX);
    check(buf_str(&list), SITEMAP_TEXT, SITEMAP_WHOLE, SITEMAP_ENTRIES_MAX);

    xml.len = xml_len;
    buf_put(&xml, STR("<url><loc>http://a/</loc></url></urlset>"));
    check(buf_str(&xml), SITEMAP_URLSET, SITEMAP_FULL, SITEMAP_ENTRIES_MAX);
    list.len = list_len;
    buf_put(&list, STR("http://a/"));
    check(buf_str(&list), SITEMAP_TEXT, SITEMAP_FULL, SITEMAP_ENTRIES_MAX);
    buf_release(&xml);
    buf_release(&list);
}

static void too_large(void **state)
{
    static const struct {
        struct str begin, end;
        enum sitemap_form form;
    } forms[] = {
        {STR_INIT("<urlset><url><loc>http://a/1</loc></url>"),
         STR_INIT("<url><loc>http://a/2</loc></url></urlset>"), SITEMAP_URLSET},
        {STR_INIT("http://a/1\n"), STR_INIT("\nhttp://a/2"), SITEMAP_TEXT},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
        struct buf body;

        buf_init(&body, SITEMAP_BYTES_MAX + 1);
        buf_put(&body, forms[i].begin);
        size_t len = SITEMAP_BYTES_MAX - body.len - forms[i].end.len;
        memset(buf_reserve(&body, len), ' ', len);
        body.len += len;
        buf_put(&body, forms[i].end);
        assert_int_equal(body.len, SITEMAP_BYTES_MAX);
        check(buf_str(&body), forms[i].form, SITEMAP_WHOLE, 2);
        buf_put_char(&body, '\n');
        memmove(body.ptr + forms[i].begin.len + 1,
                body.ptr + forms[i].begin.len,
                body.len - forms[i].begin.len - 1);
        body.ptr[forms[i].begin.len] = ' ';
        check(buf_str(&body), forms[i].form, SITEMAP_TOO_LARGE, i == 0 ? 2 : 1);
        buf_release(&body);
    }
}

static void too_long(void **state)
{
    struct sitemap sitemap;
    struct arena arena;
    struct buf xml;

    (void)state;
    arena_init(&arena);
    buf_init(&xml, 1 << 20);
    buf_printf(&xml,
               "<urlset><url><loc>http://a/%0*d</loc></url>"
               "<url><loc>http://a/%0*d</loc></url>"
               "<url><loc>http://a/%0*d</loc></url>"
               "<url><loc>\n%*s http://a/%0*d \n</loc></url></urlset>",
               URL_LEN_MAX - 9, 0, URL_LEN_MAX - 8, 0, 3 * URL_LEN_MAX, 0,
               URL_LEN_MAX * 3, "", URL_LEN_MAX - 9, 1);
    sitemap_read(&sitemap, &arena, buf_str(&xml));
    assert_int_equal(sitemap.end, SITEMAP_WHOLE);
    assert_int_equal(sitemap.count, 2);
    assert_int_equal(sitemap.entry[0].loc.len, URL_LEN_MAX);
    assert_int_equal(sitemap.entry[1].loc.ptr[URL_LEN_MAX - 1], '1');
    buf_release(&xml);
    arena_release(&arena);
}

static void too_deep(void **state)
{
    struct buf xml;

    (void)state;
    buf_init(&xml, 32 << 20);
    buf_put(&xml, STR("<urlset><url><loc>http://a/1</loc></url>"));
    for (unsigned i = 0; i < 1000000; i++)
        buf_put(&xml, STR("<x>"));
    check(buf_str(&xml), SITEMAP_URLSET, SITEMAP_REFUSED, 1);
    buf_release(&xml);
}

/* Names are kept by the parser: there is an end to the memory for them. So it
 * is with a tag of very many attributes, or a very long one. */
static void too_much_memory(void **state)
{
    struct buf xml;

    (void)state;
    buf_init(&xml, 48 << 20);
    buf_put(&xml, STR("<urlset><url><loc>http://a/1</loc></url>"));
    size_t len = xml.len;
    for (unsigned i = 0; i < 1000000; i++)
        buf_printf(&xml, "<x%u/>", i);
    buf_put(&xml, STR("</urlset>"));
    check(buf_str(&xml), SITEMAP_URLSET, SITEMAP_CUT, 1);

    xml.len = len;
    buf_put(&xml, STR("<x"));
    for (unsigned i = 0; i < 1000000; i++)
        buf_printf(&xml, " x%u=''", i);
    buf_put(&xml, STR("></x></urlset>"));
    check(buf_str(&xml), SITEMAP_URLSET, SITEMAP_CUT, 1);

    xml.len = len;
    buf_put(&xml, STR("<!--"));
    memset(buf_reserve(&xml, 32 << 20), 'x', 32 << 20);
    xml.len += 32 << 20;
    buf_put(&xml, STR("--></urlset>"));
    check(buf_str(&xml), SITEMAP_URLSET, SITEMAP_CUT, 1);
    buf_release(&xml);
}

/* Entities in entities: refused at the first. */
static void billion_laughs(void **state)
{
    struct buf xml;

    (void)state;
    buf_init(&xml, 1 << 20);
    buf_put(&xml, STR("<!DOCTYPE urlset [<!ENTITY e0 \"http://a/\">"));
    for (unsigned i = 1; i < 30; i++) {
        buf_printf(&xml, "<!ENTITY e%u \"", i);
        for (unsigned copy = 0; copy < 10; copy++)
            buf_printf(&xml, "&e%u;", i - 1);
        buf_put(&xml, STR("\">"));
    }
    buf_put(&xml, STR("]><urlset><url><loc>&e29;</loc></url></urlset>"));
    check(buf_str(&xml), SITEMAP_NONE, SITEMAP_REFUSED, 0);
    buf_release(&xml);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents),       cmocka_unit_test(cut_anywhere),
        cmocka_unit_test(members),         cmocka_unit_test(half_a_line),
        cmocka_unit_test(once_only),       cmocka_unit_test(bomb),
        cmocka_unit_test(too_many),        cmocka_unit_test(too_large),
        cmocka_unit_test(too_long),        cmocka_unit_test(too_deep),
        cmocka_unit_test(too_much_memory), cmocka_unit_test(billion_laughs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
