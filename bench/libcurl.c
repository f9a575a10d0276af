/* The limit: a bare libcurl multi loop that fetches a list of URLs and throws
 * them away. No links, no files, no checks: what a crawler on libcurl could
 * cost at least.
 *
 *     bench/libcurl URLS AT_ONCE [ROW]     (a file of URLs, one a line)
 *
 * With ROW that many lines that follow each other are fetched one after the
 * other, not at the same time: a host's, so that it has one connection.
 * Certificates are those of the system, parsed once.
 *
 * Prints how many came with status 200, and how many bytes.
 */
#include <curl/curl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { URL_MAX = 4096, AT_ONCE_MAX = 256, ROW_MAX = 16, WAIT_MS = 1000 };

struct tally {
    unsigned long pages, bytes;
};

struct list {
    FILE *file;
    unsigned row;
};

static size_t throw_away(char *bytes, size_t size, size_t count, void *user)
{
    struct tally *tally = user;

    (void)bytes;
    tally->bytes += size * count;
    return size * count;
}

/* The lines that a handle fetches one after the other. */
struct row {
    char url[ROW_MAX][URL_MAX];
    unsigned at, count;
};

static bool read_row(struct row *row, FILE *list, unsigned length)
{
    row->at = row->count = 0;
    while (row->count < length && fgets(row->url[row->count], URL_MAX, list)) {
        row->url[row->count][strcspn(row->url[row->count], "\n")] = '\0';
        row->count++;
    }
    return row->count > 0;
}

/* Aim the handle at the next URL; false at the end of the list. */
static bool add_next(CURLM *multi, CURL *easy, const struct list *list)
{
    struct row *row;

    curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&row);
    if (row->at == row->count && !read_row(row, list->file, list->row))
        return false;
    curl_easy_setopt(easy, CURLOPT_URL, row->url[row->at++]);
    curl_multi_add_handle(multi, easy);
    return true;
}

static unsigned collect(CURLM *multi, const struct list *list,
                        struct tally *tally)
{
    unsigned ended = 0;
    CURLMsg *message;
    int left;

    while ((message = curl_multi_info_read(multi, &left))) {
        CURL *easy = message->easy_handle;
        long status = 0;

        curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
        tally->pages += status == 200;
        curl_multi_remove_handle(multi, easy);
        if (!add_next(multi, easy, list))
            ended++;
    }
    return ended;
}

static void fetch_all(CURL *const easy[], unsigned at_once,
                      const struct list *list, struct tally *tally)
{
    CURLM *multi = curl_multi_init();
    unsigned busy = 0;
    int running;

    while (busy < at_once && add_next(multi, easy[busy], list))
        busy++;
    while (busy) {
        curl_multi_perform(multi, &running);
        busy -= collect(multi, list, tally);
        if (busy)
            curl_multi_poll(multi, NULL, 0, WAIT_MS, NULL);
    }
    curl_multi_cleanup(multi);
}

static CURL *new_handle(struct tally *tally, struct row *row)
{
    CURL *easy = curl_easy_init();

    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, throw_away);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, tally);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, row);
    /* Otherwise libcurl 7.88 parses them for every connection. */
    curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
    return easy;
}

int main(int argc, char *argv[])
{
    struct list list = {.row = 1};
    unsigned at_once = 0;
    struct tally tally = {0};
    CURL *easy[AT_ONCE_MAX];

    if (argc == 3 || argc == 4) {
        list.file = fopen(argv[1], "r");
        at_once = (unsigned)strtoul(argv[2], NULL, 10);
        list.row = argc == 4 ? (unsigned)strtoul(argv[3], NULL, 10) : 1;
    }
    if (!list.file || !at_once || at_once > AT_ONCE_MAX || !list.row ||
        list.row > ROW_MAX) {
        fprintf(stderr, "usage: libcurl URLS AT_ONCE [ROW]\n");
        return 2;
    }
    struct row *rows = calloc(at_once, sizeof(*rows));
    if (!rows)
        return 1;
    curl_global_init(CURL_GLOBAL_DEFAULT);
    for (unsigned i = 0; i < at_once; i++)
        easy[i] = new_handle(&tally, &rows[i]);
    fetch_all(easy, at_once, &list, &tally);
    for (unsigned i = 0; i < at_once; i++)
        curl_easy_cleanup(easy[i]);
    curl_global_cleanup();
    free(rows);
    fclose(list.file);
    printf("%lu pages %lu bytes\n", tally.pages, tally.bytes);
    return 0;
}
