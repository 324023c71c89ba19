// The course as pages (make page): every link leads somewhere, search finds, keys turn pages, nothing is asked for.
//   node tests/page/course.mjs FOLDER CHROMIUM, where FOLDER/course holds the pages
import fs from "node:fs";
import path from "node:path";
import { check, end, folder, isDark, overflow, visit } from "./visit.mjs";

const course = path.join(folder, "course");
const pages = fs
    .readdirSync(course, { recursive: true })
    // (The playground's address has options after its #, and a test of its own.)
    .filter((file) => file.endsWith(".html") && file !== "index.html" && !/^playground/.test(file));
check("there are more than a hundred pages", pages.length > 100);

// Every link and picture, without a browser.
const text = new Map(pages.map((p) => [p, fs.readFileSync(path.join(course, p), "utf8")]));
for (const [page, html] of text) {
    const dead = [];
    for (const [, target] of html.matchAll(/(?:href|src)="([^"]*)"/g)) {
        if (/^(https?|data|mailto):/.test(target)) continue;
        const [file, anchor] = target.split("#");
        const other = file ? path.normalize(path.join(path.dirname(page), file)) : page;
        if (!fs.existsSync(path.join(course, other))) dead.push(target);
        else if (anchor && text.has(other) && !text.get(other).includes(`id="${anchor}"`))
            dead.push(target);
    }
    check(`${page}: dead links: ${dead.slice(0, 3).join(", ")}`, dead.length === 0);
}

const lessons = pages.filter((p) => /^chapters\/[0-9_a-z]+\/README\.html$/.test(p)).sort();
check("every chapter has its page", lessons.length >= 22);
// What may be wider than the screen: reachable by the keyboard, and named.
for (const [page, html] of text) {
    const blocks = [...html.matchAll(/<(pre|div class="wide")([^>]*)>/g)];
    check(
        `${page}: code, tables and figures that scroll can be reached by the keyboard`,
        blocks.every(([, , how]) => /tabindex="0"/.test(how) && /aria-label="\w+"/.test(how)),
    );
}
// Formulas are MathML, not lines of code; what is said of one is in the page of the transformer.
const formulas = (html) => [...html.matchAll(/<math display="block">(.*?)<\/math>/g)].map((m) => m[1]);
check("at least seven formulas", [...text.values()].flatMap(formulas).length >= 7);
for (const [page, html] of text) {
    const commands = [...html.matchAll(/aria-label="Commands"><code>([^\n]*)\n<\/code>/g)];
    const left = commands.filter(([, line]) => / (=|≈|←) /.test(line) && !/^(make|build)/.test(line));
    check(`${page}: formulas left as code: ${left.map(([, line]) => line)}`, left.length === 0);
}
const [attention] = formulas(text.get("chapters/18_transformer/README.html"));
check("a subscript is one", attention.includes("<msub><mi>k</mi><mi>u</mi></msub>"));
check("a root is one", attention.includes("<msqrt><mi>D</mi></msqrt>"));
check("a sum has its index below it", attention.includes("<munder><mo>∑</mo><mi>u</mi></munder>"));
// The size of a figure's smallest letters where it is shown, in pixels.
const letters = async (page, lesson) => {
    let least = Infinity;
    // (Where a live figure is, the still one is hidden.)
    for (const image of await page.locator('article img[src$=".svg"]:visible').all()) {
        const file = path.join(course, path.dirname(lesson), await image.getAttribute("src"));
        const svg = fs.readFileSync(file, "utf8");
        const sizes = [...svg.matchAll(/font-size[:="]+([0-9.]+)/g)].map((m) => Number(m[1]));
        const wide = Number(svg.match(/viewBox="0 0 ([0-9.]+)/)[1]);
        least = Math.min(least, (Math.min(...sizes) * (await image.boundingBox()).width) / wide);
    }
    return least;
};
// Links and buttons outside of texts that are less than 24 pixels high.
const small = (page) =>
    page.evaluate(() =>
        [...document.querySelectorAll("header a, nav a, nav summary, button, input")]
            .filter((e) => e.getClientRects().length && e.getBoundingClientRect().height < 24)
            .map((e) => e.textContent || e.id),
    );
for (const lesson of lessons) {
    const name = "course/" + lesson.replace(/\.html$/, "");
    await visit(name, {}, async (page) => {
        check(`${name}: has a heading`, (await page.locator("h1").innerText()).length > 3);
        check(`${name}: is in the contents`, (await page.locator("nav [aria-current]").count()) === 1);
        const broken = await page.evaluate(
            () => [...document.images].filter((i) => !i.complete || i.naturalWidth === 0).length,
        );
        check(`${name}: shows its figures`, broken === 0);
        check(`${name}: has no comment left`, !(await page.locator("article").innerText()).includes("<!--"));
    });
    const narrow = { viewport: { width: 360, height: 740 }, colorScheme: "dark" };
    await visit(name, narrow, async (page) => {
        check(`${name}: fits 360 pixels`, (await overflow(page)) <= 0);
        check(`${name}: figures can be read at 360 pixels`, (await letters(page, lesson)) >= 11);
        await page.locator("summary").first().click();
        check(`${name}: targets of 24 pixels: ${await small(page)}`, (await small(page)).length === 0);
        check(`${name}: is dark where the system is`, await isDark(page));
    });
}

await visit("course/README", { viewport: { width: 360, height: 740 } }, async (page) => {
    const sample = page.locator("article pre.prose").first();
    const hidden = await sample.evaluate((e) => e.scrollWidth - e.clientWidth);
    check("the first page's sample is broken at 360 pixels", hidden <= 0);
});
await visit("course/chapters/01_next_token/README", {}, async (page) => {
    // A block of code that is wider than its frame: the arrows scroll it and turn no page.
    await page.evaluate(() => {
        const block = document.querySelector("article > pre");
        block.style.width = "5rem";
        block.focus();
    });
    const address = page.url();
    await page.keyboard.press("ArrowRight");
    await page.waitForTimeout(100);
    check("keys: → scrolls the block that has the focus", page.url() === address);
});
await visit("course/README", {}, async (page) => {
    await page.keyboard.press("/");
    await page.keyboard.type("nucleus tail");
    const first = page.locator("#found a").first();
    check("search: nucleus and tail", (await first.innerText()).toLowerCase().includes("top-p"));
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(/top_p|GLOSSARY/);
    check("search: Enter opens what was found", (await page.locator("h1").count()) === 1);
});
await visit("course/README", {}, async (page) => {
    await page.keyboard.press("/");
    await page.keyboard.type("zzzz");
    check("search: nothing", (await page.locator("#found").innerText()).includes("Nothing"));
    await page.keyboard.press("Escape");
    check("search: Escape closes it", await page.locator("#found").isHidden());
    await page.keyboard.press("ArrowRight");
    await page.waitForURL(/01_next_token/);
    await page.keyboard.press("ArrowLeft");
    await page.waitForURL(/course\/README/);
    check("keys: → and ← turn pages", true);
});
await visit("course/index", {}, async (page) => {
    await page.waitForURL(/README/);
    check("index leads to the first page", true);
});
await end();
