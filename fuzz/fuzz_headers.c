/* Values of headers and of meta elements that speak to robots. The input is
 * the value. */
#include "fuzz.h"

#include "page/robots_tag.h"
#include "web/html.h"

struct flags {
    bool noindex, nofollow, noarchive;
};

static struct flags read_tag(struct str value)
{
    struct flags flags = {0};

    robots_tag_read(value, STR("mybot"), &flags.noindex, &flags.nofollow,
                    &flags.noarchive);
    return flags;
}

/* Without names of agents each rule stands for itself. */
static void check_tag(struct str value)
{
    struct flags whole = read_tag(value), parts = {0};

    if (str_find(value, ':') < value.len)
        return;
    while (value.len) {
        struct str_pair cut = str_cut(value, ',');
        struct flags part = read_tag(cut.head);

        parts.noindex |= part.noindex;
        parts.nofollow |= part.nofollow;
        parts.noarchive |= part.noarchive;
        value = cut.tail;
    }
    assert(whole.noindex == parts.noindex);
    assert(whole.nofollow == parts.nofollow);
    assert(whole.noarchive == parts.noarchive);
}

/* A flag that is set stays set. */
static void check_flags_stay(struct str value)
{
    bool noindex = true, nofollow = true, noarchive = true;

    robots_tag_read(value, STR("mybot"), &noindex, &nofollow, &noarchive);
    assert(noindex && nofollow && noarchive);
    html_robots_rules(value, &noindex, &nofollow, &noarchive);
    assert(noindex && nofollow && noarchive);
}

/* A token is had where it stands between blanks or ends. */
static void check_rel(struct str rel)
{
    static const struct str token = STR_INIT("nofollow");
    bool found = false;

    for (size_t i = 0; i + token.len <= rel.len; i++) {
        size_t end = i + token.len;
        if (str_eq_nocase(str_first(str_skip(rel, i), token.len), token) &&
            (i == 0 || ascii_is_space(rel.ptr[i - 1])) &&
            (end == rel.len || ascii_is_space(rel.ptr[end])))
            found = true;
    }
    assert(rel_has(rel, token) == found);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str value = fuzz_input(data, size);

    check_tag(value);
    check_flags_stay(value);
    check_rel(value);
    assert(fuzz_is_inside(html_refresh_url(value), value));
    return 0;
}
