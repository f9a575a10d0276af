// What is in a page: as html_scan finds it (list_links.c) and as it stands in
// parse5's tree. Both are { base, links, needs }, a link being [kind, href, rel,
// text] and what a page needs being [kind, href]; of stylesheets in a page only
// html_scan has the URLs.
//
// parse5 builds the whole tree, so an element that it clones (the adoption
// agency does that) appears more than once: one of them is enough.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const parse5 = await import(
    pathToFileURL(join(process.env.MODULES, 'parse5/dist/index.js')));
const SVG = 'http://www.w3.org/2000/svg';
const HTML = 'http://www.w3.org/1999/xhtml';
const TEXT_MAX = 1000;

// ---- what html_scan finds -------------------------------------------------

function unescape(field) {
    return field.replace(/\\x(..)/g,
        (_, hex) => String.fromCharCode(parseInt(hex, 16)));
}

// What list_links prints with these arguments and this input.
export function* scannedPages(listLinks, args, input) {
    const output = execFileSync(listLinks, args, {
        input,
        maxBuffer: 1 << 30,
        encoding: 'utf8',
    });
    let page;
    for (const line of output.split('\n')) {
        const [what, ...fields] = line.split('\t').map(unescape);
        if (what === 'file') {
            if (page) yield page;
            page = { path: fields[0], charset: fields[1], links: [], needs: [] };
        } else if (what === 'link') {
            page.links.push(fields);
        } else if (what === 'need') {
            page.needs.push(fields);
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

const RELS = {
    stylesheet: 'stylesheet', icon: 'icon', 'apple-touch-icon': 'icon',
    'mask-icon': 'icon', preload: 'preload', modulepreload: 'preload',
    manifest: 'manifest',
};
const NEEDS = {
    img: [['image', 'src'], ['image', 'srcset']],
    source: [['media', 'src'], ['image', 'srcset']],
    video: [['media', 'src'], ['image', 'poster']],
    audio: [['media', 'src']],
    track: [['media', 'src']],
    script: [['script', 'src']],
    embed: [['object', 'src']],
    object: [['object', 'data']],
    iframe: [['frame', 'src']],
    frame: [['frame', 'src']],
    body: [['image', 'background']],
    table: [['image', 'background']],
    tr: [['image', 'background']],
    td: [['image', 'background']],
    th: [['image', 'background']],
};

// What an element needs by its attributes, but not by its style.
function needsOf(node) {
    const attr = (name) => node.attrs.find((a) => a.name === name)?.value ?? '';
    const needs = [];
    const add = (kind, href) => {
        if (href.trim() && !/^\s*(#|data:)/i.test(href)) needs.push([kind, href]);
    };
    const isSvg = node.namespaceURI === SVG;
    if (isSvg && ['image', 'use', 'feImage', 'script'].includes(node.tagName))
        add(node.tagName === 'script' ? 'script' : 'image', attr('href'));
    if (node.namespaceURI !== HTML) return needs;
    if (node.tagName === 'link') {
        const word = attr('rel').toLowerCase().split(/\s+/)
            .find((w) => RELS[w]);
        if (word) add(RELS[word], attr('href'));
    }
    if (node.tagName === 'input' && attr('type').toLowerCase() === 'image')
        add('image', attr('src'));
    if (node.tagName === 'iframe' && node.attrs.some((a) => a.name === 'srcdoc'))
        return needs;
    for (const [kind, name] of NEEDS[node.tagName] ?? [])
        if (name === 'srcset')
            attr(name).split(/,\s+/).forEach((one) =>
                add(kind, one.trim().split(/\s/)[0]));
        else
            add(kind, attr(name));
    return needs;
}

export function treeOf(html) {
    const page = { links: [], needs: [] };
    const found = [];
    const needed = new Map();
    const visit = (node) => {
        if (node.tagName) {
            // A clone has the place of its original, or none.
            const at = node.sourceCodeLocation?.startOffset;
            if (at !== undefined)
                for (const link of linkOf(node)) found.push({ at, link });
            if (at !== undefined) needed.set(at, needsOf(node));
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
    for (const at of [...needed.keys()].sort((a, b) => a - b))
        page.needs.push(...needed.get(at));
    return page;
}

// What windows-1252 has from 0x80 to 0x9f; Node 20 takes it for Latin-1.
const WINDOWS_1252 = '\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6' +
    '\u2030\u0160\u2039\u0152\x8d\u017d\x8f\x90\u2018\u2019\u201c\u201d' +
    '\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178';

export function decode(bytes, charset) {
    if (charset !== 'windows-1252')
        return new TextDecoder(charset).decode(bytes);
    return Buffer.from(bytes).toString('latin1').replace(/[\x80-\x9f]/g,
        (c) => WINDOWS_1252[c.charCodeAt(0) - 0x80]);
}

// The first thing in which they differ, or undefined. Of a link `fields` count:
// all four, or three where the text does not.
export function differenceOf(tree, page, fields = 4) {
    if (tree.base !== page.base)
        return ['base', tree.base, page.base];
    for (let i = 0; i < Math.max(tree.links.length, page.links.length); i++) {
        const [a, b] = [tree, page].map(
            ({ links }) => JSON.stringify(links[i]?.slice(0, fields)));
        if (a !== b) return [`link ${i}`, tree.links[i], page.links[i]];
    }
    return undefined;
}
