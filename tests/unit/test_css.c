#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "web/css.h"

/* All URLs, each in brackets. */
static void list_urls(struct buf *out, struct arena *arena, struct str text,
                      enum css_place place)
{
    struct css css;
    struct str url;

    css_init(&css, arena, text, place);
    while (css_next(&css, &url))
        buf_printf(out, "[%.*s]", STR_ARGS(url));
}

static void check(struct str text, enum css_place place, const char *expected)
{
    struct arena arena;
    struct buf got;

    arena_init(&arena);
    buf_init(&got, 1 << 20);
    /* In memory of its own, so that a sanitizer sees a byte read too far. */
    char *copy = malloc(text.len + !text.len);
    memcpy(copy, text.ptr, text.len);
    list_urls(&got, &arena, (struct str){copy, text.len}, place);
    if (!str_eq(buf_str(&got), str_of(expected)))
        fail_msg("%.*s\nexpected: %s\ngot:      %s", STR_ARGS(text), expected,
                 buf_cstr(&got));
    free(copy);
    buf_release(&got);
    arena_release(&arena);
}

struct row {
    const char *css, *urls;
};

static void check_rows(const struct row *rows, size_t count,
                       enum css_place place)
{
    for (size_t i = 0; i < count; i++)
        check(str_of(rows[i].css), place, rows[i].urls);
}

/* ---- url() ------------------------------------------------------------- */

static void url_functions(void **state)
{
    static const struct row rows[] = {
        {"", ""},
        {"a{b:url(x)}", "[x]"},
        {"a{b:URL(x)}", "[x]"},
        {"a{b:url( x )}", "[x]"},
        {"a{b:url(\n\tx\r\n)}", "[x]"},
        {"a{b:url()}", "[]"},
        {"a{b:url( )}", "[]"},
        {"a{b:url(\"x\")}", "[x]"},
        {"a{b:url('x')}", "[x]"},
        {"a{b:url( 'x' )}", "[x]"},
        {"a{b:url('x y')}", "[x y]"},
        {"a{b:url('x)y')}", "[x)y]"},
        {"a{b:url('x\"y')}", "[x\"y]"},
        {"a{b:url('x' crossorigin(anonymous))}c{d:url(y)}", "[x][y]"},
        {"a{b:url(x y)}c{d:url(z)}", "[z]"},
        {"a{b:url(x\"y)}c{d:url(z)}", "[z]"},
        {"a{b:url(x(y)}c{d:url(z)}", "[z]"},
        {"a{b:url(x\001y)}c{d:url(z)}", "[z]"},
        {"a{b:url(x y\\) url(v)}c{d:url(z)}", "[z]"},
        {"a{b:url(x", "[x]"},
        {"a{b:-", ""}, /* nothing behind it is read */
        {"a{b:url(", "[]"},
        {"a{b:url('x", "[x]"},
        {"a{b:url('x\\", "[x]"},
        {"a{b:url('x\\\\", "[x\\]"},
        {"a{b:url('x\ny');c:url(z)}", ""},
        {"a{b:url('x\ny);c:url(z)}", "[z]"},
        {"a{b:url(/* x */)}", ""},
        {"a{b:url(http://h/a?b#c)}", "[http://h/a?b#c]"},
        {"a{b:url(data:image/png;base64,AA==)}",
         "[data:image/png;base64,AA==]"},
        {"a{b:url(x),url(y)}", "[x][y]"},
        {"a{b:c;d:url(x);e:url(y)}f{g:url(z)}", "[x][y][z]"},
        {"@font-face{src:local('l'),url(x.woff2) format('woff2'),"
         "url(x.ttf)format(\"truetype\")}",
         "[x.woff2][x.ttf]"},
        {"@media print{a{b:url(x)}}c{d:url(y)}", "[x][y]"},
        {"a{--b:url(x)}", "[x]"},
        {"a{b:url(\xc3\xa4)}", "[\xc3\xa4]"},
        {"\xef\xbb\xbf@import 'x';", "[x]"},
        {"}a{b:url(x)}", "[x]"},
        {"a{b:(url(x)}", "[x]"},
    };

    (void)state;
    check_rows(rows, ARRAY_LEN(rows), CSS_SHEET);
    check((struct str){"a{b:url(\0)}", 11}, CSS_SHEET, "[\xef\xbf\xbd]");
}

