#include "view/view_internal.h"

/* The page is a file of its own (page.html); the assembler puts it here. */
__asm__(".section .rodata\n"
        ".globl view_page_bytes\n"
        "view_page_bytes:\n"
        ".incbin \"src/view/page.html\"\n"
        ".globl view_page_end\n"
        "view_page_end:\n"
        ".byte 0\n"
        ".text\n");

extern const char view_page_bytes[], view_page_end[];

struct str view_page_html(void)
{
    return str_between(view_page_bytes, view_page_end);
}
