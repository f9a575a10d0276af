// What the scripts share: a tab in the light or in the dark, wide or narrow,
// and axe-core on what it shows.
import { createRequire } from "node:module";

import { launch } from "../archive/browser.mjs";

const require = createRequire(process.env.MODULES + "/");
const axe = require.resolve("axe-core/axe.min.js");

export const faults = [];

export function must(holds, what) {
    if (!holds)
        faults.push(what);
}

export const start = () =>
    launch("--disable-gpu", "--disable-background-networking",
        "--disable-component-update", "--disable-sync", "--no-first-run");

// Accessibility as axe-core judges it. It is put in by the tests, past the
// policy of the page: `context` has bypassCSP.
export async function judgeAccess(tab, name) {
    await tab.addScriptTag({ path: axe });
    const { violations } = await tab.evaluate(() => axe.run(document, {
        runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    }));
    for (const { id, help, nodes } of violations)
        must(false, `${name}: ${id}: ${help}: ${nodes[0].html.slice(0, 200)}`);
}

// No part of it is cut off at the side.
export async function judgeWidth(tab, name) {
    must(await tab.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
        `${name}: wider than the window`);
}

// End with status 1 and what was wrong, or with 0.
export function end() {
    for (const fault of faults)
        console.log(fault);
    process.exit(faults.length ? 1 : 0);
}