static void escapes(void **state)
{
    static const struct row rows[] = {
        {"a{b:url(x\\)y)}", "[x)y]"},
        {"a{b:url(x\\ y)}", "[x y]"},
        {"a{b:url(x\\20y)}", "[x y]"},
        {"a{b:url(\\41 b)}", "[Ab]"},
        {"a{b:url(\\000041b)}", "[Ab]"},
        {"a{b:url(\\41\r\nb)}", "[Ab]"},
        {"a{b:url(\\e4)}", "[\xc3\xa4]"},
        {"a{b:url(\\1F600)}", "[\xf0\x9f\x98\x80]"},
        {"a{b:url(\\0)}", "[\xef\xbf\xbd]"},
        {"a{b:url(\\d800)}", "[\xef\xbf\xbd]"},
        {"a{b:url(\\110000)}", "[\xef\xbf\xbd]"},
        {"a{b:url(\\", "[\xef\xbf\xbd]"},
        {"a{b:url(x\\\ny)}c{d:url(z)}", "[z]"},
        {"a{b:url('x\\\ny')}", "[xy]"},
        {"a{b:url('x\\\r\ny')}", "[xy]"},
        {"a{b:url('x\\'y')}", "[x'y]"},
        {"a{b:url('\\41\ny')}", "[Ay]"},
        {"a{b:u\\72l(x)}", "[x]"},
        {"a{b:\\75\\72\\6c(x)}", "[x]"},
        {"@\\69mport 'x';", "[x]"},
    };

    (void)state;
    check_rows(rows, ARRAY_LEN(rows), CSS_SHEET);
}

/* What looks like a URL and is none. */
static void other_tokens(void **state)
{
    static const struct row rows[] = {
        {"a{b:myurl(x)}", ""},
        {"a{b:-url(x)}", ""},
        {"a{b:--url(x)}", ""},
        {"a{b:url-x(y)}", ""},
        {"a{b:url (x)}", ""},
        {"a{b:1url(x)}", ""},
        {"a{b:1.5url(x)}", ""},
        {"a{b:-.5url(x)}", ""},
        {"a{b:1e3url(x)}", ""},
        {"a{b:1e+3url(x)}", ""},
        {"a{b:1.url(x)}", "[x]"},
        {"a{b:+url(x)}", "[x]"},
        {"a{b:#url(x)}", ""},
        {"a{b:50%url(x)}", "[x]"},
        {"a{b:'url(x)'}", ""},
        {"a{b:\"url(x)\"}", ""},
        {"a{b:'url(x)\n;c:url(y)}", "[y]"},
        {"/*a{b:url(x)}*/c{d:url(y)}", "[y]"},
        {"/*a{b:url(x)}", ""},
        {"/**/a{b:url(x)}/***/c{/*/url(v)*/d:url(y)}", "[x][y]"},
        {"a{b:/", ""},
        {"a{b:u", ""},
        {"a[href='url(x)']{b:url(y)}", "[y]"},
        {"url(x){b:url(y)}", "[y]"},
        {"<!-- a{b:url(x)} --> c{d:url(y)}", "[x][y]"},
        {"@namespace url(http://www.w3.org/1999/xhtml);a{b:url(x)}", "[x]"},
        {"@namespace s 'http://www.w3.org/2000/svg';a{b:url(x)}", "[x]"},
        {"@supports(b:url(x)){a{b:url(y)}}", "[y]"},
        {"@-moz-document url(http://x/){a{b:url(y)}}", "[y]"},
        {"a{b:averyveryveryverylongnameurl(x)}", ""},
    };

    (void)state;
    check_rows(rows, ARRAY_LEN(rows), CSS_SHEET);
}

/* ---- @import ----------------------------------------------------------- */

static void imports(void **state)
{
    static const struct row rows[] = {
        {"@import 'x';", "[x]"},
        {"@import \"x\";", "[x]"},
        {"@IMPORT 'x'", "[x]"},
        {"@import'x';", "[x]"},
        {"@import url(x);", "[x]"},
        {"@import url('x');", "[x]"},
        {"@import/**/url(x)/**/print;", "[x]"},
        {"@import 'x' layer(a) supports(b: url(y)) screen;@import 'z';",
         "[x][z]"},
        {"@charset \"utf-8\";@import 'x';", "[x]"},
        {"@layer a, b;@import 'x';", "[x]"},
        {"@layer a{}@import 'x';", ""},
        {"<!--@import 'x';-->", "[x]"},
        {"@import 'x';a{b:c}@import 'y';", "[x]"},
        {"a{b:c}@import 'x';", ""},
        {"@media print{@import 'x';}", ""},
        {"@font-face{}@import 'x';", ""},
        {";@import 'x';", ""},
        {"@import x;@import 'y';", "[y]"},
        {"@import x 'y';", ""},
        {"@import 'x\n';@import 'y';", ""},
        {"@imports 'x';", ""},
        {"@import", ""},
        {"@", ""},
        {"@ import 'x';", ""},
    };

    (void)state;
    check_rows(rows, ARRAY_LEN(rows), CSS_SHEET);
}

/* ---- image-set() ------------------------------------------------------- */

