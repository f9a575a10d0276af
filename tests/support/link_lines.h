/* Links as text, for tests of the scanners. */
#ifndef TESTS_SUPPORT_LINK_LINES_H
#define TESTS_SUPPORT_LINK_LINES_H

#include "web/html.h"

/* One line for each link: "a x.html", with " rel=..." and " text=..." where
 * there is one. */
static inline void link_lines_put(struct buf *out,
                                  const struct html_links *links)
{
    for (size_t i = 0; i < links->count; i++) {
        const struct html_link *link = &links->link[i];

        buf_printf(out, "%s%s %.*s", i ? "\n" : "",
                   html_link_kind_name(link->kind), (int)link->href.len,
                   link->href.ptr);
        if (link->rel.len)
            buf_printf(out, " rel=%.*s", (int)link->rel.len, link->rel.ptr);
        if (link->text.len)
            buf_printf(out, " text=%.*s", (int)link->text.len, link->text.ptr);
    }
}

#endif
