#include "archive/wacz.h"

#include <assert.h>
#include <errno.h>
#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "archive/digest.h"
#include "archive/zip.h"
#include "base/date.h"
#include "base/json.h"
#include "base/mem.h"

#define INDEX_NAME  "index.cdx.gz"
#define EXTRA_PAGES "pages/extraPages.jsonl"

enum {
    COPY_BYTES = 256 << 10,
    LISTS_MAX = 256 << 20, /* pages.jsonl, index.idx, datapackage.json */
    BLOCK_MAX = 256 << 20,
    PAGE_MAX = 1 << 20,
    INDEX_LEVEL = 6,
    NAME_LEN_MAX = 256,
};

/* So that the list needs no Zip64. */
#define EXTRA_PAGES_MAX UINT64_C(0xFFFFFFFE)

/* Lines of the index that become one gzip member. */
struct block {
    struct buf lines;
    unsigned count;
    size_t prefix_len; /* of its first line, up to the JSON */
};

struct wacz {
    struct wacz_options options;
    struct zip_writer *zip;
    struct cdxj_sorter *sorter;
    struct libdeflate_compressor *compressor;
    struct buf main_url;
    uint64_t main_date_ms;
    /* The entry that is being written. */
    struct digest digest;
    bool is_open;
    uint64_t entry_len;
    /* Pages. */
    struct buf first_pages, extra_pages, line;
    uint64_t page_count;
    bool has_extra;
    /* The index. */
    struct block block;
    struct buf packed, idx;
    struct buf resources; /* of datapackage.json */
};

struct wacz *wacz_new(int fd, const struct wacz_options *options)
{
    struct zip_writer *zip = zip_writer_new(fd);

    if (!zip)
        return NULL;
    struct wacz *wacz = NEW(struct wacz);
    wacz->options = *options;
    if (!wacz->options.block_lines)
        wacz->options.block_lines = WACZ_BLOCK_LINES;
    wacz->zip = zip;
    wacz->compressor = mem_checked(libdeflate_alloc_compressor(INDEX_LEVEL));
    buf_init(&wacz->main_url, PAGE_MAX);
    buf_init(&wacz->first_pages, LISTS_MAX);
    buf_init(&wacz->extra_pages, COPY_BYTES + PAGE_MAX);
    buf_init(&wacz->line, PAGE_MAX);
    buf_init(&wacz->block.lines, BLOCK_MAX);
    buf_init(&wacz->packed, BLOCK_MAX);
    buf_init(&wacz->idx, LISTS_MAX);
    buf_init(&wacz->resources, LISTS_MAX);
    wacz->sorter = cdxj_sorter_new();
    if (wacz->sorter)
        return wacz;
    wacz_free(wacz);
    errno = ENOSPC;
    return NULL;
}

void wacz_free(struct wacz *wacz)
{
    char text[DIGEST_TEXT_MAX + 1];

    if (!wacz)
        return;
    if (wacz->is_open)
        digest_end(&wacz->digest, text);
    zip_writer_free(wacz->zip);
    cdxj_sorter_free(wacz->sorter);
    libdeflate_free_compressor(wacz->compressor);
    buf_release(&wacz->main_url);
    buf_release(&wacz->first_pages);
    buf_release(&wacz->extra_pages);
    buf_release(&wacz->line);
    buf_release(&wacz->block.lines);
    buf_release(&wacz->packed);
    buf_release(&wacz->idx);
    buf_release(&wacz->resources);
    free(wacz);
}

/* --- files of the package ------------------------------------------------- */

/* An entry of datapackage.json. */
static bool add_resource(struct wacz *wacz, const char *path, uint64_t length,
                         const char *digest)
{
    const char *slash = strrchr(path, '/');
    struct buf *out = &wacz->resources;

    if (out->len)
        buf_put_char(out, ',');
    buf_put_char(out, '{');
    json_add_str(out, "name", str_of(slash ? slash + 1 : path));
    json_add_str(out, "path", str_of(path));
    json_add_str(out, "hash", str_of(digest));
    json_add_number(out, "bytes", length);
    if (buf_put_char(out, '}'))
        return true;
    errno = EFBIG;
    return false;
}

static bool begin_entry(struct wacz *wacz, const char *path,
                        uint64_t length_max)
{
    assert(!wacz->is_open);
    digest_begin(&wacz->digest, DIGEST_SHA256);
    wacz->is_open = true;
    wacz->entry_len = 0;
    return zip_begin(wacz->zip, path, length_max, wacz->options.now_ms);
}

static bool add_bytes(struct wacz *wacz, struct str bytes)
{
    digest_add(&wacz->digest, bytes);
    wacz->entry_len += bytes.len;
    return zip_add(wacz->zip, bytes);
}

static bool end_entry(struct wacz *wacz, const char *path)
{
    char digest[DIGEST_TEXT_MAX + 1];

    wacz->is_open = false;
    digest_end(&wacz->digest, digest);
    return zip_end(wacz->zip) &&
           add_resource(wacz, path, wacz->entry_len, digest);
}

