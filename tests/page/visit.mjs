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
        console.log(`page: not tested: ${executablePath} does not start (${e.message.split("\n")[0]})`);
        console.log("0 passed, 0 failed");
        process.exit(0);
    });

let passed = 0;
const failures = [];
export const check = (what, holds) => {
    if (holds) ++passed;
    else failures.push(what);
};

// Opens a page of the folder and closes it behind look(page).
export const visit = async (name, options, look) => {
    const { hash = "", ...context } = options;
    const own = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...context });
    const page = await own.newPage();
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

export const isDark = async (page) => {
    const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    return Math.max(...paper.match(/\d+/g).slice(0, 3).map(Number)) < 64;
};

// Says what was counted, and leaves.
export const end = async () => {
    await browser.close();
    for (const failure of failures) console.log(`page: not so: ${failure}`);
    console.log(`${passed} passed, ${failures.length} failed`);
    process.exit(failures.length ? 1 : 0);
};
