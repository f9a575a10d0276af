// The live page of a crawl in a real browser: live.mjs WHAT URL DIRECTORY RECORD
import fs from "node:fs";
import { end, judgeAccess, judgeWidth, must, start } from "./judge.mjs";

const [what, url, directory, record] = process.argv.slice(2);
const LIMIT = 200_000;

const pages = () => fs.readdirSync(directory).filter(name => /^\d+$/.test(name)).length;
const figure = async (tab, name) => {
    const text = await tab.locator("#tiles div").filter({ has: tab.getByText(name, { exact: true }) }).locator("dd").textContent();
    return Number(text.replaceAll(",", ""));
};
const sleep = ms => new Promise(resolve => setTimeout(resolve, ms));
async function until(holds, what) {
    const before = Date.now();
    while (!await holds()) {
        if (Date.now() - before > LIMIT)
            throw new Error(`never: ${what}`);
        await sleep(100);
    }
}
async function open(browser, options = {}) {
    const context = await browser.newContext({ bypassCSP: true, ...options });
    const tab = await context.newPage();
    tab.setDefaultTimeout(LIMIT);
    tab.on("pageerror", error => must(false, `an error in the page: ${error.message}`));
    tab.on("dialog", dialog => dialog.accept());
    await tab.goto(url);
    await tab.locator("#hosts tr").first().waitFor();
    return tab;
}
// The requests of a host so far: [start, end] in microseconds.
const requests = host => fs.readFileSync(record, "utf8").split("\n").map(line => line.split("\t"))
    .filter(column => column[4] === host).map(column => [Number(column[0]), Number(column[1])])
    .sort((a, b) => a[0] - b[0]);
const row = (tab, host) => tab.locator(`#hosts tr[data-host="${host}"]`);
const busiest = tab => tab.locator("#hosts tr").first().getAttribute("data-host");

// The figures are those of the record. A crawl that is paused stands still, so
// that both can be read at leisure.
async function figures(browser) {
    const tab = await open(browser);
    await until(async () => await figure(tab, "Pages") > 5, "some pages");
    for (const id of ["pace", "growth"])
        await until(async () => (await tab.locator(`#${id} polyline.one`).getAttribute("points") || "").split(" ").length > 2, `${id} has points`);
    const plotted = await tab.locator("#growth polyline.one").getAttribute("points");
    must(plotted.split(" ").every(point => /^[\d.]+,[\d.]+$/.test(point)), `the plot has ${plotted}`);
    must(await tab.locator("#growth tbody tr").count() > 2, "the plot has no table");
    // Five looks in a row, a second apart, at figures that are not older than 2 s.
    // A machine that is too busy for that gets further tries.
    let before = pages(), good = 0;
    await until(async () => {
        const older = before; // 2 s, after the sleep
        before = pages();
        await sleep(1000);
        good = await figure(tab, "Pages") >= older ? good + 1 : 0;
        return good >= 5;
    }, "figures that are at most 2 s old");
    // The whole crawl, in the other plot of the pace.
    await tab.getByLabel("the whole crawl").check();
    await until(async () => (await tab.locator("#pace polyline.one").getAttribute("points") || "").split(" ").length > 2, "the whole crawl has points");
    must(await tab.locator("#pace tbody tr").count() > 2, "the plot of the pace has no table");
    // One machine of a fleet says that its orders are for it alone.
    must(await tab.locator("#fleet").isHidden(), "a crawl without a fleet speaks of one");
    const said = await tab.evaluate(() => {
        showStatus({ ...status, fleet: "--name x postgres://db/x" });
        return [$("fleet").hidden, $("fleet").textContent, what()];
    });
    must(!said[0] && /reach this machine only.*--name x postgres:\/\/db\/x/s.test(said[1]), `of a fleet: ${said}`);
    must(said[2].startsWith("this machine"), `what is stopped: ${said[2]}`);
    await tab.locator("#pause").click();
    await tab.getByText("paused", { exact: true }).waitFor();
    await until(async () => await figure(tab, "In flight") === 0, "nothing is in flight");
    await until(async () => await figure(tab, "Pages") === pages(), "the pages of the directory");
    must(await tab.locator("#pages tr").count() === Math.min(50, pages()), "the list of the last pages");
    await tab.locator("#pause").click();
    await until(async () => await figure(tab, "Pages") < pages() || await tab.locator("#state").textContent() === "running", "it goes on");
}

