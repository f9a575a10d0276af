// node proxy.mjs PROXY PAGES: Chromium behind `crawler serve` shows every
// page as its page file looks, http and https.
import { launch, look, looksOf, pageFiles, verdict } from "./browser.mjs";

const [proxy, directory] = process.argv.slice(2);
const faults = [];
const browser = await launch("--ignore-certificate-errors", "--disable-features=HttpsUpgrades",
    `--proxy-server=${proxy}`, "--proxy-bypass-list=<-loopback>");
const pages = pageFiles(directory);
const expected = await looksOf(browser, pages);
const tab = await (await browser.newContext({ ignoreHTTPSErrors: true, javaScriptEnabled: false }))
    .newPage();

for (const { url } of pages) {
    const response = await tab.goto(url).catch(error => ({ status: () => String(error) }));
    const seen = await look(tab).catch(() => ({}));
    const wanted = expected.get(url);
    if (response.status() !== 200 || seen.title !== wanted.title || seen.text !== wanted.text)
        faults.push(`${url}: ${response.status()}, shown ${JSON.stringify(seen)}, ` +
                    `saved ${JSON.stringify(wanted)}`);
}
const missing = await tab.goto("http://not-in-the-archive.example/")
    .catch(error => ({ status: () => String(error) }));
if (missing.status() !== 404)
    faults.push(`a page that is not there: ${missing.status()}`);

await browser.close();
verdict(pages.length, faults);
