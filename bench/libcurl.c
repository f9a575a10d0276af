/* The limit: a bare libcurl multi loop that fetches a list of URLs and throws
 * them away. No links, no files, no checks: what a crawler on libcurl could
 * cost at least.
 *
 *     bench/libcurl URLS AT_ONCE     (a file of URLs, one a line)
 *
 * Prints how many came with status 200, and how many bytes.
 */
#include <curl/curl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { URL_MAX = 4096, AT_ONCE_MAX = 256, WAIT_MS = 1000 };

struct tally {
    unsigned long pages, bytes;
};

static size_t throw_away(char *bytes, size_t size, size_t count, void *user)
{
    struct tally *tally = user;

    (void)bytes;
    tally->bytes += size * count;
    return size * count;
}

/* Aim the handle at the next URL of the list; false at its end. */
static bool add_next(CURLM *multi, CURL *easy, FILE *list)
{
    char url[URL_MAX];

    if (!fgets(url, sizeof(url), list))
        return false;
    url[strcspn(url, "\n")] = '\0';
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_multi_add_handle(multi, easy);
    return true;
}

static unsigned collect(CURLM *multi, FILE *list, struct tally *tally)
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

static void fetch_all(CURL *const easy[], unsigned at_once, FILE *list,
                      struct tally *tally)
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

int main(int argc, char *argv[])
{
    FILE *list = argc == 3 ? fopen(argv[1], "r") : NULL;
    unsigned at_once = list ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
    struct tally tally = {0};
    CURL *easy[AT_ONCE_MAX];

    if (!at_once || at_once > AT_ONCE_MAX) {
        fprintf(stderr, "usage: libcurl URLS AT_ONCE\n");
        return 2;
    }
    curl_global_init(CURL_GLOBAL_DEFAULT);
    for (unsigned i = 0; i < at_once; i++) {
        easy[i] = curl_easy_init();
        curl_easy_setopt(easy[i], CURLOPT_WRITEFUNCTION, throw_away);
        curl_easy_setopt(easy[i], CURLOPT_WRITEDATA, &tally);
        curl_easy_setopt(easy[i], CURLOPT_NOSIGNAL, 1L);
    }
    fetch_all(easy, at_once, list, &tally);
    for (unsigned i = 0; i < at_once; i++)
        curl_easy_cleanup(easy[i]);
    curl_global_cleanup();
    fclose(list);
    printf("%lu pages %lu bytes\n", tally.pages, tally.bytes);
    return 0;
}
