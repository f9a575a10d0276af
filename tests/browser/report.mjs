// The HTML report on a site in a real browser: report.mjs FILE [PICTURE]
import { pathToFileURL } from "node:url";
import { end, judgeAccess, judgeWidth, must, start } from "./judge.mjs";

const [file, picture] = process.argv.slice(2);

const browser = await start();
try {
    for (const [name, colorScheme, width] of [["light", "light", 1000], ["dark", "dark", 1000], ["phone", "light", 390]]) {
        const context = await browser.newContext({ bypassCSP: true, colorScheme, viewport: { width, height: 800 } });
        const tab = await context.newPage();
        tab.on("request", request => must(request.url().startsWith("file:"), `${name}: it asks for ${request.url()}`));
        await tab.goto(pathToFileURL(file).href);
        must(await tab.locator("h1").count() === 1, `${name}: no heading`);
        must(await tab.locator("script").count() === 0, `${name}: it has a script`);
        await judgeWidth(tab, name);
        if (picture && name === "light")
            await tab.screenshot({ path: picture });
        await judgeAccess(tab, name);
        await context.close();
    }
} catch (error) {
    must(false, error.message);
}
await browser.close();
end();
