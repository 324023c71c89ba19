// A real browser, what is counted, and visits to pages that listen to all that could go wrong.
//   node tests/page/TEST.mjs FOLDER CHROMIUM PROGRAM
import { createRequire } from "node:module";
import path from "node:path";

export const [folder, executablePath, program] = process.argv.slice(2).map((p) => path.resolve(p));
const require = createRequire(path.join(folder, "package.json"));
const { chromium } = require("playwright-core");
const browser = await chromium
    .launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] })
    .catch((e) => {
        console.log(`skipped: the pages: ${executablePath} does not start (${e.message.split("\n")[0]})`);
        console.log("0 passed, 0 failed");
        process.exit(0);
    });

let passed = 0;
const failures = [];
export const check = (what, holds) => {
    if (holds) ++passed;
    else failures.push(what);
};

// Opens a page of the folder and closes it after look(page). without: a global name that the browser is to lack.
export const visit = async (name, options, look) => {
    const { hash = "", without, ...context } = options;
    const own = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...context });
    const page = await own.newPage();
    if (without) await page.addInitScript(`delete globalThis.${without}`);
    const wrong = [];
    page.on("pageerror", (e) => wrong.push(`error: ${e.message}`));
    page.on("console", (m) => ["error", "warning"].includes(m.type()) && wrong.push(m.text()));
    page.on("request", (r) => /^(file|data|blob):/.test(r.url()) || wrong.push(r.url()));
    await page.goto(`file://${folder}/${name}.html${hash}`);
    try {
        await look(page);
    } catch (e) {
        wrong.push(e.message.split("\n")[0]);
    }
    check(`${name}: ${wrong.join("; ")}`, wrong.length === 0);
    await own.close();
};

export const overflow = (page) =>
    page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );

// Texts of boxes and labels whose letters are less than 4.5 times as light or dark as what is under them (WCAG 2, contrast).
export const faint = (page) =>
    page.evaluate(() => {
        const parse = (s) => {
            const [r, g, b, a = 1] = s.match(/[\d.]+/g).map(Number);
            return [r, g, b, a];
        };
        const over = (top, under) => [0, 1, 2].map((i) => top[i] * top[3] + under[i] * (1 - top[3]));
        // From the page's own ground up to the element.
        const ground = (e) => {
            const under = e.parentElement ? ground(e.parentElement) : [255, 255, 255];
            return over(parse(getComputedStyle(e).backgroundColor), under);
        };
        const light = (c) => {
            const [r, g, b] = c.map((v) => (v <= 10.31 ? v / 3294.6 : ((v / 255 + 0.055) / 1.055) ** 2.4));
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const contrast = (e) => {
            const under = ground(e);
            const levels = [light(over(parse(getComputedStyle(e).color), under)), light(under)];
            return (Math.max(...levels) + 0.05) / (Math.min(...levels) + 0.05);
        };
        return [...document.querySelectorAll(".box, .chip, .small, .label, kbd, .lanename, .yes, .no, .token")]
            .filter((e) => e.textContent && e.getClientRects().length && contrast(e) < 4.5)
            .map((e) => `${e.className} ${e.textContent.slice(0, 12)} ${contrast(e).toFixed(1)}`);
    });

export const isDark = async (page) => {
    const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    return Math.max(...paper.match(/\d+/g).slice(0, 3).map(Number)) < 64;
};

// Says what was counted, and leaves.
export const end = async () => {
    await browser.close();
    for (const failure of failures) console.log(`FAIL: page: ${failure}`);
    console.log(`${passed} passed, ${failures.length} failed`);
    process.exit(failures.length ? 1 : 0);
};
