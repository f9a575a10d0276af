// The links of real pages: html_scan against parse5, link for link.
//
//     node links.mjs LIST_LINKS NAME FOLDER EVERY
//
// LIST_LINKS is the program made of list_links.c. Every EVERYth page below
// FOLDER is read by both; kind, href, rel and text of all links, in the order
// of their start tags, and the base have to be the same. Prints one TAP line
// without a number, "ok - ..." or "not ok - ...", and the first differences.
//
// parse5 builds the whole tree, so an element that it clones (the adoption
// agency does that) appears more than once: one of them is enough.
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [listLinks, name, folder, every] = process.argv.slice(2);
const parse5 = await import(
    pathToFileURL(join(process.env.MODULES, 'parse5/dist/index.js')));
const SVG = 'http://www.w3.org/2000/svg';
const HTML = 'http://www.w3.org/1999/xhtml';
const TEXT_MAX = 1000;
const SHOWN_MAX = 20;

function pagesBelow(root) {
    return readdirSync(root, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && /\.html?$/.test(entry.name))
        .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
        .sort();
}

// ---- what html_scan finds -------------------------------------------------

function unescape(field) {
    return field.replace(/\\x(..)/g,
        (_, hex) => String.fromCharCode(parseInt(hex, 16)));
}

function* scannedPages(paths) {
    const output = execFileSync(listLinks, {
        input: paths.join('\n') + '\n',
        maxBuffer: 1 << 30,
        encoding: 'utf8',
    });
    let page;
    for (const line of output.split('\n')) {
        const [what, ...fields] = line.split('\t').map(unescape);
        if (what === 'file') {
            if (page) yield page;
            page = { path: fields[0], charset: fields[1], links: [] };
        } else if (what === 'link') {
            page.links.push(fields);
        } else if (what === 'base') {
            page.base = fields[0];
        }
    }
    if (page) yield page;
}

// ---- what is in parse5's tree ---------------------------------------------

const SPACE = '[\\t\\n\\f\\r ]';

// The standard's shared declarative refresh steps.
function refreshUrl(content) {
    const time = new RegExp(`^${SPACE}*(\\d[\\d.]*|\\.[\\d.]*)`).exec(content);
    if (!time) return undefined;
    let rest = content.slice(time[0].length);
    if (!new RegExp(`^(${SPACE}|[;,])`).test(rest)) return undefined;
    rest = rest.replace(new RegExp(`^${SPACE}*[;,]?${SPACE}*`), '');
    if (!rest) return undefined;
    const label = new RegExp(`^url${SPACE}*=${SPACE}*`, 'i').exec(rest);
    if (/^u/i.test(rest) && !label) return rest;
    rest = label ? rest.slice(label[0].length) : rest;
    const quote = /^['"]/.exec(rest)?.[0];
    return quote ? rest.slice(1).split(quote)[0] : rest;
}

function textOf(node, parts = []) {
    for (const child of node.childNodes ?? []) {
        if (child.nodeName === '#text') {
            parts.push(child.value);
        } else if (child.tagName === 'a') {
            return { parts, isOver: true };
        } else if (!['script', 'style', 'iframe', 'textarea', 'title', 'xmp',
            'noembed', 'noframes', 'template'].includes(child.tagName)) {
            if (textOf(child, parts).isOver) return { parts, isOver: true };
        }
    }
    return { parts, isOver: false };
}

function foldedText(node) {
    const text = textOf(node).parts.join('')
        .replace(new RegExp(`${SPACE}+`, 'g'), ' ').replace(/^ | $/g, '');
    let bytes = Buffer.from(text);
    if (bytes.length <= TEXT_MAX) return text;
    let end = TEXT_MAX;
    while ((bytes[end] & 0xc0) === 0x80) end--;
    return bytes.subarray(0, end).toString().replace(/ $/, '');
}

function linkOf(node) {
    const attrs = new Map();
    for (const { name, prefix, value } of node.attrs)
        attrs.set(prefix ? `${prefix}:${name}` : name, value);
    const rel = attrs.get('rel') ?? '';
    const href = attrs.get('href');
    if (node.namespaceURI === SVG && node.tagName === 'a') {
        const target = href ?? attrs.get('xlink:href');
        return target === undefined ? [] : [['a', target, rel, foldedText(node)]];
    }
    if (node.namespaceURI !== HTML) return [];
    switch (node.tagName) {
    case 'a':
        return href === undefined ? [] : [['a', href, rel, foldedText(node)]];
    case 'area':
        return href === undefined ? [] : [['area', href, rel, '']];
    case 'link':
        return href === undefined || !rel.trim() ? []
            : [['link', href, rel, '']];
    case 'frame':
    case 'iframe':
        return attrs.get('src') ? [[node.tagName, attrs.get('src'), '', '']]
            : [];
    case 'meta': {
        const url = /^refresh$/i.test(attrs.get('http-equiv') ?? '')
            ? refreshUrl(attrs.get('content') ?? '') : undefined;
        return url === undefined ? [] : [['refresh', url, '', '']];
    }
    default:
        return [];
    }
}

function treeOf(html) {
    const page = { links: [] };
    const found = [];
    const visit = (node) => {
        if (node.tagName) {
            // A clone has the place of its original, or none.
            const at = node.sourceCodeLocation?.startOffset;
            if (at !== undefined)
                for (const link of linkOf(node)) found.push({ at, link });
            if (node.tagName === 'base' && node.namespaceURI === HTML)
                page.base ??= node.attrs.find((a) => a.name === 'href')?.value;
        }
        for (const child of node.childNodes ?? []) visit(child);
    };
    visit(parse5.parse(html,
        { scriptingEnabled: false, sourceCodeLocationInfo: true }));

    const starts = new Set();
    found.sort((a, b) => a.at - b.at);
    for (const { at, link } of found) {
        if (!starts.has(at)) page.links.push(link);
        starts.add(at);
    }
    return page;
}

// ---- comparison -----------------------------------------------------------

const paths = pagesBelow(folder).filter((_, i) => i % Number(every) === 0);
let pages = 0;
let links = 0;
const differences = [];

function differ(page, what, expected, got) {
    differences.push(`${page.path}: ${what}: expected ` +
        `${JSON.stringify(expected)}, got ${JSON.stringify(got)}`);
}

for (const page of scannedPages(paths)) {
    const html = new TextDecoder(page.charset)
        .decode(readFileSync(page.path));
    const tree = treeOf(html);
    pages++;
    links += tree.links.length;
    if (tree.base !== page.base) differ(page, 'base', tree.base, page.base);
    for (let i = 0; i < Math.max(tree.links.length, page.links.length); i++) {
        const expected = JSON.stringify(tree.links[i]);
        if (expected !== JSON.stringify(page.links[i])) {
            differ(page, `link ${i}`, tree.links[i], page.links[i]);
            break;
        }
    }
}

const summary = `${name}: ${links} links of ${pages} pages as parse5 has them`;
const isOk = differences.length === 0 && pages === paths.length && links > 0;
console.log(`${isOk ? 'ok' : 'not ok'} - ${summary}`);
for (const line of differences.slice(0, SHOWN_MAX)) console.log(`# ${line}`);
if (!isOk) console.log(`# ${differences.length} differences`);