static void image_sets(void **state)
{
    static const struct row rows[] = {
        {"a{b:image-set('x' 1x,'y' 2x)}", "[x][y]"},
        {"a{b:-webkit-image-set(url(x) 1x, \"y\" 2x)}", "[x][y]"},
        {"a{b:image-set('x' type('image/avif'), 'y' type(\"image/png\"))}",
         "[x][y]"},
        {"a{b:image-set('x' 1x);c:'y'}", "[x]"},
        {"a{b:image-set('x' 1x), 'y'}", "[x]"},
        {"a{b:cross-fade(image-set('x' 1x), 'y')}", "[x]"},
        {"a{b:image-set(url('x') 1x,'y')}", "[x][y]"},
        {"a{b:my-image-set('x' 1x)}", ""},
        {"@supports (b:image-set('x' 1x)){}", ""},
    };

    (void)state;
    check_rows(rows, ARRAY_LEN(rows), CSS_SHEET);
}

static void style_attributes(void **state)
{
    static const struct row rows[] = {
        {"background:url(x)", "[x]"},
        {"background:url(\"x\");color:red;--a:url(y)", "[x][y]"},
        {"background:image-set('x' 1x)", "[x]"},
        {"color:red", ""},
        {"@import 'x'", ""},
        {"@import url(x);b:url(y)", "[y]"},
        {"}b:url(x)", "[x]"},
        {"b:'url(x)'", ""},
    };

    (void)state;
    check_rows(rows, ARRAY_LEN(rows), CSS_ATTRIBUTE);
}

/* --- srcset -------------------------------------------------------------- */

static const struct {
    const char *value, *urls;
} rows[] = {
    {"", ""},
    {" ", ""},
    {",", ""},
    {", ,", ""},
    {"a", "[a]"},
    {" a ", "[a]"},
    {"a 1x", "[a]"},
    {"a 1x, b 2x", "[a][b]"},
    {"a 1x,b 2x", "[a][b]"},
    {"a,b", "[a,b]"},
    {"a, b", "[a][b]"},
    {"a,, b", "[a][b]"},
    {",a", "[a]"},
    {"a,", "[a]"},
    {"a ,b", "[a][b]"},
    {"a\n320w,\n\tb\n640w", "[a][b]"},
    {"data:,a 1x, b 2x", "[data:,a][b]"},
    {"a 100w 50h", "[a]"},
    {"a 50h 100w", "[a]"},
    {"a 50h", ""},
    {"a 50h, b", "[b]"},
    {"a 0w, b", "[b]"},
    {"a 00w, b", "[b]"},
    {"a -1w, b", "[b]"},
    {"a +1w, b", "[b]"},
    {"a 1.5w, b", "[b]"},
    {"a 1w 1w, b", "[b]"},
    {"a 1w 1x, b", "[b]"},
    {"a 1x 1w, b", "[b]"},
    {"a 1x 1x, b", "[b]"},
    {"a 1x 1h, b", "[b]"},
    {"a 1h 1x, b", "[b]"},
    {"a 1w 1h 1h, b", "[b]"},
    {"a 1.5x", "[a]"},
    {"a .5x", "[a]"},
    {"a 1.x, b", "[b]"},
    {"a 1e3x", "[a]"},
    {"a 1E-3x", "[a]"},
    {"a 1ex, b", "[b]"},
    {"a e3x, b", "[b]"},
    {"a 0x", "[a]"},
    {"a -0x", "[a]"},
    {"a -0.0x", "[a]"},
    {"a -1x, b", "[b]"},
    {"a x, b", "[b]"},
    {"a w, b", "[b]"},
    {"a -x, b", "[b]"},
    {"a +1x, b", "[b]"},
    {"a 1X, b", "[b]"},
    {"a huge, b", "[b]"},
    {"a 1x huge, b", "[b]"},
    {"a (1x, b 2x), c", "[c]"},
    {"a (1x, b", ""},
    {"a 1x(, b), c 2x", "[c]"},
};

static void candidates(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct srcset srcset = srcset_of(str_of(rows[i].value));
        struct str url;
        struct buf got;

        buf_init(&got, 1000);
        while (srcset_next(&srcset, &url))
            buf_printf(&got, "[%.*s]", STR_ARGS(url));
        if (!str_eq(buf_str(&got), str_of(rows[i].urls)))
            fail_msg("\"%s\": expected %s, got %s", rows[i].value, rows[i].urls,
                     buf_cstr(&got));
        buf_release(&got);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(url_functions), cmocka_unit_test(escapes),
        cmocka_unit_test(other_tokens),  cmocka_unit_test(imports),
        cmocka_unit_test(image_sets),    cmocka_unit_test(style_attributes),
        cmocka_unit_test(candidates)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