/* A whole file, as a resource or not. */
static bool put_entry(struct wacz *wacz, const char *path, struct str bytes,
                      bool is_resource)
{
    char digest[DIGEST_TEXT_MAX + 1];

    digest_text(DIGEST_SHA256, bytes, digest);
    return zip_put(wacz->zip, path, bytes, wacz->options.now_ms) &&
           (!is_resource || add_resource(wacz, path, bytes.len, digest));
}

/* --- pages ---------------------------------------------------------------- */

static const char *list_head(bool is_extra)
{
    return is_extra ? "{\"format\":\"json-pages-1.0\",\"id\":\"extra-pages\","
                      "\"title\":\"More pages\"}\n"
                    : "{\"format\":\"json-pages-1.0\",\"id\":\"pages\","
                      "\"title\":\"Pages\"}\n";
}

static bool put_page(struct buf *out, const struct wacz_page *page)
{
    char id[24];

    buf_clear(out);
    buf_put_char(out, '{');
    if (page->number) {
        snprintf(id, sizeof(id), "%llu", (unsigned long long)page->number);
        json_add_str(out, "id", str_of(id));
    }
    json_add_str(out, "url", page->url);
    if (page->title.len)
        json_add_str(out, "title", page->title);
    json_add_str(out, "ts", str_of(date_iso(page->date_ms).text));
    if (page->has_depth)
        json_add_number(out, "depth", page->depth);
    return buf_put(out, STR("}\n"));
}

/* Write the lines that wait. Beyond EXTRA_PAGES_MAX no reader would load the
 * list. */
static bool flush_extra_pages(struct wacz *wacz)
{
    struct str lines = buf_str(&wacz->extra_pages);

    buf_clear(&wacz->extra_pages);
    return wacz->entry_len + lines.len > EXTRA_PAGES_MAX ||
           add_bytes(wacz, lines);
}

static bool put_extra_page(struct wacz *wacz)
{
    struct buf *lines = &wacz->extra_pages;

    if (!wacz->has_extra) {
        wacz->has_extra = true;
        buf_put(lines, str_of(list_head(true)));
        if (!begin_entry(wacz, EXTRA_PAGES, EXTRA_PAGES_MAX))
            return false;
    }
    return buf_put(lines, buf_str(&wacz->line)) &&
           (lines->len < COPY_BYTES || flush_extra_pages(wacz));
}

bool wacz_add_page(struct wacz *wacz, const struct wacz_page *page)
{
    uint64_t place = wacz->page_count++;
    bool is_first =
        place < WACZ_FIRST_PAGES || (page->is_seed && place < WACZ_FIRST_SEEDS);

    if (!place) {
        buf_put(&wacz->main_url, page->url);
        wacz->main_date_ms = page->date_ms;
        buf_put(&wacz->first_pages, str_of(list_head(false)));
    }
    errno = EFBIG;
    if (!put_page(&wacz->line, page))
        return false;
    return is_first ? buf_put(&wacz->first_pages, buf_str(&wacz->line))
                    : put_extra_page(wacz);
}

static bool end_pages(struct wacz *wacz)
{
    return !wacz->has_extra || !wacz->is_open ||
           (flush_extra_pages(wacz) && end_entry(wacz, EXTRA_PAGES));
}

/* --- WARC files ----------------------------------------------------------- */

