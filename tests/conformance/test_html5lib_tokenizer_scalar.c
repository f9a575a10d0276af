/* The tokenizer cases of html5lib once more, with the tokenizer as it is
 * built for processors without SSE2. What is linked is this copy: the
 * library's own is not pulled in when its symbols are there already. */
#define HTML_SCALAR

#include "web/delimiters.c"
#include "web/tokenizer.c"

#include "conformance/test_html5lib_tokenizer.c"
