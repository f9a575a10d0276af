// URLs of real pages, spoiled: url_parse against Node's URL.
//
//     node spoiled_urls.mjs LIST_URLS COUNT SEED FOLDER...
//
// The references are those of pages below the folders and a list of odd ones.
// Prints one TAP line without a number and the first differences. What may
// differ is in explanation(), and is counted; between Node and us the standard's
// reference implementation (whatwg-url) decides.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { oneOf, pagesBelow, randomOf, spoil } from './corpus.mjs';

const [listUrls, count, seed, ...folders] = process.argv.slice(2);
const random = randomOf(Number(seed));
const reference = createRequire(`${process.env.MODULES}/`)('whatwg-url');
const SHOWN_MAX = 20;
const BATCH = 5000;

// The pieces that URLs are made of, and what makes parsers stumble.
const dictionary = [
    ...'/\\?#@:;.%&=+-_~![]{}|^`<>"\' \t\r\n\0', '//', '///', '\\\\', '..',
    '../', './', '%2e', '%2E%2e', '.%2e/', '%', '%%', '%4', '%41', '%zz',
    '%00', '%0a', '%7f', '%c3%bc', '\u00fc', '\u20ac', '\u{1f600}', '\ufeff',
    '\u00ad', '\u200d', '\u3002', '\uff0e', '\uff21', '\u00df', '\u0130',
    'http:', 'https:', 'HTTP://', 'http:/', 'http:\\\\', 'ftp://', 'file:',
    'javascript:', 'data:', 'mailto:', 'x-y+z.1:', ':80', ':443', ':0', ':00080',
    ':65535', ':65536', ':8o', ':', '@', 'user@', 'user:pass@', ':@', 'a@b@c',
    '127.0.0.1', '0x7f.1', '0177.0.0.01', '256.1', '1.2.3.4.5', '1.2.3.08',
    '4294967295', '4294967296', '0x', '1..2', '[::1]', '[1:2::3:4]',
    '[::ffff:1.2.3.4]', '[::1.2.3.256]', '[1:2:3:4:5:6:7:8:9]', '[fe80::1%25e]',
    '[', ']', 'xn--', 'xn--bcher-kva', 'xn--a', 'example.org', 'EXAMPLE.org.',
    'a b', '?', '??', '#', '#?', '?#', '&amp;', '\x7f', '\x1f', '\x80',
];
const bases = [
    'http://example.org/', 'https://user:pw@example.org:8443/a/b/c?d#e',
    'http://h/a/../b/./c', 'http://[::1]:8080/x/', 'https://1.2.3.4/a;b?c',
    'http://xn--bcher-kva.example/%7Euser/?q=%C3%BC',
];

function referencesOf(folder) {
    const found = new Set();
    for (const path of pagesBelow(folder).filter((_, i) => i % 20 === 0))
        for (const [, href] of readFileSync(path, 'latin1')
            .matchAll(/(?:href|src)\s*=\s*"([^"]*)"/g))
            found.add(Buffer.from(href, 'latin1').toString());
    return [...found];
}

// What an implementation says, in the form of list_urls; undefined where it
// refuses.
function expectedOf(Url, { text, base }) {
    let url;
    try {
        url = new Url(text, base);
    } catch {
        return undefined;
    }
    if (!/^https?:$/.test(url.protocol)) return '!';
    return url.href.slice(0, url.href.length - url.hash.length)
        .replace(/#$/, '');
}

function isSame(expected, got) {
    return expected === undefined ? got.startsWith('- ') : got === expected;
}

// Why this is not as Node has it, or undefined.
function explanation(one, expected, got) {
    const standard = expectedOf(reference.URL, one);
    if (isSame(standard, got)) return 'Node is behind the standard';
    if (got.startsWith('- ') && got.includes('long')) return 'longer than 8192';
    // Of another scheme we do not ask whether the rest would be valid.
    if (got === '!' && standard === undefined) return 'not http';
    // See web/host.h.
    if (!got.startsWith('- ')) return undefined;
    if (/xn--[^./?]{60}/.test(standard)) return 'a label of over 63 bytes';
    return undefined;
}

function compare(cases, show) {
    const chunks = [];
    for (const { text, base } of cases) {
        const [a, b] = [Buffer.from(text), Buffer.from(base)];
        chunks.push(Buffer.from(`${a.length} ${b.length}\n`), a, b);
    }
    const lines = execFileSync(listUrls, {
        input: Buffer.concat(chunks), maxBuffer: 1 << 30, encoding: 'utf8',
    }).split('\n');
    cases.forEach((one, i) => {
        const expected = expectedOf(URL, one);
        if (!isSame(expected, lines[i])) show(one, expected, lines[i]);
    });
}

const references = folders.flatMap(referencesOf);
const explained = new Map();
const differences = [];
let urls = 0;

for (let done = 0; done < Number(count); done += BATCH) {
    const cases = [];
    for (let i = done; i < Math.min(done + BATCH, Number(count)); i++) {
        const base = oneOf(random, bases);
        let text = oneOf(random, references);
        // A third of them absolute, so that hosts are spoiled too.
        if (random(3) === 0) text = `${oneOf(random, bases)}${text}`;
        if (random(8) === 0) text = `http://${oneOf(random, dictionary)}/${text}`;
        text = spoil(random, text, dictionary, (pieces) => pieces.join(''));
        cases.push({ base, text: text.toWellFormed() });
    }
    urls += cases.length;
    compare(cases, (one, expected, got) => {
        const why = explanation(one, expected, got);
        if (why) explained.set(why, (explained.get(why) ?? 0) + 1);
        else differences.push(`${JSON.stringify(one)}: expected ` +
            `${expected}, got ${JSON.stringify(got)}`);
    });
}

// An explanation for everything explains nothing.
const explainedTimes = [...explained.values()].reduce((a, b) => a + b, 0);
const isOk = differences.length === 0 && explainedTimes <= 0.03 * urls &&
    urls === Number(count);
console.log(`${isOk ? 'ok' : 'not ok'} - ${urls} spoiled URLs as Node has them ` +
    `(seed ${seed})`);
for (const [why, times] of explained) console.log(`# differs ${times} times: ${why}`);
for (const line of differences.slice(0, SHOWN_MAX)) console.log(`# ${line}`);
if (!isOk) console.log(`# ${differences.length} differences`);
