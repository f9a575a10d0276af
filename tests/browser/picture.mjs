// A picture of the live page: picture.mjs URL FILE
import { start } from "./judge.mjs";

const [url, file] = process.argv.slice(2);
const browser = await start();
const tab = await browser.newPage({ viewport: { width: 1000, height: 1080 } });
await tab.goto(url);
await tab.locator("#growth polyline.one").waitFor({ state: "attached" });
await tab.waitForTimeout(2000);
await tab.screenshot({ path: file });
await browser.close();
