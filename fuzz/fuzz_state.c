/* The state file itself, with some bytes changed: it is read or refused, never
 * obeyed. The input is a list of changes: two bytes of offset, one of value. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/hashtable.h"
#include "store/store.h"

static char dir[64], path[80], name[80];
static struct buf whole; /* a good file */

static const struct store_code codes_of_two[] = {
    {"accept", URL_QUEUED},
    {"other", URL_REFUSED},
};
static const struct store_codes codes = {codes_of_two, codes_of_two, 2, 2};

static void put_rows(struct store_batch *batch)
{
    struct str url = STR("http://www.a.example:81/page");
    const struct store_seed seed = {url, true};
    const struct store_url row = {
        .number = 1,
        .url = url,
        .host = {url.ptr + 7, 17},
        .domain = {url.ptr + 11, 9},
    };
    const struct store_fetch fetch = {
        .number = 1,
        .page = 1,
        .status = 200,
        .mime = STR("text/html"),
    };
    const struct store_robots robots = {
        .host = row.host,
        .url = url,
        .text = STR("User-agent: *\nDisallow: /x\n"),
    };
    const struct store_host host = {.name = row.host, .failures = 1};
    const struct store_domain domain = {row.domain, 3};
    const struct store_link link = {.page = 1, .url = url, .text = STR("t")};

    store_add_setting(batch,
                      &(struct store_setting){STR("state"), STR("running")});
    store_add_seed(batch, &seed);
    store_add_url(batch, &row);
    store_add_fetch(batch, &fetch);
    store_add_robots(batch, &robots);
    store_add_host(batch, &host);
    store_add_domain(batch, &domain);
    store_add_link(batch, &link);
}

static void remove_file(void)
{
    unlink(path);
    rmdir(dir);
}

static void make_file(void)
{
    struct store_error error;
    struct store_batch batch;
    char block[4096];
    size_t len;

    snprintf(dir, sizeof(dir), "/tmp/fuzz-state-%ld", (long)getpid());
    snprintf(path, sizeof(path), "%s/.crawler", dir);
    snprintf(name, sizeof(name), "sqlite:%s", dir);
    assert(!mkdir(dir, 0700));
    atexit(remove_file);
    store_batch_init(&batch);
    put_rows(&batch);
    struct store *store =
        store_create(name, &codes, &batch, STORE_AT_ONCE, &error);
    assert(store);
    store_close(store);
    store_batch_release(&batch);
    buf_init(&whole, 1 << 20);
    FILE *file = fopen(path, "r");
    assert(file);
    while ((len = fread(block, 1, sizeof(block), file)))
        buf_put(&whole, (struct str){block, len});
    fclose(file);
}

/* Every byte of it can be read. */
static void use(struct str text)
{
    assert(hash64(text, 0) || text.len);
}

static bool on_setting(void *user, const struct store_setting *row)
{
    (void)user;
    use(row->name);
    use(row->value);
    return true;
}

static bool on_seed(void *user, const struct store_seed *row)
{
    (void)user;
    use(row->url);
    return true;
}

static bool on_url(void *user, const struct store_url *row)
{
    (void)user;
    use(row->url);
    use(row->host);
    use(row->domain);
    assert(row->number && row->url.ptr);
    return true;
}

static bool on_fetch(void *user, const struct store_fetch *row)
{
    (void)user;
    use(row->mime);
    use(row->target);
    return true;
}

static bool on_robots(void *user, const struct store_robots *row)
{
    (void)user;
    use(row->host);
    use(row->url);
    use(row->text);
    return true;
}

static bool on_link(void *user, const struct store_link *row)
{
    (void)user;
    use(row->url);
    use(row->text);
    use(row->rel);
    return true;
}

static void write_changed(const uint8_t *data, size_t size)
{
    char *copy = malloc(whole.len);
    FILE *file = fopen(path, "w");

    assert(copy && file);
    memcpy(copy, whole.ptr, whole.len);
    for (size_t i = 0; i + 2 < size; i += 3)
        copy[((size_t)data[i] << 8 | data[i + 1]) % whole.len] =
            (char)data[i + 2];
    assert(fwrite(copy, 1, whole.len, file) == whole.len);
    fclose(file);
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct store_reader reader = {
        .setting = on_setting,
        .seed = on_seed,
        .url = on_url,
        .fetch = on_fetch,
        .robots = on_robots,
        .link = on_link,
    };
    struct store_error error;

    if (!whole.len)
        make_file();
    write_changed(data, size);
    struct store *store = store_open(name, STORE_READ, &codes, &error);
    if (store)
        store_load(store, 0, &reader, &error);
    store_close(store);
    return 0;
}
