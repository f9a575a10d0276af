#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/commands.h"
#include "cli/recorded.h"
#include "cli/usage.h"
#include "cli/verify.h"

/* crawler verify pageDirectory: read it all again. */

enum { PER_HOST_MAX = 1000 };
static const size_t file_max = (size_t)1 << 33;

static void verify_init(struct verify *verify, struct store *store)
{
    *verify = (struct verify){
        .store = store,
        .seed = clock_mono_us(),
        .per_host = 1,
    };
    pauses_init(&verify->pauses, verify->seed);
    seen_init(&verify->page_urls);
    buf_init(&verify->file, file_max);
}

static void verify_release(struct verify *verify)
{
    free(verify->url);
    free(verify->page);
    pauses_release(&verify->pauses);
    seen_release(&verify->page_urls);
    buf_release(&verify->file);
}

/* What is read of it may be good all the same, so this is but one finding. */
static bool check_file(struct verify *verify, struct store_error *error)
{
    if (store_check(verify->store, error))
        return true;
    if (error->status != STORE_DAMAGED)
        return false;
    findings_add(&verify->findings, FINDING_RECORD, "the state is damaged: %s",
                 error->text);
    return true;
}

static int check(struct verify *verify, const char *dir_path)
{
    struct store_error error;

    if (!check_file(verify, &error) || !verify_rows(verify, &error))
        return recorded_failed(dir_path, &error);
    verify_strangers(verify);
    verify_depths(verify);
    if (verify->per_host && verify->per_host <= PER_HOST_MAX)
        pauses_check(&verify->pauses, (uint32_t)verify->per_host,
                     &verify->findings);
    if (!findings_end(&verify->findings))
        return 1;
    printf("verified: %llu pages, %llu bytes, %llu URLs, %zu hosts, all as "
           "recorded\n",
           (unsigned long long)verify->pages, (unsigned long long)verify->bytes,
           (unsigned long long)verify->urls, verify->pauses.hosts.count);
    return 0;
}

static int run(const struct options *options)
{
    int status = 0;

    if (options->argument_count != 1)
        return usage_error("verify needs one pageDirectory, not %zu arguments",
                           options->argument_count);
    const char *path = options->argument[0];
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return usage_error("%s: %s", path, strerror(errno));
    struct store *store = recorded_open(path, &status);
    if (store) {
        struct verify verify;
        verify_init(&verify, store);
        verify.dir.fd = fd;
        status = check(&verify, path);
        verify_release(&verify);
    }
    store_close(store);
    close(fd);
    return usage_flush(status);
}

int command_verify(int argc, char *const argv[])
{
    return usage_run(COMMAND_VERIFY, argc, argv, run);
}