// A pause that is set on the page is kept by the crawl.
async function delay(browser) {
    const tab = await open(browser);
    const host = await busiest(tab);
    const before = requests(host).length;
    await row(tab, host).locator("input").fill("3");
    await row(tab, host).getByRole("button", { name: "Set the pause" }).click();
    await tab.locator("#rules li").filter({ hasText: host }).waitFor();
    // One fetch may have been on its way; the ones after it are apart.
    await until(() => requests(host).length >= before + 4, `${host} is asked on`);
    const last = requests(host).slice(-2);
    must(last[1][0] - last[0][1] >= 2_999_000, `${host}: ${last[1][0] - last[0][1]} us between two requests`);
    await tab.locator("#rules li").filter({ hasText: host }).getByRole("button").click();
    await until(async () => await tab.locator("#rules li").filter({ hasText: host }).count() === 0, "the rule is gone");
}

// A host that is dropped is not asked any more, and says so; undo.
async function drop(browser) {
    const tab = await open(browser);
    const host = await busiest(tab);
    await row(tab, host).getByRole("button", { name: "Drop" }).click();
    await row(tab, host).getByText("dropped by hand").waitFor();
    const rule = tab.locator("#rules li").filter({ hasText: host });
    await rule.waitFor();
    await tab.locator("#filter").fill(host);
    must(await tab.locator("#hosts tr").count() >= 1, "the filter hides what it asks for");
    await tab.locator("#filter").fill("no host is called so");
    await until(async () => await tab.locator("#hosts tr").count() === 0, "the filter");
    await tab.locator("#filter").fill("");
    await rule.getByRole("button").click();
    await until(async () => await rule.count() === 0, "the rule is gone");
    // A failure has an example, which leads to why.
    const failure = tab.locator("#errors tr").filter({ has: tab.getByRole("button") }).first();
    await failure.waitFor();
    const example = await failure.locator("td").nth(2).textContent();
    await failure.getByRole("button", { name: "Why" }).click();
    await until(async () => (await tab.locator("#why-answer").textContent()).includes(example), `why ${example}`);
    // Why: an answer about a URL, as text.
    await tab.locator("#why-url").fill("http://<b>never</b>.example/");
    await tab.locator("#why").getByRole("button").click();
    await until(async () => (await tab.locator("#why-answer").textContent()).includes("<b>never</b>"), "an answer of why");
    must(await tab.locator("#why-answer b").count() === 0, "text became an element");
}

// Everything by keyboard: pause, resume, sort, stop.
async function keyboard(browser) {
    const tab = await open(browser);
    const focus = async wanted => {
        await tab.evaluate(() => document.activeElement.blur());
        for (let i = 0; i < 300; i++) {
            await tab.keyboard.press("Tab");
            if (await tab.evaluate(wanted))
                return;
        }
        throw new Error(`no way by keyboard to ${wanted}`);
    };
    await focus(() => document.activeElement.id === "pause");
    await tab.keyboard.press("Enter");
    await tab.getByText("paused", { exact: true }).waitFor();
    await focus(() => document.activeElement.textContent === "Host");
    await tab.keyboard.press("Space");
    const names = await tab.locator("#hosts tr").evaluateAll(rows => rows.map(row => row.dataset.host));
    must(names.every((name, i) => !i || names[i - 1].localeCompare(name) <= 0), "hosts are not sorted by name");
    await focus(() => document.activeElement.id === "stop");
    await tab.keyboard.press("Enter");
    await until(async () => ["ended", "not connected"].includes(await tab.locator("#state").textContent()), "the end");
}

// In the light, in the dark, on a phone: nothing that axe-core complains of.
async function access(browser) {
    for (const [name, colorScheme, width] of [["light", "light", 1200], ["dark", "dark", 1200], ["phone", "dark", 390]]) {
        const tab = await open(browser, { colorScheme, viewport: { width, height: 800 } });
        await until(async () => await figure(tab, "Pages") > 5, "some pages");
        await judgeAccess(tab, name);
        await judgeWidth(tab, name);
        await tab.context().close();
    }
    const context = await browser.newContext({ bypassCSP: true });
    const tab = await context.newPage();
    await tab.goto(url.replace(/#.*/, ""));
    await tab.locator("#login").waitFor();
    await judgeAccess(tab, "without a token");
}

const browser = await start();
try {
    await { figures, delay, drop, keyboard, access }[what](browser);
} catch (error) {
    must(false, error.message);
}
await browser.close();
end();
