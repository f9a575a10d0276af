// Pages of strangers that try to steer a crawl: attack.mjs URL EVIL_URL
// URL is that of the live page with its token, EVIL_URL a server of another
// origin, whose /evil has a form, an image and a script with requests.
import { end, must, start } from "./judge.mjs";
import { launch } from "../archive/browser.mjs";

const [url, evil] = process.argv.slice(2);
const { port, origin, hash } = new URL(url);
const token = new URLSearchParams(hash.slice(1)).get("token");

const status = async () => {
    const reply = await fetch(`${origin}/status.json`, { headers: { Authorization: `Bearer ${token}` } });
    return reply.json();
};

const before = await status();
must(before.state === "running" && before.rules.length === 0, "the crawl does not run as it should");

// A page of another origin: its form, its image, its fetches, with and without
// the token (which it cannot know, but suppose that it did).
const browser = await start();
const tab = await browser.newPage();
await tab.goto(evil);
const results = await tab.evaluate(async ({ origin, token }) => {
    const seen = [];
    const attempt = async (name, act) => {
        try {
            seen.push([name, await act()]);
        } catch (error) {
            seen.push([name, "blocked"]);
        }
    };
    await attempt("image", () => new Promise((resolve, reject) => {
        const image = new Image();
        image.onload = () => resolve("loaded");
        image.onerror = reject;
        image.src = `${origin}/control?order=stop`;
    }));
    for (const headers of [{}, { Authorization: `Bearer ${token}` }, { "Content-Type": "application/json" }])
        await attempt("fetch", async () => (await fetch(`${origin}/control`, { method: "POST", headers, body: '{"order":"stop"}' })).status);
    await attempt("opaque", async () => (await fetch(`${origin}/control`, { method: "POST", mode: "no-cors", body: '{"order":"stop"}' })).type);
    await attempt("read", async () => (await fetch(`${origin}/status.json`)).text());
    return seen;
}, { origin, token });
for (const [name, result] of results)
    must(result === "blocked" || (name === "opaque" && result === "opaque"), `${name}: ${result}`);
const [answer] = await Promise.all([
    tab.waitForResponse(response => response.request().method() === "POST"),
    tab.evaluate(() => document.forms[0].submit()),
]);
must(answer.status() >= 400, `a form of another origin: status ${answer.status()}`);
await browser.close();

// Rebinding: a name of the attacker's that leads to loopback.
const rebound = await launch(`--host-resolver-rules=MAP rebound.test 127.0.0.1`);
const page = await rebound.newPage();
const reply = await page.goto(`http://rebound.test:${port}/`);
must(reply.status() === 421, `rebinding: status ${reply.status()}`);
const asked = await page.evaluate(async token => (await fetch("/control", {
    method: "POST", headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" }, body: '{"order":"stop"}',
})).status, token).catch(() => "blocked");
must(asked === 421 || asked === "blocked", `an order after rebinding: ${asked}`);
await rebound.close();

const after = await status();
must(after.state === "running" && after.rules.length === 0, `the crawl is ${after.state} after all that`);
end();
