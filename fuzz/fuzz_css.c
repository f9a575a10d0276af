/* The URLs of a stylesheet, and the candidates of a srcset. The first byte says
 * whether the text is that of a style attribute. */
#include "fuzz.h"

#include "web/css.h"

static void check_css(struct str text, enum css_place place)
{
    struct arena arena;
    struct css css;
    struct str url;
    size_t count = 0;

    arena_init(&arena);
    css_init(&css, &arena, text, place);
    while (css_next(&css, &url)) {
        count++;
        /* The longest of an escape is three bytes of two. */
        assert(url.len <= 3 * text.len);
    }
    assert(count <= text.len);
    assert(!css_next(&css, &url));
    arena_release(&arena);
}

static void check_srcset(struct str text)
{
    struct srcset srcset = srcset_of(text);
    struct str url;
    size_t sum = 0;

    while (srcset_next(&srcset, &url)) {
        assert(url.len && fuzz_is_inside(url, text));
        sum += url.len;
    }
    assert(sum <= text.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    struct str text = fuzz_input(data + 1, size - 1);
    check_css(text, data[0] & 1 ? CSS_ATTRIBUTE : CSS_SHEET);
    check_srcset(text);
    return 0;
}
