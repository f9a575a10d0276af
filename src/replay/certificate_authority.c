#include "replay/certificate_authority.h"

#include <arpa/inet.h>
#include <limits.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hashtable.h"
#include "base/mem.h"

enum {
    NAME_MAX_LEN = 253,
    KEPT_MAX = 1000, /* certificates of hosts */
    DAY_S = 24 * 3600,
    LIFE_S = 365 * DAY_S, /* browsers refuse more than 398 days */
};

#define ROOT_NAME "crawler serve " /* a number follows */

struct certificate_authority {
    EVP_PKEY *key;
    X509 *certificate;
    struct str pem; /* in `pem_bytes` */
    BIO *pem_bytes;
    EVP_PKEY *host_key; /* of all hosts */
    SSL_CTX *context;
    uint64_t seed;
    struct hashtable kept; /* X509 by the lower-case name */
};

/* --- certificates -------------------------------------------------------- */

static bool add_extension(X509 *certificate, X509 *issuer, int nid,
                          const char *value)
{
    X509V3_CTX context;

    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
    bool good = extension && X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
    return good;
}

static bool set_serial(X509 *certificate)
{
    unsigned char bytes[8];

    if (RAND_bytes(bytes, sizeof(bytes)) != 1)
        return false;
    bytes[0] = (bytes[0] & 0x7f) | 0x40; /* positive, without leading zeros */
    BIGNUM *number = BN_bin2bn(bytes, sizeof(bytes), NULL);
    bool good = number &&
                BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate));
    BN_free(number);
    return good;
}

/* A certificate for a year, without extensions. The clock of a client may be
 * behind ours by a day. */
static X509 *new_certificate(EVP_PKEY *key, const char *name, X509 *issuer)
{
    X509 *certificate = X509_new();

    if (!certificate)
        return NULL;
    X509_NAME *subject = X509_get_subject_name(certificate);
    bool good =
        X509_set_version(certificate, X509_VERSION_3) &&
        set_serial(certificate) &&
        X509_gmtime_adj(X509_getm_notBefore(certificate), -DAY_S) &&
        X509_gmtime_adj(X509_getm_notAfter(certificate), LIFE_S) &&
        X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                                   (const unsigned char *)name, -1, -1, 0) &&
        X509_set_issuer_name(certificate, issuer ? X509_get_subject_name(issuer)
                                                 : subject) &&
        X509_set_pubkey(certificate, key);
    if (good)
        return certificate;
    X509_free(certificate);
    return NULL;
}

static X509 *new_root(EVP_PKEY *key)
{
    uint32_t number = 0;
    char name[64];

    /* Each run has its own name: a client may remember an earlier one. */
    RAND_bytes((unsigned char *)&number, sizeof(number));
    snprintf(name, sizeof(name), ROOT_NAME "%08x", number);
    X509 *root = new_certificate(key, name, NULL);
    if (root &&
        add_extension(root, root, NID_basic_constraints,
                      "critical,CA:TRUE,pathlen:0") &&
        add_extension(root, root, NID_key_usage,
                      "critical,keyCertSign,cRLSign") &&
        add_extension(root, root, NID_subject_key_identifier, "hash") &&
        X509_sign(root, key, EVP_sha256()))
        return root;
    X509_free(root);
    return NULL;
}

/* --- names --------------------------------------------------------------- */

/* The address as it stands in a certificate; 0 bytes if it is none. */
static size_t read_address(struct str host, unsigned char out[16])
{
    char text[NAME_MAX_LEN + 1];
    bool is_v6 = host.len > 2 && host.ptr[0] == '[';

    if (is_v6)
        host = (struct str){host.ptr + 1, host.len - 2};
    snprintf(text, sizeof(text), "%.*s", STR_ARGS(host));
    if (inet_pton(is_v6 ? AF_INET6 : AF_INET, text, out) != 1)
        return 0;
    return is_v6 ? 16 : 4;
}

bool certificate_authority_can_sign(struct str host)
{
    unsigned char address[16];

    if (!host.len || host.len > NAME_MAX_LEN)
        return false;
    if (host.ptr[0] == '[')
        return host.ptr[host.len - 1] == ']' && read_address(host, address);
    for (size_t i = 0; i < host.len; i++)
        if (!ascii_is_alnum(host.ptr[i]) && host.ptr[i] != '-' &&
            host.ptr[i] != '.' && host.ptr[i] != '_')
            return false;
    return true;
}

/* The name goes in as bytes, never as a text that is parsed. */
static bool add_host(X509 *certificate, struct str host)
{
    unsigned char address[16];
    size_t address_len = read_address(host, address);
    GENERAL_NAMES *names = sk_GENERAL_NAME_new_null();
    GENERAL_NAME *name = GENERAL_NAME_new();
    ASN1_STRING *value = ASN1_STRING_type_new(address_len ? V_ASN1_OCTET_STRING
                                                          : V_ASN1_IA5STRING);
    const void *bytes = address_len ? (const void *)address : host.ptr;
    int len = (int)(address_len ? address_len : host.len);
    bool good = names && name && value && ASN1_STRING_set(value, bytes, len);

    if (good) {
        GENERAL_NAME_set0_value(name, address_len ? GEN_IPADD : GEN_DNS, value);
        value = NULL;
        good = sk_GENERAL_NAME_push(names, name);
        if (good)
            name = NULL;
    }
    good = good && X509_add1_ext_i2d(certificate, NID_subject_alt_name, names,
                                     0, X509V3_ADD_DEFAULT);
    ASN1_STRING_free(value);
    GENERAL_NAME_free(name);
    GENERAL_NAMES_free(names);
    return good;
}

