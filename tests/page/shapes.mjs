// What the views look like, as boxes: where the parts stand, how large they are, their colours. Not pixels, since fonts differ between
// machines: places may differ by a few hundredths of the width, heights by half, counts and colours not at all.
// Nothing is compared where there is no usual font.
//   shapes.json holds them; UPDATE=1 make test-page writes it anew, after a change that is meant.
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { check, visit } from "./visit.mjs";

const reference = path.join(path.dirname(fileURLToPath(import.meta.url)), "shapes.json");
const parts = [
    ".card",
    ".tabs button",
    ".text .prompt",
    ".text .token",
    ".token.selected",
    ".skyline path",
    ".skyline .over",
    ".marker",
    ".chip.yes",
    ".chip.no",
    ".wheel .slice",
    ".wheel .slice.chosen",
    ".wheel .pointer path",
    ".waterfall .bar",
    ".waterfall .chosen .bar",
    ".waterfall .cut",
    ".node rect",
    ".node.best rect",
    ".node.pruned rect",
    ".edge.best",
    ".box.accepted",
    ".box.rejected",
    ".box.bonus",
    ".meter .fill",
    ".guess rect",
    ".guess.kept rect",
    ".branch",
    ".grid .masked",
    ".grid .fresh button",
    ".passes path",
    ".command",
];

// Of each part: how many there are, and of the first one left and width (hundredths of the window), height, colour.
const measure = (page) =>
    page.evaluate(
        (names) =>
            Object.fromEntries(
                names
                    .map((name) => [name, document.querySelectorAll(name)])
                    .filter(([, all]) => all.length)
                    .map(([name, all]) => {
                        const box = all[0].getBoundingClientRect();
                        const look = getComputedStyle(all[0]);
                        const share = (x) => Math.round((100 * x) / window.innerWidth);
                        const svg = all[0] instanceof SVGElement;
                        const colour = svg ? [look.fill, look.stroke].join(" / ") : look.backgroundColor;
                        return [name, [all.length, share(box.left), share(box.width), Math.round(box.height), colour]];
                    }),
            ),
        parts,
    );

const differences = (was, is) => {
    const wrong = [];
    for (const name of new Set([...Object.keys(was), ...Object.keys(is)])) {
        const [a, b] = [was[name], is[name]];
        if (!a || !b) {
            wrong.push(`${name} ${a ? "is gone" : "is new"}`);
            continue;
        }
        // Text flows as its font has it, and tables follow their texts; other parts stand as the window makes them.
        const flows = /chip|prompt|token|box|tabs/.test(name);
        const slack = flows || /waterfall|grid|node|marker|pointer|slice/.test(name) ? 14 : 4;
        if (a[0] !== b[0]) wrong.push(`${name}: ${b[0]} of them, expected ${a[0]}`);
        if (!flows && Math.abs(a[1] - b[1]) > slack) wrong.push(`${name}: left at ${b[1]} %, expected ${a[1]}`);
        if (Math.abs(a[2] - b[2]) > slack) wrong.push(`${name}: ${b[2]} % wide, expected ${a[2]}`);
        if (Math.abs(a[3] - b[3]) > 6 + a[3] / 2) wrong.push(`${name}: ${b[3]} high, expected ${a[3]}`);
        if (a[4] !== b[4]) wrong.push(`${name}: colour ${b[4]}, expected ${a[4]}`);
    }
    return wrong;
};

// names: pages of the folder, of traces made by hand.
export const shapes = async (names) => {
    // How wide a text is in the page's type: about 150 pixels, or the machine has no usual font.
    let width = 0;
    await visit(names[0], {}, async (page) => {
        width = await page.evaluate(() => {
            const text = document.createElement("span");
            text.textContent = "The quick brown fox";
            document.body.append(text);
            const wide = text.getBoundingClientRect().width;
            text.remove();
            return wide;
        });
    });
    if (width < 110 || width > 200)
        return console.log(`page: shapes not compared: “The quick brown fox” is ${width} pixels wide here`);
    const known = fs.existsSync(reference) ? JSON.parse(fs.readFileSync(reference)) : {};
    const now = {};
    const views = [
        ["wide", { viewport: { width: 1200, height: 860 } }],
        ["narrow, dark", { viewport: { width: 360, height: 740 }, colorScheme: "dark" }],
    ];
    for (const name of names)
        for (const [view, options] of views)
            await visit(name, options, async (page) => {
                const what = `${name}, ${view}`;
                now[what] = await measure(page);
                if (process.env.UPDATE) return;
                const wrong = differences(known[what] || {}, now[what]);
                check(`${what}: looks as before: ${wrong.slice(0, 3).join("; ")}`, wrong.length === 0);
            });
    if (process.env.UPDATE)
        fs.writeFileSync(
            reference,
            `{\n${Object.entries(now)
                .map(([what, shape]) => {
                    const lines = Object.entries(shape).map(([k, v]) => `  ${JSON.stringify(k)}: ${JSON.stringify(v)}`);
                    return `${JSON.stringify(what)}: {\n${lines.join(",\n")}\n}`;
                })
                .join(",\n")}\n}\n`,
        );
};
