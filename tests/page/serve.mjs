// The page of the server, in a real browser: a conversation, regenerated, edited, stopped, and asked why; what a model
// writes is text and no markup; at 390 and at 1280 pixels, light and dark.
//   node tests/page/serve.mjs WORK CHROMIUM BUILD/23_text_generator
// WORK has playwright-core and gets the screenshots (none with CI=1); the server's program is beside the generator. Ends
// with "N passed, N failed".
import { createRequire } from "node:module";
import { spawn } from "node:child_process";
import { dirname, join, resolve } from "node:path";
import assert from "node:assert/strict";

const [work, executablePath, generator] = process.argv.slice(2);
const folder = process.env.CI ? "" : work;
const { chromium } = createRequire(resolve(work) + "/")("playwright-core");
const server = spawn(join(dirname(generator), "serve"), ["--port", "0", "--quiet", "--max-tokens", "1000000"],
  { stdio: ["ignore", "pipe", "ignore"] });
process.on("exit", () => server.kill());
let said = "";
for await (const piece of server.stdout) if (/a page: *\S+\//.test(said += piece)) break;
const address = /a page: *(\S+)\//.exec(said)[1];
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const faults = [];
let passed = 0, failed = 0;

async function test(name, work) {
  try {
    await work();
    assert.deepEqual(faults.splice(0), []);
    passed++;
  } catch (error) {
    failed++;
    console.log("FAIL: " + name + ": " + error.message);
  }
}

async function open(width, colorScheme) {
  const context = await browser.newContext({ viewport: { width, height: width < 600 ? 844 : 800 }, colorScheme });
  const page = await context.newPage();
  page.on("pageerror", error => faults.push("page error: " + error.message));
  page.on("console", message => message.type() === "error" && faults.push("console: " + message.text()));
  page.on("request", request => request.url().startsWith(address) || faults.push("request: " + request.url()));
  await page.goto(address + "/");
  return page;
}
async function say(page, text) {
  await page.fill("#line", text);
  await page.press("#line", "Enter");
}
// Not waitForFunction, which evaluates a string: the page's security policy forbids that.
async function until(page, holds) {
  for (let i = 0; i < 600; i++, await page.waitForTimeout(50)) if (await page.evaluate(holds)) return;
  throw new Error("waited in vain for " + holds);
}
const answered = page => page.waitForSelector("#send:not([hidden])", { timeout: 30_000 });
const answers = page => page.locator(".turn.assistant").allTextContents();
const fits = page => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);

for (const [width, scheme] of [[390, "light"], [390, "dark"], [1280, "light"], [1280, "dark"]])
  await test(`a conversation at ${width} pixels, ${scheme}`, async () => {
    const page = await open(width, scheme);
    await until(page, () => document.querySelector("#model").textContent.includes("storyteller"));
    await say(page, "who are you?");
    await page.waitForSelector("text=Regenerate", { timeout: 30_000 });
    await say(page, "tell me a story");
    await until(page, () => document.querySelectorAll(".turn.assistant").length === 2);
    await answered(page);
    await page.waitForSelector("text=Regenerate", { timeout: 30_000 });
    const before = await answers(page);
    assert.ok(before.every(text => text.trim().length > 0));
    assert.ok(await fits(page), "the page is wider than the window");
    await page.click("text=Why these words?");
    await page.waitForSelector(".why span", { timeout: 30_000 });
    if (folder) await page.screenshot({ path: `${folder}/serve-${width}-${scheme}-why.png` });
    await page.click("summary");
    assert.ok(await fits(page), "with the options the page is wider than the window");
    assert.ok(await page.locator("#talk").evaluate(talk => talk.clientHeight) >= 190, "the conversation has no room");
    if (folder) await page.screenshot({ path: `${folder}/serve-${width}-${scheme}-options.png` });
    await page.click("summary");
    await page.click("text=Regenerate");
    await page.waitForSelector("text=Regenerate", { timeout: 30_000 });
    assert.equal((await answers(page)).length, 2);
    await page.reload();   // it is kept
    if (width < 600) await page.click("#menu");
    await page.click("nav .open");
    assert.equal((await answers(page)).length, 2);
    await page.click(".tools.mine button");   // Edit the first question: what follows goes
    assert.equal(await page.inputValue("#line"), "who are you?");
    assert.equal((await answers(page)).length, 0);
    if (folder) await page.screenshot({ path: `${folder}/serve-${width}-${scheme}.png` });
    await page.context().close();
  });

await test("an answer is stopped, and one that is refused leaves no empty answer", async () => {
  const page = await open(1280, "light");
  await page.route("**/v1/chat/completions", async route => {
    // A text without an end: none of the template's stop strings fits the grammar.
    const body = { ...JSON.parse(route.request().postData()), ignore_eos: true, grammar: "root ::= [a-z ]+", context: "slide",
      max_tokens: 1000000 };
    await route.continue({ postData: JSON.stringify(body) });
  });
  await say(page, "tell me a long story");
  await page.waitForSelector("#stop:not([hidden])");
  await until(page, () => document.querySelector(".turn.assistant")?.textContent.length > 5);
  await page.click("#stop");
  await answered(page);
  assert.equal((await answers(page)).length, 1);
  await page.unroute("**/v1/chat/completions");
  await page.click("summary");
  await page.fill("input[name=temperature]", "-1");
  await say(page, "and now?");
  await page.waitForSelector(".turn.note");
  faults.length = 0;   // the browser's console names the refusal
  assert.equal((await answers(page)).length, 1);
  await page.context().close();
});

await test("what a model writes is text: lists, code and emphasis, and never markup", async () => {
  const page = await open(390, "light");
  const text = "<img src=x onerror=alert(1)> **bold** and `code`\n\n- one\n- two\n\n```html\n<script>alert(1)</script>\n```\n";
  await page.route("**/v1/chat/completions", route => route.fulfill({ contentType: "text/event-stream",
    body: "data: " + JSON.stringify({ choices: [{ index: 0, delta: { content: text }, finish_reason: "stop" }] }) + "\n\ndata: [DONE]\n\n" }));
  await say(page, "anything");
  await page.waitForSelector(".turn.assistant pre");
  const found = await page.evaluate(() => ["img", "script", "b", "code", "li", "pre"].map(tag =>
    document.querySelectorAll(".turn.assistant " + tag).length));
  assert.deepEqual(found, [0, 0, 1, 2, 2, 1]);
  assert.ok(await fits(page));
  if (folder) await page.screenshot({ path: folder + "/serve-markup.png" });
  await page.context().close();
});

await browser.close();
console.log(passed + " passed, " + failed + " failed");
process.exit(failed ? 1 : 0);
