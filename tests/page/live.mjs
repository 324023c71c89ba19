// The live figures of the course's pages: in 200 settings their numbers are what the command beneath them prints.
//   node tests/page/live.mjs FOLDER CHROMIUM PROGRAM, where FOLDER/course holds the pages, and the programs are beside PROGRAM
import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { check, end, folder, isDark, overflow, program, visit } from "./visit.mjs";

const build = path.dirname(program);
const root = path.join(folder, "course");
const lessons = ["01_next_token", "02_greedy", "03_temperature", "04_top_k", "05_top_p", "06_combining"].concat(
    ["08_penalties", "11_beam_search", "12_speculative", "13_json_grammar", "18_transformer", "22_diffusion"],
);
const each = Math.ceil(200 / lessons.length);
const typed = ['{"a":[1,-2e3]}', '["x", {"b": null}, true]', '{"name": "Ada", "n": [1.5, false]}'].concat(
    ["[1,}", "12 3", ' {"k":"v\\n \\u00e4"} '],
);

const data = fs.readFileSync(path.join(root, "live_data.js"), "utf8");
const size = { module: data.match(/"module":"([^"]*)"/)[1].length * 0.75 };
size.rest = data.length - data.match(/"module":"([^"]*)"/)[1].length;
check(`the module has at most 200 kB: ${size.module}`, size.module < 200e3);
for (const name of ["lattice", "inside", "masks"]) {
    const bytes = fs.statSync(path.join(root, `live_${name}.js`)).size;
    check(`the run of ${name} has at most 60 kB: ${bytes}`, bytes < 60e3);
}
check(`logits and names have at most 200 kB: ${size.rest}`, size.rest < 200e3);

// The same settings in every run.
let state = 1;
const chance = (n) => (state = (state * 48271) % 2147483647) % n;

// What a command line of a lesson prints; each is run once. A program may refuse nothing of a slider.
const run = promisify(execFile);
const printed = new Map();
const output = (command) => {
    if (!printed.has(command)) {
        const [, chapter, words = ""] = command.match(/^make run-(\d\d)(?: ARGS='(.*)')?$/);
        const name = fs.readdirSync(build).find((file) => file.startsWith(`${chapter}_`) && !file.includes("."));
        const shell = `"${path.join(build, name)}" ${words}`;
        printed.set(command, run("sh", ["-c", shell]).then(({ stdout }) => stdout.split("\n")));
    }
    return printed.get(command);
};
const set = (page, name, value) =>
    page.locator(`.live [data-name="${name}"]`).evaluate((input, to) => {
        const choice = input.tagName === "SELECT";
        input[choice ? "selectedIndex" : "value"] = to;
        input.dispatchEvent(new Event(choice ? "change" : "input"));
    }, value);
const shown = async (page) => ({
    command: await page.locator(".live .command code").innerText(),
    lines: (await page.locator(".livenumbers pre").textContent()).split("\n"),
    said: await page.locator(".livesaid").innerText(),
});

for (const lesson of lessons) {
    const name = `course/chapters/${lesson}/README`;
    await visit(name, {}, async (page) => {
        await page.waitForSelector(".live");
        check(`${name}: the still figure has given way`, (await page.locator("[data-live] + :visible img").count()) === 0);
        const controls = await page.locator(".live select, .live input").evaluateAll((all) =>
            all.map((e) => ({ name: e.dataset.name, type: e.type, options: e.options?.length, min: e.min, max: e.max, step: e.step })),
        );
        const buttons = await page.locator(".livebuttons button").all();
        for (let i = 0; i < each; ++i) {
            for (const c of controls) {
                if (c.type === "text") {
                    const text = typed[chance(typed.length)];
                    await set(page, c.name, text.slice(0, 1 + chance(text.length)));
                    continue;
                }
                const many = c.options ?? Math.round((c.max - c.min) / c.step) + 1;
                const place = chance(many);
                await set(page, c.name, c.options ? place : Number(c.min) + place * c.step);
            }
            // More often on than back. (The last button may be one that plays by itself.)
            if (buttons.length) await buttons[Math.min(buttons.length - 1, chance(4) ? 1 : 0)].click();
            const { command, lines } = await shown(page);
            const truth = await output(command);
            const missing = lines.filter((line) => !truth.some((other) => other.startsWith(line)));
            check(`${name}: ${command} does not print: ${missing[0]}`, lines.length > 0 && missing.length === 0);
        }
    });
    for (const colorScheme of ["light", "dark"]) {
        const narrow = { viewport: { width: 390, height: 800 }, colorScheme, reducedMotion: "reduce", hasTouch: true };
        await visit(name, narrow, async (page) => {
            await page.waitForSelector(".live");
            check(`${name}: fits 390 pixels`, (await overflow(page)) <= 0);
            check(`${name}: is as dark as the system`, (await isDark(page)) === (colorScheme === "dark"));
            const moves = await page.locator(".live .bar").evaluateAll((all) =>
                all.some((bar) => getComputedStyle(bar).transitionDuration !== "0s" && bar.closest(".livebars")),
            );
            const next = page.locator('.live [data-name="next"]');
            if (await next.count()) await next.click();
            const animated = await page.evaluate(() => document.getAnimations().length);
            check(`${name}: nothing moves if less motion is asked for`, !moves && animated === 0);
        });
    }
    // The arrows move a slider, Enter presses a button, and a screen reader is told.
    await visit(name, {}, async (page) => {
        await page.waitForSelector(".live");
        const before = await shown(page), address = page.url();
        const slider = page.locator(".live input[type=range]").first();
        if (await slider.count()) await slider.press("ArrowRight");
        else await page.locator('.live [data-name="next"]').press("Enter");
        const words = page.locator(".live input[type=text]");
        if (await words.count()) await words.pressSequentially("/");
        const after = await shown(page);
        check(`${name}: keys change what is said`, after.said !== before.said || after.command !== before.command);
        check(`${name}: keys turn no page in a figure`, page.url() === address);
        check(`${name}: what is said is announced`, (await page.locator(".live [aria-live=polite]").count()) > 0);
    });
}

// Without WebAssembly the lesson is what it was.
await visit("course/chapters/03_temperature/README", { without: "WebAssembly" }, async (page) => {
    await page.waitForTimeout(300);
    check("without WebAssembly: no live figure", (await page.locator(".live").count()) === 0);
    check("without WebAssembly: the still figure", await page.locator("article img").first().isVisible());
});
await end();
