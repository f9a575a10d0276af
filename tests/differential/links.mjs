// The links of real pages: html_scan against parse5, link for link.
//
//     node links.mjs LIST_LINKS NAME FOLDER EVERY [--xhtml]
//
// LIST_LINKS is the program made of list_links.c. Every EVERYth page below
// FOLDER is read by both; kind, href, rel and text of all links, in the order
// of their start tags, kind and href of the requisites, and the base have to be
// the same. With --xhtml ours reads
// them as XML, which for pages that are both makes no difference. Prints one TAP line
// without a number, "ok - ..." or "not ok - ...", and the first differences.
import { readFileSync } from 'node:fs';
import { pagesBelow } from './corpus.mjs';
import { decode, differenceOf, scannedPages, treeOf } from './page.mjs';

const [listLinks, name, folder, every, ...args] = process.argv.slice(2);
const SHOWN_MAX = 20;

const paths = pagesBelow(folder).filter((_, i) => i % Number(every) === 0);
let pages = 0;
let links = 0;
let needs = 0;
const differences = [];

for (const page of scannedPages(listLinks, args, paths.join('\n') + '\n')) {
    const tree = treeOf(decode(readFileSync(page.path), page.charset));
    pages++;
    links += tree.links.length;
    needs += tree.needs.length;
    const [what, expected, got] = differenceOf(tree, page) ??
        needsDifferenceOf(tree, page) ?? [];
    if (what)
        differences.push(`${page.path}: ${what}: expected ` +
            `${JSON.stringify(expected)}, got ${JSON.stringify(got)}`);
}

// Not compared for spoiled pages: what is in a select, for one, needs a tree.
function needsDifferenceOf(tree, page) {
    const got = page.needs.filter(([kind]) => kind !== 'css');
    for (let i = 0; i < Math.max(got.length, tree.needs.length); i++)
        if (JSON.stringify(got[i]) !== JSON.stringify(tree.needs[i]))
            return [`requisite ${i}`, tree.needs[i], got[i]];
    return undefined;
}

const how = args.length ? ' as XML' : '';
const summary = `${name}${how}: ${links} links and ${needs} ` +
    `requisites of ${pages} pages as parse5 has them`;
const isOk = differences.length === 0 && pages === paths.length && links > 0 &&
    needs > 0;
console.log(`${isOk ? 'ok' : 'not ok'} - ${summary}`);
for (const line of differences.slice(0, SHOWN_MAX)) console.log(`# ${line}`);
if (!isOk) console.log(`# ${differences.length} differences`);
