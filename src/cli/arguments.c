#include "cli/arguments.h"

#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/arena.h"
#include "base/mem.h"
#include "cli/option_table.h"
#include "url/login.h"

static bool hide(char *text)
{
    size_t len = strlen(text);

    memset(text, '*', len);
    return len > 0;
}

/* login_hide has three dots in the place of a login. */
static bool hide_login(char *word)
{
    struct arena arena;
    size_t len = strlen(word), before = 0, behind = 0;

    arena_init(&arena);
    const char *shown = login_hide(&arena, word);
    size_t shown_len = strlen(shown);
    bool found = shown != word;
    if (found) {
        while (before < len && before < shown_len &&
               word[before] == shown[before] &&
               strncmp(shown + before, "...", 3))
            before++;
        while (behind < len - before && behind < shown_len - before &&
               word[len - 1 - behind] == shown[shown_len - 1 - behind] &&
               word[len - 1 - behind] != '@')
            behind++;
        memset(word + before, '*', len - before - behind);
    }
    arena_release(&arena);
    return found;
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
            found |= hide(value);
        else if (i + 1 < argc)
            found |= hide(argv[++i]);
    }
    return found;
}

char **arguments_take(int argc, char *argv[])
{
    char **words = mem_array((size_t)argc + 1, sizeof(*words));

    for (int i = 0; i < argc; i++)
        words[i] = mem_checked(strdup(argv[i]));
    bool had_secret = hide_secrets(argc, argv);
    /* The leak checks of the sanitizers look into the process from another. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    if (had_secret)
        prctl(PR_SET_DUMPABLE, 0);
#else
    (void)had_secret;
#endif
    return words;
}

void arguments_free(char **words)
{
    for (char **word = words; *word; word++)
        free(*word);
    free(words);
}
