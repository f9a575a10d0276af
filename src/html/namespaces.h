/* The namespaces of XML that decide whether an element gives a link.
 *
 *     namespaces_start(&namespaces, depth, attrs);
 *     struct xml_name name = namespaces_name(&namespaces, STR("svg:a"));
 *     name.namespace == NAMESPACE_SVG, name.local is "a"
 *     ...
 *     namespaces_end(&namespaces, depth);
 *
 * A prefix that nothing declares is no error: the element is of no namespace
 * that counts. (So has Chromium it, which ends a page only at an attribute
 * with one; Firefox ends it at both.)
 */
#ifndef HTML_NAMESPACES_H
#define HTML_NAMESPACES_H

#include "base/str.h"

enum xml_namespace {
    NAMESPACE_OTHER,
    NAMESPACE_HTML,
    NAMESPACE_SVG,
    NAMESPACE_XLINK,
};

enum { NAMESPACE_PREFIX_MAX = 23, NAMESPACES_MAX = 64 };

/* A prefix that has another meaning from this depth on. */
struct namespace_binding {
    unsigned depth;
    enum xml_namespace namespace;
    uint8_t prefix_len; /* 0: names without a prefix */
    char prefix[NAMESPACE_PREFIX_MAX];
};

struct namespaces {
    size_t count;
    struct namespace_binding binding[NAMESPACES_MAX]; /* outermost first */
};

struct xml_name {
    enum xml_namespace namespace; /* of an attribute only with a prefix */
    bool has_prefix;
    struct str local;
};

static inline void namespaces_init(struct namespaces *namespaces)
{
    namespaces->count = 0;
}

/* An element of this depth begins, with attributes as expat gives them: name,
 * value, ..., NULL. False if that nests more bindings than there is room. */
bool namespaces_start(struct namespaces *namespaces, unsigned depth,
                      const char **attrs);
void namespaces_end(struct namespaces *namespaces, unsigned depth);

struct xml_name namespaces_name(const struct namespaces *namespaces,
                                struct str name);

#endif
