// Real pages, and how to spoil them: the same way again for the same seed.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

export function pagesBelow(root) {
    return readdirSync(root, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && /\.html?$/.test(entry.name))
        .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
        .sort();
}

// Numbers from 0 to n - 1, by xorshift.
export function randomOf(seed) {
    let state = (seed * 2654435761 + 1) >>> 0 || 1;
    return (n) => {
        state ^= state << 13;
        state ^= state >>> 17;
        state ^= state << 5;
        state >>>= 0;
        return state % n;
    };
}

export function oneOf(random, list) {
    return list[random(list.length)];
}

// One to four changes: words of the dictionary put in or written over what
// there is, and pieces that are left out, said twice or moved. `text` is
// anything with slice; `join` makes one of pieces of it.
export function spoil(random, text, dictionary, join) {
    for (let n = 1 + random(4); n > 0; n--) {
        const at = random(text.length + 1);
        const len = random(Math.min(text.length - at, 24) + 1);
        const before = text.slice(0, at);
        const piece = text.slice(at, at + len);
        const after = text.slice(at + len);
        switch (random(6)) {
        case 0: text = join([before, after]); break;
        case 1: text = join([before, piece, piece, after]); break;
        case 2: text = join([before, oneOf(random, dictionary), after]); break;
        case 3: text = join([piece, before, after]); break;
        default:
            text = join([before, oneOf(random, dictionary), piece, after]);
        }
    }
    return text;
}
