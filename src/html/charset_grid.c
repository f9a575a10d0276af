/* The indexes of the Encoding standard, in both directions.
 *
 * Decoding needs only the generated tables. For the way back, which few pages
 * need, tables are made from them when the first character is encoded.
 */
#include <pthread.h>
#include <uchar.h>

#include "html/charset_internal.h"

// clang-format off
#include "html/charset_grid.inc"
// clang-format on

/* The bytes that may stand first, or second, in a pair: one run or two; the
 * second is all 0 where there is one. */
struct runs {
    struct {
        unsigned char first, last;
    } run[2];
};

struct grid {
    const char32_t *cells;
    size_t count;
    struct runs lead, trail;
    size_t skip, skip_end; /* cells that are only decoded */
};

#define CELLS(name) .cells = CELLS_##name, .count = ARRAY_LEN(CELLS_##name) - 1

static const struct grid grids[GRIDS] = {
    [GRID_GB18030] = {CELLS(GB18030), .lead = {{{0x81, 0xFE}}},
                      .trail = {{{0x40, 0x7E}, {0x80, 0xFE}}}},
    [GRID_BIG5] = {CELLS(BIG5), .lead = {{{0x81, 0xFE}}},
                   .trail = {{{0x40, 0x7E}, {0xA1, 0xFE}}},
                   /* the rows before A1 are Hong Kong's */
                   .skip_end = (0xA1 - 0x81) * 157},
    [GRID_EUC_KR] = {CELLS(EUC_KR), .lead = {{{0x81, 0xFE}}},
                     .trail = {{{0x41, 0xFE}}}},
    [GRID_SHIFT_JIS] = {CELLS(JIS0208), .lead = {{{0x81, 0x9F}, {0xE0, 0xFC}}},
                        .trail = {{{0x40, 0x7E}, {0x80, 0xFC}}},
                        /* NEC's copy of IBM's extensions, and private use */
                        .skip = 8272, .skip_end = 10716},
    [GRID_JIS0208] = {CELLS(JIS0208), .lead = {{{0xA1, 0xFE}}},
                      .trail = {{{0xA1, 0xFE}}}, .skip = 94 * 94,
                      .skip_end = ARRAY_LEN(CELLS_JIS0208)},
    [GRID_JIS0212] = {CELLS(JIS0212), .lead = {{{0xA1, 0xFE}}},
                      .trail = {{{0xA1, 0xFE}}}},
};

static unsigned run_len(const struct runs *runs, int i)
{
    return runs->run[i].last ? runs->run[i].last - runs->run[i].first + 1u : 0;
}

/* How many of the runs' bytes come before this one; -1 if it is none. */
static int number_of(const struct runs *runs, unsigned char byte)
{
    unsigned before = 0;

    for (int i = 0; i < 2; i++) {
        unsigned number = (unsigned)byte - runs->run[i].first;
        if (number < run_len(runs, i))
            return (int)(before + number);
        before += run_len(runs, i);
    }
    return -1;
}

static unsigned byte_of(const struct runs *runs, unsigned number)
{
    unsigned len = run_len(runs, 0);

    return number < len ? runs->run[0].first + number
                        : runs->run[1].first + number - len;
}

static unsigned row_len(const struct grid *grid)
{
    return run_len(&grid->trail, 0) + run_len(&grid->trail, 1);
}

bool charset_is_lead(enum charset_grid id, unsigned char byte)
{
    return number_of(&grids[id].lead, byte) >= 0;
}

uint32_t charset_grid_decode(enum charset_grid id, unsigned char lead,
                             unsigned char trail)
{
    const struct grid *grid = &grids[id];
    int row = number_of(&grid->lead, lead);
    int column = number_of(&grid->trail, trail);

    if (row < 0 || column < 0)
        return 0;
    size_t cell = (size_t)row * row_len(grid) + (size_t)column;
    return cell < grid->count ? grid->cells[cell] : 0;
}

/* ---- the way back ------------------------------------------------------ */

/* By character, of the planes 0 and 2: the number of its cell plus 1. */
static uint16_t cell_of[GRIDS_ENCODED][0x20000];
static pthread_once_t cell_of_once = PTHREAD_ONCE_INIT;

static size_t slot_of(uint32_t c)
{
    return c >> 16 == 2 ? 0x10000 | (c & 0xFFFF) : c >> 16 ? 0 : c;
}

/* The first of several cells with the same character counts, but for these
 * characters the standard takes the last ("index Big5 pointer"). */
static bool is_last_taken(enum charset_grid id, uint32_t c)
{
    return id == GRID_BIG5 && (c == 0x2550 || c == 0x255E || c == 0x2561 ||
                               c == 0x256A || c == 0x5341 || c == 0x5345);
}

static void fill_cell_of(void)
{
    for (int id = 0; id < GRIDS_ENCODED; id++) {
        const struct grid *grid = &grids[id];
        for (size_t i = grid->count; i-- > 0;) {
            uint32_t c = grid->cells[i];
            uint16_t *cell = &cell_of[id][slot_of(c)];
            if (c && (i < grid->skip || i >= grid->skip_end) &&
                !(*cell && is_last_taken((enum charset_grid)id, c)))
                *cell = (uint16_t)(i + 1);
        }
    }
}

unsigned charset_grid_encode(enum charset_grid id, uint32_t c)
{
    const struct grid *grid = &grids[id];

    pthread_once(&cell_of_once, fill_cell_of);
    unsigned cell = cell_of[id][slot_of(c)], row = row_len(grid);
    if (!cell || !row)
        return 0;
    return byte_of(&grid->lead, (cell - 1) / row) << 8 |
           byte_of(&grid->trail, (cell - 1) % row);
}

/* ---- the rest ---------------------------------------------------------- */

enum {
    RANGE_PRIVATE = 7457, /* stands for this one, out of order: */
    PRIVATE_USE = 0xE7C7,
    RANGE_GAP = 39420,
    RANGE_GAP_END = 189000,
    RANGE_END = 1237576,
};

uint32_t charset_range_decode(uint32_t pointer)
{
    size_t i = ARRAY_LEN(ranges) - 1;

    if ((pointer >= RANGE_GAP && pointer < RANGE_GAP_END) ||
        pointer >= RANGE_END)
        return 0;
    if (pointer == RANGE_PRIVATE)
        return PRIVATE_USE;
    while (ranges[i].pointer > pointer)
        i--;
    return ranges[i].code_point + (pointer - ranges[i].pointer);
}

uint32_t charset_range_encode(uint32_t c)
{
    size_t i = ARRAY_LEN(ranges) - 1;

    if (c == PRIVATE_USE)
        return RANGE_PRIVATE;
    while (ranges[i].code_point > c)
        i--;
    return ranges[i].pointer + (c - ranges[i].code_point);
}

bool charset_is_katakana(uint32_t c)
{
    return c >= 0xFF61 && c <= 0xFF9F;
}

uint32_t charset_full_width(uint32_t c)
{
    return charset_is_katakana(c) ? full_width_katakana[c - 0xFF61] : c;
}
