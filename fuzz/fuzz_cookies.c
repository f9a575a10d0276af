/* Set-Cookie headers and lines of cookie files, one a line; each is given to
 * one jar from several hosts. What is sent is no other header, and a file that
 * is written is read again. */
#include "fuzz.h"

#include "page/cookies.h"

enum { NOW = 1700000000 };

static struct url parse(struct arena *arena, const char *text)
{
    struct url url;
    enum err err = url_parse(&url, arena, str_of(text), NULL, NULL);

    assert(!err);
    (void)err;
    return url;
}

static void check_sent(struct cookies *jar, const struct url *url)
{
    struct buf out;

    buf_init(&out, COOKIE_HEADER_MAX);
    cookies_put(jar, url, NOW, &out);
    for (size_t i = 0; i < out.len; i++)
        assert(out.ptr[i] != '\r' && out.ptr[i] != '\n' && out.ptr[i]);
    buf_release(&out);
}

static void check_file(struct cookies *jar, struct cookies *again)
{
    struct buf file;
    size_t lines = 0;

    buf_init(&file, 16 << 20);
    cookies_put_file(jar, NOW, &file);
    for (struct str rest = buf_str(&file); rest.len;) {
        struct str_pair cut = str_cut(rest, '\n');
        bool good = cookies_take_line(again, cut.head, NOW);
        assert(good);
        (void)good;
        rest = cut.tail;
        lines++;
    }
    assert(lines <= COOKIES_MAX + 1); /* the first says what it is */
    buf_release(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct domains *domains;
    struct str rest = fuzz_input(data, size);
    struct arena arena;

    if (!domains)
        domains = domains_new();
    arena_init(&arena);
    struct url urls[] = {
        parse(&arena, "http://www.example.org/a/b"),
        parse(&arena, "https://example.org/"),
        parse(&arena, "http://a.co.uk/"),
        parse(&arena, "http://127.0.0.1/"),
    };
    struct cookies *jar = cookies_new(domains, 1);
    struct cookies *again = cookies_new(domains, 1);
    for (size_t i = 0; rest.len; i++) {
        struct str_pair cut = str_cut(rest, '\n');
        cookies_take(jar, &urls[i % ARRAY_LEN(urls)], cut.head, NOW);
        cookies_take_line(jar, cut.head, NOW);
        rest = cut.tail;
    }
    for (size_t i = 0; i < ARRAY_LEN(urls); i++)
        check_sent(jar, &urls[i]);
    check_file(jar, again);
    cookies_free(jar);
    cookies_free(again);
    arena_release(&arena);
    return 0;
}
