// Opens the pages that run.sh made, and some with traces made by hand, and looks at them.
//   node tests/page/test.mjs FOLDER CHROMIUM PROGRAM
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { drawn, hostile } from "./samples.mjs";
import { filled, guessed, searched } from "./samples_more.mjs";
import { shapes } from "./shapes.mjs";
import { check, end, faint, folder, isDark, overflow, program, visit } from "./visit.mjs";

const count = (page, selector) => page.locator(selector).count();
const place = (page) => page.locator(".token.selected").first().getAttribute("data-i").then(Number);
// For people who want to look.
const shot = (page, name) =>
    process.env.CI || page.screenshot({ path: path.join(folder, `${name}.png`), fullPage: true });
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
        const pale = await faint(page);
        check(`${name}: letters in enough contrast: ${pale.slice(0, 3).join("; ")}`, pale.length === 0);
        check(`${name}: → goes on`, (await place(page)) === Math.min(1, tokens - 1));
        await page.keyboard.press("ArrowLeft");
        check(`${name}: ← goes back`, (await place(page)) === 0);
        await shot(page, name);
    });
    await visit(
        name,
        { viewport: { width: 360, height: 740 }, colorScheme: "dark" },
        async (page) => {
            check(`${name}: fits 360 pixels`, (await overflow(page)) <= 0);
            const pale = await faint(page);
            check(`${name}: dark, letters in enough contrast: ${pale.slice(0, 3).join("; ")}`, pale.length === 0);
            check(`${name}: is dark where the system is`, await isDark(page));
            await shot(page, `${name}-narrow`);
        },
    );
};

// What stands in the trace of a page.
const says = (name, words) => {
    const page = fs.readFileSync(path.join(folder, `${name}.html`), "utf8");
    check(`${name}: its trace has ${words}`, page.includes(words));
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
await everywhere("ch22", [table, ".grid tr:nth-child(6) .fresh", ".grid .masked", ".token ~ .prompt"]);
says("ch22", '"suffix":" Would you like to come with us?"');
await everywhere("canvas", [".grid tr:nth-child(8) .fresh", ".tabs button:nth-child(2)"]);
await everywhere("attention", [table, ".attention .looked.asking", ".attention .bar", ".looked.later"]);
await everywhere("slide", [table, ".wheel .pointer"]);
await everywhere("emoji", [table]);
// Heads belong to one model: after another was trained there are none for it until they are, too.
for (const name of ["heads", "ch21"])
    if (fs.existsSync(path.join(folder, `${name}.html`))) {
        await everywhere(name, [table, ".lane"]);
        says(name, '"tree":[{');
    }
await everywhere("ch10", [table, ".wheel .pointer", ".tabs button:nth-child(2)", ".passes path"]);
await everywhere("ch11", [table, ".node.best", ".node.pruned", ".passes path"]);
await everywhere("ch11-groups", [".node.best", "h3"]);
await everywhere("ch12", [table, ".lane .box", ".meter .needle"]);
for (const chapter of ["ch13", "ch14", "ch15", "ch16"])
    await everywhere(chapter, [
        table,
        ".guidestate .sides .yes",
        ".guidestate .budget",
        ".skyline .over",
        ".passes path",
    ]);
for (const name of ["ch13", "ch16", "schema"]) says(name, '"state":"the object');
says("ch14", '"state":"root › year, or root › spelled"');
await everywhere("chapters", [".run:nth-child(2) .guidestate .budget"]);
await everywhere("other-chapters", [".run:nth-child(2) .grid .masked"]);
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
byHand("strange", drawn(3).replaceAll('"steps":[', '"steps":[5,'));
await problem("strange", "missing or strange");
// Of a later version, which the program would refuse.
fs.writeFileSync(
    path.join(folder, "later.html"),
    fs.readFileSync(path.join(folder, "one.html"), "utf8").replace("token-by-token trace 2", "token-by-token trace 9"),
);
await problem("later", "its format is “token-by-token trace 9”, and this page reads versions 1 and 2");
await problem("garbled", "Line 3 of this trace is at fault");

// A trace that something has gnawed at: whatever is missing or strange, the page says so and lives.
await visit("drawn", {}, async (page) => {
    const broken = await page.evaluate(
        ([traces]) => {
            let seed = 7;
            const below = (n) => ((seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) >>> 8) % n;
            const strange = [null, 5, "x", [], {}, -1, [[]], true];
            // One field of one line, however far inside, is gone or becomes something else.
            const gnaw = (x, depth) => {
                const keys = Object.keys(x);
                if (!keys.length) return;
                const key = keys[below(keys.length)];
                if (depth > 0 && x[key] && typeof x[key] === "object") gnaw(x[key], depth - 1);
                else if (below(3)) x[key] = strange[below(strange.length)];
                else delete x[key];
            };
            const failed = [];
            for (let i = 0; i < 100; ++i) {
                const lines = traces[i % traces.length].trim().split("\n");
                const at = below(lines.length),
                    line = JSON.parse(lines[at]);
                gnaw(line, below(4));
                lines[at] = JSON.stringify(line);
                const main = document.createElement("main");
                try {
                    const run = tbt.readTrace("gnawed", lines.join("\n"));
                    tbt.go(tbt.open(main, [run]));
                    for (let k = 0; k < 8; ++k) tbt.go(k);
                    if (!main.querySelector("h1")) failed.push(`${i}: nothing is shown`);
                } catch (e) {
                    failed.push(`${i}: ${e.message}: ${lines[at].slice(0, 80)}`);
                }
            }
            return failed;
        },
        [[drawn(6, ["grammar", "top-p"]), searched(), guessed("rejection"), guessed("seed", true), filled()]],
    );
    check(`gnawed: 100 damaged traces: ${broken.slice(0, 3).join("; ")}`, broken.length === 0);
});

// Keyboard only: search, the waterfall, a candidate of a search.
await visit("drawn", {}, async (page) => {
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

// What the views look like, in traces made by hand: no model changes them.
byHand("hand-guided", drawn(12, ["grammar", "temperature", "top-p"], { guide: "--json" }));
byHand("hand-search", searched());
byHand("hand-rejection", guessed("rejection"));
byHand("hand-tree", guessed("seed", true));
byHand("hand-filled", filled());
await shapes(["drawn", "hand-guided", "hand-search", "hand-rejection", "hand-tree", "hand-filled"]);
// Who wants no motion gets none: the pointer of the wheel stands at once.
const animations = async (reducedMotion) => {
    let running = 0;
    await visit("drawn", { reducedMotion }, async (page) => {
        running = await page.evaluate(() => (tbt.go(3), tbt.go(9), document.getAnimations().length));
    });
    return running;
};
check("motion: the pointer runs", (await animations("no-preference")) > 0);
check("motion: not where it is not wanted", (await animations("reduce")) === 0);
// Every picture says in words what it shows.
for (const name of ["drawn", "hand-guided", "hand-search", "hand-tree", "sampling"])
    await visit(name, {}, async (page) => {
        const mute = await page.evaluate(
            () => [...document.querySelectorAll("main svg")].filter((e) => !(e.getAttribute("aria-label") || "").trim()).length,
        );
        check(`${name}: every picture has words`, mute === 0);
    });

// Where eslint could be fetched.
const eslint = path.join(folder, "node_modules/eslint/bin/eslint.js");
if (fs.existsSync(eslint))
    try {
        const config = ["-c", "tests/page/eslint.config.mjs"];
        execFileSync(process.execPath, [eslint, ...config, "data/page"], { stdio: "pipe" });
        check("eslint", true);
    } catch (e) {
        check(`eslint: ${e.stdout}`, false);
    }
await end();
