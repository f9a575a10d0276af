#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include <pthread.h>

#include "archive/digest.h"
#include "base/str.h"

/* Of RFC 3174 and FIPS 180-2; base32 by coreutils' basenc. */
struct digest_case {
    const char *bytes;
    const char *sha1, *sha256;
};

static const struct digest_case cases[] = {
    {"", "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
     "sha256:"
     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"abc", "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5",
     "sha256:"
     "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
     "sha1:QSMD4RA4HPJG5OVOJKQ7SUJJ4XSUM4HR",
     "sha256:"
     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
};

static void known_answers(void **state)
{
    char text[DIGEST_TEXT_MAX + 1];

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        digest_text(DIGEST_SHA1, str_of(cases[i].bytes), text);
        assert_string_equal(text, cases[i].sha1);
        digest_text(DIGEST_SHA256, str_of(cases[i].bytes), text);
        assert_string_equal(text, cases[i].sha256);
    }
}

/* More of them at once than a thread keeps contexts for, of both kinds. */
static void several_at_once_piece_by_piece(void **state)
{
    enum { AT_ONCE = 9 };
    const struct digest_case *c = &cases[2];
    struct digest digest[AT_ONCE];
    char text[DIGEST_TEXT_MAX + 1];

    (void)state;
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < AT_ONCE; i++)
            digest_begin(&digest[i], i % 2 ? DIGEST_SHA256 : DIGEST_SHA1);
        for (const char *at = c->bytes; *at; at++)
            for (int i = 0; i < AT_ONCE; i++)
                digest_add(&digest[i], (struct str){at, 1});
        for (int i = 0; i < AT_ONCE; i++) {
            digest_add(&digest[i], (struct str){0});
            digest_end(&digest[i], text);
            assert_string_equal(text, i % 2 ? c->sha256 : c->sha1);
        }
    }
}

static void *digest_all(void *user)
{
    bool *good = user;
    char text[DIGEST_TEXT_MAX + 1];

    *good = true;
    for (size_t i = 0; i < 300; i++) {
        const struct digest_case *c = &cases[i % ARRAY_LEN(cases)];

        digest_text(DIGEST_SHA1, str_of(c->bytes), text);
        *good &= str_eq(str_of(text), str_of(c->sha1));
    }
    return NULL;
}

/* What a thread keeps is freed at its end: asan would say so. */
static void threads(void **state)
{
    pthread_t thread[4];
    bool good[4];

    (void)state;
    for (int i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, digest_all, &good[i]);
    for (int i = 0; i < 4; i++) {
        pthread_join(thread[i], NULL);
        assert_true(good[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answers),
        cmocka_unit_test(several_at_once_piece_by_piece),
        cmocka_unit_test(threads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
