#include "cli/arguments.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "cli/option_table.h"
#include "web/url.h"

static bool hide(char *text, size_t len)
{
    memset(text, '*', len);
    return len > 0;
}

static bool hide_login(char *word)
{
    struct str login = login_find(str_of(word));

    return login.len && hide(word + (login.ptr - word), login.len);
}

/* The value of the option that a word names: inside of the word, its end where
 * it is the next word, or NULL if it has none. */
static char *find_value(char *word, const struct option_row **row)
{
    if (word[1] == '-') {
        char *value = strchr(word, '=');
        *row = option_row_of(word + 2);
        return value ? value + 1 : word + strlen(word);
    }
    for (char *letter = word + 1; *letter; letter++)
        for (size_t i = 0; i < option_count; i++)
            if (option_table[i].letter == *letter &&
                option_table[i].type != OPTION_FLAG) {
                *row = &option_table[i];
                return letter + 1;
            }
    return NULL;
}

static bool hide_secrets(int argc, char *argv[])
{
    bool found = false, options_end = false;

    for (int i = 1; i < argc; i++) {
        const struct option_row *row = NULL;
        char *value = NULL;

        if (!strcmp(argv[i], "--"))
            options_end = true;
        if (!options_end && argv[i][0] == '-')
            value = find_value(argv[i], &row);
        if (!value || !row || !row->is_secret)
            found |= hide_login(argv[i]);
        else if (*value)
            found |= hide(value, strlen(value));
        else if (++i < argc)
            found |= hide(argv[i], strlen(argv[i]));
    }
    return found;
}

/* --- a copy ------------------------------------------------------------- */

enum { TEXT_MAX = 64 << 20 }; /* the kernel takes much less */

/* The number of a memfd with the words, each with a zero byte behind it. Its
 * seals show that it is no other file. */
static const char variable[] = "CRAWLER_ARGUMENTS_FD";
enum { SEALS = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE };

static bool take_over(struct buf *text)
{
    const char *value = getenv(variable);
    uint64_t fd;

    if (!value || !str_to_u64(str_of(value), &fd) || fd > INT32_MAX ||
        fcntl((int)fd, F_GET_SEALS) != SEALS)
        return false;
    unsetenv(variable);
    bool good =
        io_read_all((int)fd, text) && str_ends(buf_str(text), STR("\0"));
    close((int)fd);
    return good;
}

static void copy_words(struct arguments *arguments, int argc, char *argv[])
{
    struct buf *text = &arguments->text;
    size_t at = 0;

    buf_init(text, TEXT_MAX);
    if (!take_over(text)) {
        buf_clear(text);
        for (int i = 0; i < argc; i++)
            buf_put(text, (struct str){argv[i], strlen(argv[i]) + 1});
    }
    arguments->count = 0;
    for (at = 0; at < text->len; at += strlen(text->ptr + at) + 1)
        arguments->count++;
    arguments->words =
        mem_array((size_t)arguments->count + 1, sizeof(*arguments->words));
    at = 0;
    for (int i = 0; i < arguments->count; i++) {
        arguments->words[i] = text->ptr + at;
        at += strlen(text->ptr + at) + 1;
    }
}

void arguments_take(struct arguments *arguments, int argc, char *argv[])
{
    copy_words(arguments, argc, argv);
    arguments->shown = argv;
    bool had_secret = hide_secrets(argc, argv);
    /* The leak checks of the sanitizers look into the process from another. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    if (had_secret)
        prctl(PR_SET_DUMPABLE, 0);
#else
    (void)had_secret;
#endif
}

void arguments_release(struct arguments *arguments)
{
    free(arguments->words);
    buf_release(&arguments->text);
}

/* --- once more ---------------------------------------------------------- */

static void put_word(struct buf *out, const char *word, struct str part,
                     struct str now)
{
    struct str rest = {word, strlen(word) + 1};

    if (part.len && part.ptr >= word && part.ptr < word + rest.len) {
        buf_put(out, str_between(word, part.ptr));
        buf_put(out, now);
        rest = str_skip(rest, (size_t)(part.ptr - word) + part.len);
    }
    buf_put(out, rest);
}

/* A memfd with the words, or -1. */
static int hand_over(const struct arguments *arguments, struct str part,
                     struct str now)
{
    struct buf text;

    buf_init(&text, TEXT_MAX);
    for (int i = 0; i < arguments->count; i++)
        put_word(&text, arguments->words[i], part, now);
    struct iovec all = {text.ptr, text.len};
    int fd = memfd_create("arguments", MFD_ALLOW_SEALING);
    if (fd >= 0 && (!io_write_all(fd, &all, 1) || lseek(fd, 0, SEEK_SET) ||
                    fcntl(fd, F_ADD_SEALS, SEALS))) {
        io_close(fd);
        fd = -1;
    }
    buf_release(&text);
    return fd;
}

void arguments_start_again(const struct arguments *arguments, struct str part,
                           struct str now)
{
    int fd = hand_over(arguments, part, now);
    char value[24];

    if (fd < 0)
        return;
    snprintf(value, sizeof(value), "%d", fd);
    if (!setenv(variable, value, 1))
        execv("/proc/self/exe", arguments->shown);
    io_close(fd);
}
