// The playground in a real browser, opened from disk: it writes what a terminal writes, shows how, and says what it cannot.
//   node tests/page/playground.mjs FOLDER CHROMIUM PROGRAM, where FOLDER/playground.html is what make page builds
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { check, end, folder, isDark, overflow, program, visit } from "./visit.mjs";

const file = path.join(folder, "playground.html");
const size = fs.statSync(file).size;
const gaps = fs.statSync(path.join(folder, "playground_gaps.html")).size;
for (const bytes of [size, gaps])
    check(`a page has at most 9 MB (it has ${(bytes / 1e6).toFixed(2)})`, bytes <= 9e6);

const terminal = (words) =>
    execFileSync(program, words.some((w) => w.startsWith("--infill")) ? words : [...words, "--weights", "int4"], { stdio: ["ignore", "pipe", "pipe"] }).toString().replace(/\n$/, "");
// Until nothing is being written.
const done = (page) => page.locator(".buttons .go:enabled").waitFor({ timeout: 120000 });
const write = async (page) => {
    await page.getByRole("button", { name: "Write" }).click();
    await done(page);
};
const text = (page) => page.locator(".written").textContent();
const picture = (page, name) =>
    page.screenshot({ path: path.join(folder, `${name}.png`), fullPage: true });

// What an address asks for, and the same words in a terminal.
const requests = {
    plain: ["", ["Once upon a time", "-n", "40", "--seed", "0"], [".wheel .pointer", ".waterfall"]],
    sliders: [
        "#temperature=1.2&top-k=40&min-p=0.05&seed=7&length=30",
        ["Once upon a time", "-n", "30", "--temperature", "1.2", "--top-k", "40", "--min-p", "0.05"].concat(["--seed", "7"]),
        [".waterfall"],
    ],
    beams: [
        "#decoder=beams&num-beams=4&length=20",
        ["Once upon a time", "-n", "20", "--num-beams", "4"],
        [".node.best", ".node.pruned"],
    ],
    sketch: [
        "#decoder=sketch&length=40",
        ["Once upon a time", "-n", "40", "--assistant-model", "sketch", "--seed", "0"],
        [".lane .box.accepted"],
    ],
    schema: [
        "#decoder=schema&prompt=A+person%3A+&length=60",
        ["A person: ", "-n", "60", "--json-schema", "data/schemas/person.json", "--max-whitespace", "1", "--seed", "0"],
        [".guidestate b"],
    ],
    heads: [
        "#decoder=heads&length=40",
        ["Once upon a time", "-n", "40", "--medusa", "--seed", "0"],
        [".lane .box.accepted", ".guess"],
    ],
    "a head": [
        "#attention=4.5&length=20",
        ["Once upon a time", "-n", "20", "--seed", "0"],
        [".attention .looked.asking", ".attention .bar"],
    ],
};
for (const [name, [hash, words, parts]] of Object.entries(requests))
    await visit("playground", { hash }, async (page) => {
        await done(page);
        check(`playground, ${name}: the terminal's text`, (await text(page)) === terminal(words));
        for (const part of parts)
            check(`playground, ${name}: shows ${part}`, (await page.locator(part).count()) > 0);
        check(`playground, ${name}: no problem`, (await page.locator(".notice").count()) === 0);
        await picture(page, `playground-${name.replace(" ", "-")}`);
    });

// The other file: gaps.
const gap = ["I'm going to the beach to build a", "-n", "12", "--infill= Would you like to come with us?"];
await visit("playground_gaps", {}, async (page) => {
    await done(page);
    const words = [...gap, "--diffusion-order", "confidence", "--seed", "0"];
    check("gaps: the terminal's text", (await text(page)) === terminal(words));
    check("gaps: the passes are shown", (await page.locator(".grid tr:nth-child(12) .fresh").count()) > 0);
    await page.locator("#order").selectOption("random");
    await page.locator("#steps").fill("4");
    await page.locator("#length").fill("8");
    await write(page);
    const other = [gap[0], "-n", "8", gap[3], "--diffusion-order", "random", "--diffusion-steps", "4"];
    check("gaps: in four passes", (await text(page)) === terminal([...other, "--seed", "0"]));
    check("gaps: four rows", (await page.locator(".grid tr").count()) === 4);
    await picture(page, "playground-gaps");
});

await visit("playground", {}, async (page) => {
    await done(page);
    const ready = await page.evaluate(() => Number(document.body.dataset.ready));
    const megabytes = [size, gaps].map((bytes) => (bytes / 1e6).toFixed(2)).join(" and ");
    console.log(`playground: ready in ${ready} ms, ${megabytes} MB`);
    const step = page.getByRole("button", { name: "One more token" });
    for (let i = 0; i < 3; ++i) {
        await step.click();
        await done(page);
    }
    const three = ["Once upon a time", "-n", "3", "--seed", "0"];
    check("playground: three steps are three tokens", (await text(page)) === terminal(three));
    await page.locator("#temperature").fill("0");
    await page.locator("#prompt").fill('The weather "today" is');
    await write(page);
    const greedy = ['The weather "today" is', "-n", "40", "--temperature", "0", "--seed", "0"];
    check("playground: the form is the command line", (await text(page)) === terminal(greedy));
    check("playground: the address keeps the form", (await page.url()).includes("temperature=0"));
    const command = await page.locator(".command code").first().innerText();
    check("playground: the command is shown", command.includes(`'The weather "today" is' -n 40`));
    await page.locator("#prompt").fill("");
    await page.locator("#decoder").selectOption("schema");
    await page.locator("#schema").selectOption("own");
    await page.locator("#own").fill("{ no schema");
    await write(page);
    check("playground: a broken schema is said in words", /schema\.json/.test(await page.locator(".state").innerText()));
    await page.locator("#decoder").selectOption("plain");
    await page.locator("#prompt").fill("A long one");
    await page.locator("#length").fill("200");
    await page.getByRole("button", { name: "Write" }).click();
    await page.getByRole("button", { name: "Stop" }).click();
    check("playground: it stops", (await page.locator(".state").innerText()) === "Stopped.");
    await page.locator("#length").fill("2");
    await write(page);
    check("playground: and goes on", (await text(page)) === terminal(["A long one", "-n", "2", "--temperature", "0", "--seed", "0"]));
});
for (const name of ["playground", "playground_gaps"])
    await visit(name, { viewport: { width: 360, height: 740 }, colorScheme: "dark" }, async (page) => {
        await done(page);
        check(`${name}: fits 360 pixels`, (await overflow(page)) <= 0);
        check(`${name}: is dark where the system is`, await isDark(page));
        await picture(page, `${name.replace("_", "-")}-narrow`);
    });

// How fast it writes: said, not judged, because it depends on the machine and on what else it does.
await visit("playground", { hash: "#length=200" }, async (page) => {
    await done(page);
    // After the first text the browser has compiled what is run often once more.
    await write(page);
    const [speed] = /[\d\u202f]+ a second/.exec(await page.locator(".state").innerText()) || [];
    console.log(`playground: ${speed}`);
    check("playground: its speed is said", speed !== undefined);
});

// A browser without vectors says so.
fs.writeFileSync(
    path.join(folder, "playground-old.html"),
    fs
        .readFileSync(file, "latin1")
        .replace("<svg id=", "<script>WebAssembly.validate = () => false;</script><svg id="),
    "latin1",
);
await visit("playground-old", {}, async (page) => {
    const words = await page.locator(".notice").innerText();
    check("playground: a browser without SIMD is told", words.includes("SIMD") && words.includes("make run"));
});
await end();