static X509 *new_leaf(const struct certificate_authority *authority,
                      struct str host)
{
    X509 *root = authority->certificate;
    X509 *leaf = new_certificate(authority->host_key, "recorded host", root);

    if (leaf && add_host(leaf, host) &&
        add_extension(leaf, root, NID_basic_constraints, "critical,CA:FALSE") &&
        add_extension(leaf, root, NID_key_usage, "critical,digitalSignature") &&
        add_extension(leaf, root, NID_ext_key_usage, "serverAuth") &&
        add_extension(leaf, root, NID_authority_key_identifier, "keyid") &&
        X509_sign(leaf, authority->key, EVP_sha256()))
        return leaf;
    X509_free(leaf);
    return NULL;
}

/* --- the authority ------------------------------------------------------- */

static SSL_CTX *new_context(void)
{
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());

    if (!context)
        return NULL;
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET |
                                     SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_num_tickets(context, 0);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE |
                                  SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                  SSL_MODE_RELEASE_BUFFERS);
    return context;
}

static bool write_pem(struct certificate_authority *authority)
{
    char *bytes = NULL;

    authority->pem_bytes = BIO_new(BIO_s_mem());
    if (!authority->pem_bytes ||
        !PEM_write_bio_X509(authority->pem_bytes, authority->certificate))
        return false;
    long len = BIO_get_mem_data(authority->pem_bytes, &bytes);
    authority->pem = (struct str){bytes, (size_t)len};
    return true;
}

static bool set_up(struct certificate_authority *authority)
{
    return (authority->key = EVP_EC_gen("P-256")) &&
           (authority->host_key = EVP_EC_gen("P-256")) &&
           (authority->certificate = new_root(authority->key)) &&
           write_pem(authority) && (authority->context = new_context()) &&
           RAND_bytes((unsigned char *)&authority->seed,
                      sizeof(authority->seed)) == 1;
}

struct certificate_authority *certificate_authority_new(void)
{
    struct certificate_authority *authority = NEW(struct certificate_authority);

    hashtable_init(&authority->kept);
    if (set_up(authority))
        return authority;
    certificate_authority_free(authority);
    return NULL;
}

static void forget_hosts(struct certificate_authority *authority)
{
    X509 *certificate;
    size_t at = 0;

    while ((certificate = hashtable_next(&authority->kept, &at)))
        X509_free(certificate);
    hashtable_release(&authority->kept);
    hashtable_init(&authority->kept);
}

void certificate_authority_free(struct certificate_authority *authority)
{
    if (!authority)
        return;
    forget_hosts(authority);
    hashtable_release(&authority->kept);
    SSL_CTX_free(authority->context);
    BIO_free(authority->pem_bytes);
    X509_free(authority->certificate);
    EVP_PKEY_free(authority->host_key);
    EVP_PKEY_free(authority->key);
    free(authority);
}

struct str
certificate_authority_pem(const struct certificate_authority *authority)
{
    return authority->pem;
}

static bool has_root_name(X509 *certificate)
{
    char name[64];

    return X509_NAME_get_text_by_NID(X509_get_subject_name(certificate),
                                     NID_commonName, name, sizeof(name)) > 0 &&
           str_starts(str_of(name), STR(ROOT_NAME)) &&
           X509_self_signed(certificate, 1) == 1;
}

/* Written again it must give the same bytes: so there is nothing beside it. */
bool certificate_authority_made(struct str pem)
{
    struct certificate_authority read = {0};
    BIO *in =
        pem.len <= INT_MAX ? BIO_new_mem_buf(pem.ptr, (int)pem.len) : NULL;

    read.certificate = in ? PEM_read_bio_X509(in, NULL, NULL, NULL) : NULL;
    bool good = read.certificate && has_root_name(read.certificate) &&
                write_pem(&read) && str_eq(read.pem, pem);
    BIO_free(read.pem_bytes);
    BIO_free(in);
    X509_free(read.certificate);
    ERR_clear_error();
    return good;
}

/* Where the table is full all are forgotten: it costs less than a list of who
 * was used last, and connections hold their own. */
static X509 *certificate_of(struct certificate_authority *authority,
                            struct str host)
{
    char lower[NAME_MAX_LEN];

    for (size_t i = 0; i < host.len; i++)
        lower[i] = ascii_lower(host.ptr[i]);
    host.ptr = lower;
    uint64_t key = hash64(host, authority->seed);
    X509 *certificate = hashtable_get(&authority->kept, key);
    if (certificate)
        return certificate;
    if (authority->kept.count >= KEPT_MAX)
        forget_hosts(authority);
    certificate = new_leaf(authority, host);
    if (certificate)
        hashtable_put(&authority->kept, key, certificate);
    return certificate;
}

SSL *certificate_authority_accept(struct certificate_authority *authority,
                                  struct str host, int fd)
{
    ERR_clear_error();
    if (!certificate_authority_can_sign(host))
        return NULL;
    X509 *certificate = certificate_of(authority, host);
    SSL *ssl = certificate ? SSL_new(authority->context) : NULL;
    if (ssl && SSL_use_certificate(ssl, certificate) == 1 &&
        SSL_use_PrivateKey(ssl, authority->host_key) == 1 &&
        SSL_set_fd(ssl, fd) == 1) {
        SSL_set_accept_state(ssl);
        return ssl;
    }
    SSL_free(ssl);
    return NULL;
}
