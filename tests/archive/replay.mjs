// node replay.mjs WACZ PAGES INDEX: replayweb.page in Chromium shows every
// page of a package as its page file looks, answers every URL of the index
// with the recorded status and nothing of it leaves the two origins.
//
// WACZ is the address of a package; PAGES a page directory; INDEX a CDXJ file.
// WWW has ui.js and sw.js of replayweb.page. With EVERY=N it is every Nth page
// and every URL of the index.
import fs from "node:fs";
import http from "node:http";
import { launch, look, looksOf, pageFiles, verdict } from "./browser.mjs";

const [wacz, directory, indexFile] = process.argv.slice(2);
const www = process.env.WWW;

const embed = `<!DOCTYPE html><meta charset=utf-8><body><script src="/ui.js"></script><script>
const query = new URLSearchParams(location.search);
const viewer = document.createElement("replay-web-page");
viewer.style = "width: 100%; height: 90vh; display: block";
viewer.setAttribute("embed", "replayonly");
viewer.setAttribute("source", query.get("source"));
viewer.setAttribute("url", query.get("url"));
document.body.append(viewer);
</script>`;

const files = {
    "/embed.html": ["text/html", embed],
    "/ui.js": ["text/javascript", fs.readFileSync(`${www}/ui.js`)],
    "/sw.js": ["text/javascript", fs.readFileSync(`${www}/sw.js`)],
    "/replay/sw.js": ["text/javascript", 'importScripts("/sw.js");'],
};

const server = http.createServer((request, response) => {
    const [type, body] = files[request.url.split("?")[0]] ?? [];
    response.writeHead(body ? 200 : 404, { "Content-Type": type ?? "text/plain" });
    response.end(body);
});
await new Promise(done => server.listen(0, "127.0.0.1", done));
const viewer = `http://127.0.0.1:${server.address().port}`;

const faults = [];
const browser = await launch();
const pages = pageFiles(directory);
const expected = await looksOf(browser, pages);
const context = await browser.newContext();
const tab = await context.newPage();

context.on("request", request => {
    const url = request.url();
    const inside = url.startsWith(viewer + "/") || url.startsWith(new URL(wacz).origin + "/");
    if (!inside && !/^(blob|data|about|chrome-extension):/.test(url))
        faults.push(`a request left: ${url}`);
});

// The frame in which the viewer shows a page, when it is there. The first time
// its service worker may come too late; a busy machine takes its time.
async function replay(url) {
    for (let loads = 0; loads < 8; loads++) {
        await tab.goto("about:blank");
        await tab.goto(`${viewer}/embed.html?source=${encodeURIComponent(wacz)}` +
                       `&url=${encodeURIComponent(url)}`, { waitUntil: "commit" });
        for (let tries = 0; tries < (loads + 1) * 50; tries++) {
            for (const frame of tab.frames())
                if (/\/w\/.*mp_\//.test(frame.url()) &&
                    await frame.evaluate(() => document.readyState === "complete" && !!document.body)
                        .catch(() => false))
                    return frame;
            await tab.waitForTimeout(100);
        }
    }
    return null;
}

let frame = null;
const every = Number(process.env.EVERY ?? 1);
for (const { url } of pages.filter((_, i) => i % every === 0)) {
    frame = await replay(url);
    if (!frame) {
        faults.push(`not shown: ${url}`);
        continue;
    }
    const wanted = expected.get(url);
    let seen = await look(frame);
    for (let tries = 0; tries < 50 && seen.text !== wanted.text; tries++) {
        await tab.waitForTimeout(100);
        seen = await look(frame).catch(() => seen);
    }
    if (seen.title !== wanted.title || seen.text !== wanted.text)
        faults.push(`${url}: shown ${JSON.stringify(seen)}, saved ${JSON.stringify(wanted)}`);
}

// Every line of the index, asked from within the replay: the recorded status,
// and the very bytes of a saved page.
const saved = new Map(pages.map(page => [page.url, page.html.toString("latin1")]));
const prefix = frame?.url().replace(/mp_\/.*$/s, "").replace(/\d*$/, "");
for (const line of fs.readFileSync(indexFile, "utf8").split("\n").filter(Boolean)) {
    const [, stamp, json] = line.match(/^\S+ (\d+) (.*)$/);
    const entry = JSON.parse(json);
    if (!prefix || !entry.status || entry.mime === "warc/revisit")
        continue;
    // Where a redirect leads to, only the viewer's own form of the page keeps.
    const form = /^3/.test(entry.status) ? "mp_" : "id_";
    const answer = await frame.evaluate(async address => {
        const response = await fetch(address, { redirect: "manual" });
        const bytes = new Uint8Array(await response.arrayBuffer());
        let text = "";
        for (const byte of bytes)
            text += String.fromCharCode(byte);
        return { status: response.status, type: response.type, text };
    }, `${prefix}${stamp}${form}/${entry.url}`).catch(error => ({ status: String(error) }));
    const isRedirect = answer.type === "opaqueredirect";
    if (!isRedirect && String(answer.status) !== entry.status)
        faults.push(`${entry.url}: recorded ${entry.status}, answered ${answer.status}`);
    if (entry.status === "200" && saved.has(entry.url) && answer.text !== saved.get(entry.url))
        faults.push(`${entry.url}: other bytes than in the page file`);
}

await browser.close();
server.close();
verdict(pages.length, faults);
