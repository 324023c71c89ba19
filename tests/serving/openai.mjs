// A real client: the `openai` package of npm against a server that runs.
//   node tests/serving/openai.mjs http://127.0.0.1:8080 FOLDER-WITH-node_modules
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import assert from "node:assert/strict";

const [address, folder] = process.argv.slice(2);
const require = createRequire(pathToFileURL(folder + "/"));
const { default: OpenAI } = await import(pathToFileURL(require.resolve("openai")));
const client = new OpenAI({ baseURL: address + "/v1", apiKey: "none", timeout: 60_000, maxRetries: 0 });
const model = "storyteller";
const hi = [{ role: "user", content: "who are you?" }];
let passed = 0, failed = 0;

async function test(name, work) {
  try {
    await work();
    passed++;
  } catch (error) {
    failed++;
    console.log("FAIL: openai: " + name + ": " + error.message);
  }
}

await test("models are listed", async () => {
  const names = [];
  for await (const one of client.models.list()) names.push(one.id);
  assert.deepEqual(names, [model]);
  assert.equal((await client.models.retrieve(model)).id, model);
});

await test("a chat and its stream say the same", async () => {
  const whole = await client.chat.completions.create({ model, messages: hi, seed: 1 });
  const stream = await client.chat.completions.create(
    { model, messages: hi, seed: 1, stream: true, stream_options: { include_usage: true } });
  let text = "", usage;
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta.content ?? "";
    usage = chunk.usage ?? usage;
  }
  assert.ok(text.length > 0);
  assert.equal(text, whole.choices[0].message.content);
  assert.equal(usage.total_tokens, whole.usage.total_tokens);
});

await test("a completion with log-probabilities", async () => {
  const answer = await client.completions.create({ model, prompt: "Once upon a time", max_tokens: 5, logprobs: 2, n: 2 });
  assert.equal(answer.choices.length, 2);
  assert.equal(answer.choices[0].logprobs.tokens.join(""), answer.choices[0].text);
});

const schema = { type: "object", additionalProperties: false, required: ["name", "age"],
  properties: { name: { type: "string", maxLength: 12 }, age: { type: "integer" } } };

await test("the parse helper reads an answer under a schema", async () => {
  const answer = await client.chat.completions.parse({ model, messages: [{ role: "user", content: "A person:" }],
    response_format: { type: "json_schema", json_schema: { name: "person", strict: true, schema } } });
  const person = answer.choices[0].message.parsed ?? JSON.parse(answer.choices[0].message.content);
  assert.equal(typeof person.name, "string");
  assert.ok(Number.isInteger(person.age));
});

const tools = [{ type: "function", function: { name: "add_person", strict: true, parameters: schema } }];

await test("a tool is called, whole and in a stream", async () => {
  const answer = await client.chat.completions.create({ model, messages: hi, tools, tool_choice: "required", seed: 1 });
  const [call] = answer.choices[0].message.tool_calls;
  assert.equal(answer.choices[0].finish_reason, "tool_calls");
  assert.equal(call.function.name, "add_person");
  assert.equal(typeof JSON.parse(call.function.arguments).name, "string");
  const stream = client.chat.completions.stream({ model, messages: hi, tools, tool_choice: "required", seed: 1 });
  const final = await stream.finalChatCompletion();
  assert.equal(final.choices[0].message.tool_calls[0].function.arguments, call.function.arguments);
  const next = await client.chat.completions.create({ model, messages: [...hi, answer.choices[0].message,
    { role: "tool", tool_call_id: call.id, content: "done" }] });
  assert.equal(typeof next.choices[0].message.content, "string");
});

await test("errors have their classes", async () => {
  const asked = more => client.chat.completions.create({ model, messages: hi, ...more });
  await assert.rejects(asked({ temperature: -1 }), OpenAI.BadRequestError);
  assert.equal((await asked({ model: "gpt-9", max_tokens: 3 })).model, model);
  await assert.rejects(asked({ temprature: 1 }), /did you mean temperature/);
});

await test("a client that gives up, and one that has no time", async () => {
  const long = { model, prompt: "Once upon a time", max_tokens: 500, ignore_eos: true };
  const controller = new AbortController();
  const stream = await client.completions.create({ ...long, stream: true }, { signal: controller.signal });
  let pieces = 0;
  for await (const chunk of stream) if (chunk && ++pieces === 5) controller.abort();
  assert.ok(pieces < 400);
  await assert.rejects(client.completions.create({ ...long, n: 64 }, { timeout: 20 }), OpenAI.APIConnectionTimeoutError);
  assert.equal((await client.completions.create({ model, prompt: "a", max_tokens: 1 })).choices.length, 1);
});

console.log(passed + " passed, " + failed + " failed");
process.exit(failed ? 1 : 0);
