// A headless Chromium, and what a page looks like in it.
import fs from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(process.env.MODULES + "/");
const { chromium } = require("playwright-core");

export const launch = (...args) =>
    chromium.launch({
        executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
        args: ["--no-sandbox", ...args],
    });

// The parts of a page that a reader sees.
export const look = frame =>
    frame.evaluate(() => ({
        title: document.title,
        text: document.body.innerText.replace(/\s+/g, " ").trim(),
    }));

// The page files of a directory: [{ url, html }], html as bytes.
export function pageFiles(directory) {
    return fs.readdirSync(directory).filter(name => /^\d+$/.test(name)).map(name => {
        const bytes = fs.readFileSync(`${directory}/${name}`);
        const first = bytes.indexOf("\n");
        const second = bytes.indexOf("\n", first + 1);
        return {
            url: bytes.subarray(0, first).toString(),
            html: bytes.subarray(second + 1),
        };
    });
}

// How each saved page looks by itself: no script, no network.
export async function looksOf(browser, pages) {
    const context = await browser.newContext({ javaScriptEnabled: false, offline: true });
    const tab = await context.newPage();
    const looks = new Map();
    for (const { url, html } of pages) {
        await tab.setContent(html.toString(), { waitUntil: "commit" });
        looks.set(url, await look(tab));
    }
    await context.close();
    return looks;
}

// End with status 1 and what was wrong, at most ten lines of it, or with 0. A
// judge that had nothing to judge has failed.
export function verdict(judged, faults) {
    for (const fault of faults.slice(0, 10))
        console.log(fault);
    console.log(`${judged} judged, ${faults.length} faults`);
    process.exit(faults.length || !judged ? 1 : 0);
}
