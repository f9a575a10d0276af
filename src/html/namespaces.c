#include "html/namespaces.h"

static enum xml_namespace find_prefix(const struct namespaces *namespaces,
                                      struct str prefix)
{
    for (size_t i = namespaces->count; i > 0; i--) {
        const struct namespace_binding *binding = &namespaces->binding[i - 1];
        struct str known = {binding->prefix, binding->prefix_len};

        if (str_eq(known, prefix))
            return binding->namespace;
    }
    return NAMESPACE_OTHER;
}

static enum xml_namespace namespace_of(const char *uri)
{
    static const struct {
        const char *uri;
        enum xml_namespace namespace;
    } known[] = {
        {"http://www.w3.org/1999/xhtml", NAMESPACE_HTML},
        {"http://www.w3.org/2000/svg", NAMESPACE_SVG},
        {"http://www.w3.org/1999/xlink", NAMESPACE_XLINK},
    };

    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (!strcmp(uri, known[i].uri))
            return known[i].namespace;
    return NAMESPACE_OTHER;
}

/* What changes nothing needs no room, and so no declaration of a namespace
 * that does not count, unless its prefix had a meaning before. */
static bool bind(struct namespaces *namespaces, unsigned depth,
                 struct str prefix, enum xml_namespace namespace)
{
    if (prefix.len > NAMESPACE_PREFIX_MAX ||
        find_prefix(namespaces, prefix) == namespace)
        return true;
    if (namespaces->count == NAMESPACES_MAX)
        return false;

    struct namespace_binding *binding =
        &namespaces->binding[namespaces->count++];
    binding->depth = depth;
    binding->namespace = namespace;
    binding->prefix_len = (uint8_t)prefix.len;
    memcpy(binding->prefix, prefix.ptr, prefix.len);
    return true;
}

bool namespaces_start(struct namespaces *namespaces, unsigned depth,
                      const char **attrs)
{
    for (; attrs[0]; attrs += 2) {
        struct str name = str_of(attrs[0]);

        if (!str_starts(name, STR("xmlns")))
            continue;
        struct str prefix = str_skip(name, strlen("xmlns"));
        if (str_starts(prefix, STR(":")))
            prefix = str_skip(prefix, 1);
        else if (prefix.len)
            continue;
        if (!bind(namespaces, depth, prefix, namespace_of(attrs[1])))
            return false;
    }
    return true;
}

void namespaces_end(struct namespaces *namespaces, unsigned depth)
{
    while (namespaces->count &&
           namespaces->binding[namespaces->count - 1].depth >= depth)
        namespaces->count--;
}

struct xml_name namespaces_name(const struct namespaces *namespaces,
                                struct str name)
{
    size_t colon = str_find(name, ':');
    bool has_prefix = colon > 0 && colon < name.len;

    return (struct xml_name){
        .namespace =
            find_prefix(namespaces, str_first(name, has_prefix ? colon : 0)),
        .has_prefix = has_prefix,
        .local = has_prefix ? str_skip(name, colon + 1) : name,
    };
}
