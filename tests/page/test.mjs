// Opens the pages that run.sh made, and some with traces made by hand, and looks at them.
//   node tests/page/test.mjs FOLDER CHROMIUM PROGRAM
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { drawn, hostile } from "./samples.mjs";
import { check, end, folder, isDark, overflow, program, visit } from "./visit.mjs";

const count = (page, selector) => page.locator(selector).count();
const place = (page) => page.locator(".token.selected").first().getAttribute("data-i").then(Number);
// What every page shows, wide and narrow, light and dark.
const everywhere = async (name, parts) => {
    await visit(name, {}, async (page) => {
        check(`${name}: has a heading`, (await page.locator("h1").innerText()).length > 5);
        check(
            `${name}: has a story`,
            (await page.locator(".story").first().innerText()).length > 20,
        );
        for (const part of parts) check(`${name}: shows ${part}`, (await count(page, part)) > 0);
        check(`${name}: no problem is reported`, (await count(page, ".notice")) === 0);
        await page.keyboard.press("Home");
        await page.locator(".text").first().focus();
        await page.keyboard.press("Home");
        check(`${name}: Home is the first token`, (await place(page)) === 0);
        await page.keyboard.press("ArrowRight");
        const tokens = await count(page, ".token[data-i]");
        check(`${name}: → goes on`, (await place(page)) === Math.min(1, tokens - 1));
        await page.keyboard.press("ArrowLeft");
        check(`${name}: ← goes back`, (await place(page)) === 0);
        await page.screenshot({ path: path.join(folder, `${name}.png`), fullPage: true });
    });
    await visit(
        name,
        { viewport: { width: 360, height: 740 }, colorScheme: "dark" },
        async (page) => {
            check(`${name}: fits 360 pixels`, (await overflow(page)) <= 0);
            check(`${name}: is dark where the system is`, await isDark(page));
            await page.screenshot({
                path: path.join(folder, `${name}-narrow.png`),
                fullPage: true,
            });
        },
    );
};

const table = ".waterfall tbody tr.chosen";
await everywhere("sampling", [table, ".wheel .pointer", ".skyline path", ".command code"]);
await everywhere("greedy", [table, ".skyline path"]);
await everywhere("samples", [table, ".tabs button:nth-child(3)"]);
await everywhere("prompts", [table, ".tabs button:nth-child(2)"]);
await everywhere("beams", [table, ".node.best", ".node.pruned", ".tabs button", ".plain tbody tr"]);
await everywhere("groups", [".node.best", "h3"]);
await everywhere("drafts", [table, ".lane .box.accepted", ".token.guessed", ".wheel .pointer"]);
await everywhere("rejection", [table, ".lane .box.accepted", ".meter .needle"]);
await everywhere("lookup", [".lane .box"]);
await everywhere("schema", [table, ".guidestate b", ".skyline path"]);
await everywhere("regex", [".guidestate b", ".token.forced"]);
await everywhere("guided-beams", [".node", ".guidestate b"]);
await everywhere("guided-draft", [".lane", ".guidestate b"]);
await everywhere("mirostat", [table, ".wheel .pointer"]);
await everywhere("filled", [table, ".grid tr:nth-child(13) .fresh", ".grid .masked", ".prompt + .prompt, .token ~ .prompt"]);
await everywhere("canvas", [".grid tr:nth-child(8) .fresh", ".tabs button:nth-child(2)"]);
await everywhere("slide", [table, ".wheel .pointer"]);
await everywhere("emoji", [table]);
await everywhere("compare", [".run:nth-child(2) .waterfall", ".token.apart"]);

// Traces made by hand: the program puts them into a page as it would its own.
const byHand = (name, lines) => {
    const file = path.join(folder, `${name}.jsonl`);
    fs.writeFileSync(file, lines);
    execFileSync(program, ["--html", path.join(folder, `${name}.html`), "--compare", file], {
        stdio: "pipe",
    });
};
byHand("one", drawn(1));
byHand("drawn", drawn(60));
byHand("thousands", drawn(5000));
byHand("hostile", hostile());
byHand("cut", drawn(20).slice(0, 20000));
byHand("early", drawn(5).split("\n").slice(0, 4).join("\n"));
byHand("nothing", drawn(3).split("\n").slice(0, 1).join("\n"));
byHand("newer", drawn(3) + '{"format":"token-by-token trace 3"}\n');
byHand("garbled", drawn(3).replace('"sample":0,"step":1', '"sample":0,"step":,'));
await everywhere("one", [table]);
await everywhere("drawn", [table, ".wheel .pointer", ".cut"]);
await visit("thousands", {}, async (page) => {
    check("thousands: all tokens are there", (await count(page, ".token[data-i]")) === 5000);
    await page.locator(".text").focus();
    await page.keyboard.press("End");
    check("thousands: End is the last one", (await place(page)) === 4999);
});
await visit("hostile", {}, async (page) => {
    check("hostile: nothing was run", !(await page.title()).startsWith("broken"));
    check("hostile: it is text", (await page.locator(".text").innerText()).includes("</script>"));
    check(
        "hostile: bytes of a cut character show",
        (await page.locator(".text").innerText()).includes("‹F0›‹9F›"),
    );
});
const problem = async (name, words) =>
    visit(name, {}, async (page) => {
        check(`${name}: says so`, (await page.locator(".notice").innerText()).includes(words));
    });
await problem("cut", "cut off in line");
await problem("early", "cut off");
await problem("nothing", "cut off");
await problem("newer", "at fault");
await problem("garbled", "Line 3 of this trace is at fault");

// Keyboard only: search, the waterfall, a candidate of a search.
await visit("sampling", {}, async (page) => {
    await page.keyboard.press("/");
    await page.keyboard.type(" the");
    await page.keyboard.press("Enter");
    check(
        "keyboard: / searches",
        (await page.evaluate(() => document.activeElement.type)) === "search",
    );
    check(
        "keyboard: what was found is selected",
        /the/i.test(await page.locator(".token.selected").innerText()),
    );
    await page.keyboard.press("Escape");
    const at = await place(page);
    await page.keyboard.press("ArrowRight");
    check("keyboard: → after Escape steps", (await place(page)) === at + 1);
    const seen = new Set();
    for (let i = 0; i < 12; ++i) {
        await page.keyboard.press("Tab");
        seen.add(
            await page.evaluate(
                () => document.activeElement.className || document.activeElement.tagName,
            ),
        );
    }
    check(
        "keyboard: Tab reaches the text, the table and the buttons",
        ["text", "scroll", "BUTTON"].every((c) => seen.has(c)),
    );
});
await visit("beams", {}, async (page) => {
    await page.locator(".scroll:has(.node)").focus();
    const name = () => page.locator(".node.selected").first().getAttribute("data-node");
    const before = await name();
    await page.keyboard.press("ArrowDown");
    check("keyboard: ↓ chooses another candidate", (await name()) !== before);
});
// A place has an address; a picture on paper has all of the text.
await visit("sampling", { hash: "#5" }, async (page) => {
    check("address: #5 is the fifth token", (await place(page)) === 4);
    await page.emulateMedia({ media: "print" });
    check(
        "print: no part of the text is cut",
        await page.locator(".text").evaluate((e) => e.scrollHeight <= e.clientHeight + 1),
    );
});

try {
    execFileSync(
        process.execPath,
        [
            path.join(folder, "node_modules/eslint/bin/eslint.js"),
            "-c",
            "tests/page/eslint.config.mjs",
            "data/page",
        ],
        { stdio: "pipe" },
    );
    check("eslint", true);
} catch (e) {
    check(`eslint: ${e.stdout}`, false);
}
await end();
