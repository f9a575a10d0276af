/* What all transfers of a fetcher share: the headers that are sent, and what
 * the version of libcurl needs. */
#include "page/transfer.h"

#include "page/secret.h"

/* Libcurl from 7.83 to 8.1 keeps a pointer to the last header of a handle's
 * former round, and an answer whose first header line begins with a blank, as
 * if it went on with a header, makes it write there, into freed memory. With
 * CURLOPT_HEADER these versions show each header line to the callback of the
 * body before they store it, so that such an answer can be cut in time. */
static bool must_preview_headers(void)
{
    unsigned version = curl_version_info(CURLVERSION_NOW)->version_num;

    return version >= 0x075300 && version < 0x080200;
}

/* One without a value is sent so; to libcurl that is another spelling. */
static struct curl_slist *add_header(struct curl_slist *list,
                                     const char *header)
{
    struct str_pair parts = str_cut(str_of(header), ':');
    struct buf empty;

    if (str_trim(parts.tail).len)
        return curl_slist_append(list, header);
    buf_init(&empty, parts.head.len + 2);
    buf_put(&empty, parts.head);
    buf_put_char(&empty, ';');
    list = curl_slist_append(list, buf_cstr(&empty));
    buf_release(&empty);
    return list;
}

static struct curl_slist *list_of(const char *const *items)
{
    struct curl_slist *list = NULL;

    for (; items && *items; items++)
        list = curl_slist_append(list, *items);
    return list;
}

/* Add ours unless the user has one of that name. */
static void add_default(struct transfer_setup *setup, const char *header)
{
    struct str name = str_cut(str_of(header), ':').head;

    for (const char *const *own = setup->options->headers; own && *own; own++)
        if (str_eq_nocase(str_cut(str_of(*own), ':').head, name))
            return;
    setup->headers = curl_slist_append(setup->headers, header);
    setup->public_headers = curl_slist_append(setup->public_headers, header);
}

void transfer_setup_init(struct transfer_setup *setup,
                         const struct fetch_options *options)
{
    *setup = (struct transfer_setup){
        .options = options,
        .connect_to = list_of(options->connect_to),
        .preview_headers = must_preview_headers(),
    };
    for (const char *const *own = options->headers; own && *own; own++) {
        setup->headers = add_header(setup->headers, *own);
        if (!secret_header(str_of(*own)).len)
            setup->public_headers = add_header(setup->public_headers, *own);
    }
    add_default(setup, "Accept: text/html,application/xhtml+xml,*/*;q=0.1");
    add_default(setup, "Accept-Encoding: " CODINGS_ACCEPTED);
}

void transfer_setup_release(struct transfer_setup *setup)
{
    curl_slist_free_all(setup->headers);
    curl_slist_free_all(setup->public_headers);
    curl_slist_free_all(setup->connect_to);
}
