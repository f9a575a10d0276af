#include "html/xml.h"

#include <assert.h>
#include <stdalign.h>
#include <stdlib.h>

#include "base/mem.h"

/* The parser copies what it is given, and reads what has no end yet again with
 * every piece: so the pieces of a large document grow. */
enum { FIRST_PIECE_LEN = 64 * 1024, PIECE_MAX_LEN = 1 << 20 };

/* The bytes that the parser may still allocate. The functions that expat asks
 * for memory get no argument to keep this in, so every thread has its own. */
static _Thread_local size_t xml_bytes_left;

struct xml_block {
    size_t size;
    alignas(max_align_t) char bytes[];
};

static struct xml_block *block_of(void *bytes)
{
    return (struct xml_block *)((char *)bytes -
                                offsetof(struct xml_block, bytes));
}

static void *xml_resize(void *bytes, size_t size)
{
    struct xml_block *block = bytes ? block_of(bytes) : NULL;
    size_t left = xml_bytes_left + (block ? block->size : 0);

    if (size > left)
        return NULL;
    block = mem_resize(block, sizeof(*block) + size);
    block->size = size;
    xml_bytes_left = left - size;
    return block->bytes;
}

static void *xml_new(size_t size)
{
    return xml_resize(NULL, size);
}

static void xml_free(void *bytes)
{
    if (!bytes)
        return;
    xml_bytes_left += block_of(bytes)->size;
    free(block_of(bytes));
}

XML_Parser xml_parser_new(const char *encoding)
{
    static const XML_Memory_Handling_Suite memory = {xml_new, xml_resize,
                                                     xml_free};

    xml_bytes_left = XML_BYTES_MAX;
    XML_Parser parser = XML_ParserCreate_MM(encoding, &memory, NULL);
    assert(parser);
    return parser;
}

void xml_parser_free(XML_Parser parser)
{
    XML_ParserFree(parser);
}

bool xml_parse(XML_Parser parser, struct str document)
{
    size_t max_len = FIRST_PIECE_LEN;

    do {
        struct str piece = str_first(document, max_len);

        document = str_skip(document, piece.len);
        if (XML_Parse(parser, piece.ptr, (int)piece.len, document.len == 0) !=
            XML_STATUS_OK)
            return false;
        if (max_len < PIECE_MAX_LEN)
            max_len *= 2;
    } while (document.len);
    return true;
}