static bool copy(struct wacz *wacz, int fd, uint64_t at, uint64_t length,
                 char *room)
{
    while (length) {
        ssize_t n = pread(fd, room, length < COPY_BYTES ? length : COPY_BYTES,
                          (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            errno = ENODATA; /* it was cut while it was read */
        if (n <= 0 || !add_bytes(wacz, (struct str){room, (size_t)n}))
            return false;
        at += (uint64_t)n;
        length -= (uint64_t)n;
    }
    return true;
}

static bool put_path(char path[NAME_LEN_MAX + 16], const char *name)
{
    if (strlen(name) > NAME_LEN_MAX) {
        errno = ENAMETOOLONG;
        return false;
    }
    snprintf(path, NAME_LEN_MAX + 16, "archive/%s", name);
    return true;
}

bool wacz_begin_file(struct wacz *wacz, const char *name, uint64_t length_max)
{
    char path[NAME_LEN_MAX + 16];

    return put_path(path, name) && end_pages(wacz) &&
           begin_entry(wacz, path, length_max);
}

bool wacz_copy(struct wacz *wacz, int fd, uint64_t at, uint64_t length)
{
    char *room = mem_new(COPY_BYTES);
    bool good = copy(wacz, fd, at, length, room);

    free(room);
    return good;
}

bool wacz_end_file(struct wacz *wacz, const char *name)
{
    char path[NAME_LEN_MAX + 16];

    return put_path(path, name) && end_entry(wacz, path);
}

bool wacz_add_file(struct wacz *wacz, const char *name, int fd, uint64_t length)
{
    return wacz_begin_file(wacz, name, length) &&
           wacz_copy(wacz, fd, 0, length) && wacz_end_file(wacz, name);
}

/* --- the index ------------------------------------------------------------ */

bool wacz_add_capture(struct wacz *wacz, const struct cdxj_entry *entry)
{
    return cdxj_sorter_add(wacz->sorter, entry);
}

/* Pack the block; the line about it has the key and date of its first line. */
static bool end_block(struct wacz *wacz)
{
    struct block *block = &wacz->block;
    size_t bound =
        libdeflate_gzip_compress_bound(wacz->compressor, block->lines.len);
    char digest[DIGEST_TEXT_MAX + 1];

    if (!block->count)
        return true;
    buf_clear(&wacz->packed);
    errno = EFBIG;
    char *to = buf_reserve(&wacz->packed, bound);
    if (!to)
        return false;
    struct str packed = {
        to, libdeflate_gzip_compress(wacz->compressor, block->lines.ptr,
                                     block->lines.len, to, bound)};
    digest_text(DIGEST_SHA256, packed, digest);
    bool fits =
        buf_put(&wacz->idx,
                str_first(buf_str(&block->lines), block->prefix_len)) &&
        buf_printf(&wacz->idx,
                   "{\"offset\":%llu,\"length\":%zu,\"digest\":\"%s\","
                   "\"filename\":\"" INDEX_NAME "\"}\n",
                   (unsigned long long)wacz->entry_len, packed.len, digest);
    buf_clear(&block->lines);
    block->count = 0;
    return fits && add_bytes(wacz, packed);
}

static bool add_line(void *user, struct str line)
{
    struct wacz *wacz = user;
    struct block *block = &wacz->block;

    if (!block->count) {
        size_t key_len = str_find(line, ' ') + 1;
        block->prefix_len =
            key_len + str_find(str_skip(line, key_len), ' ') + 1;
    }
    errno = EFBIG;
    if (!buf_put(&block->lines, line))
        return false;
    return ++block->count < wacz->options.block_lines || end_block(wacz);
}

static bool put_index(struct wacz *wacz)
{
    static const char path[] = "indexes/" INDEX_NAME;
    /* What gzip may add to lines that it cannot make shorter. */
    uint64_t length = cdxj_sorter_bytes(wacz->sorter);
    uint64_t length_max =
        length + length / 8 + 64 * cdxj_sorter_lines(wacz->sorter);

    buf_put(&wacz->idx, STR("!meta 0 {\"format\": \"cdxj-gzip-1.0\", "
                            "\"filename\": \"" INDEX_NAME "\"}\n"));
    errno = ENOSPC;
    return begin_entry(wacz, path, length_max) &&
           cdxj_sorter_each(wacz->sorter, add_line, wacz) && end_block(wacz) &&
           end_entry(wacz, path) &&
           put_entry(wacz, "indexes/index.idx", buf_str(&wacz->idx), true);
}

/* --- the end -------------------------------------------------------------- */

static bool put_description(struct wacz *wacz)
{
    char digest[DIGEST_TEXT_MAX + 1];
    struct buf *out = &wacz->idx; /* its bytes are written */

    buf_clear(out);
    buf_put_char(out, '{');
    json_add_str(out, "profile", STR("data-package"));
    json_add_str(out, "wacz_version", STR("1.1.1"));
    json_add_str(out, "software", str_of(wacz->options.software));
    json_add_str(out, "created", str_of(date_iso(wacz->options.now_ms).text));
    if (wacz->page_count) {
        json_add_str(out, "mainPageUrl", buf_str(&wacz->main_url));
        json_add_str(out, "mainPageDate",
                     str_of(date_iso(wacz->main_date_ms).text));
    }
    json_open_array(out, "resources");
    errno = EFBIG;
    if (!buf_put(out, buf_str(&wacz->resources)) || !buf_put(out, STR("]}\n")))
        return false;
    digest_text(DIGEST_SHA256, buf_str(out), digest);
    if (!put_entry(wacz, "datapackage.json", buf_str(out), false))
        return false;
    buf_clear(out);
    buf_put_char(out, '{');
    json_add_str(out, "path", STR("datapackage.json"));
    json_add_str(out, "hash", str_of(digest));
    buf_put(out, STR("}\n"));
    return put_entry(wacz, "datapackage-digest.json", buf_str(out), false);
}

bool wacz_finish(struct wacz *wacz)
{
    if (!wacz->page_count)
        buf_put(&wacz->first_pages, str_of(list_head(false)));
    return end_pages(wacz) &&
           put_entry(wacz, "pages/pages.jsonl", buf_str(&wacz->first_pages),
                     true) &&
           put_index(wacz) && put_description(wacz) && zip_finish(wacz->zip);
}
