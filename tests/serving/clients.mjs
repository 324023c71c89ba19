// Real clients of the other interfaces against a server that runs: Responses and embeddings of `openai`,
// `@anthropic-ai/sdk`, `ollama`, the AI SDK and LangChain. A package that is not installed is named and left out.
//   node tests/serving/clients.mjs http://127.0.0.1:8080 FOLDER-WITH-node_modules
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import assert from "node:assert/strict";

const [address, folder] = process.argv.slice(2);
const require = createRequire(pathToFileURL(folder + "/"));
const model = "storyteller", question = "who are you?";
let passed = 0, failed = 0;

// Runs `work` with the module of a package.
async function test(name, packages, work) {
  const modules = [];
  try {
    for (const one of packages) modules.push(await import(pathToFileURL(require.resolve(one))));
  } catch {
    return console.log("skipped: " + packages.join(", ") + ": not installed here");
  }
  try {
    await work(...modules);
    passed++;
  } catch (error) {
    failed++;
    console.log("FAIL: " + name + ": " + error.message);
  }
}

const chat = await (await fetch(address + "/v1/chat/completions", { method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({ messages: [{ role: "user", content: question }], seed: 1, max_tokens: 20 }) })).json();
const expected = chat.choices[0].message.content;
const parameters = { type: "object", additionalProperties: false, required: ["city"],
  properties: { city: { type: "string", maxLength: 8 } } };
const sentences = ["The cat sat on the mat.", "Cats sit on mats."];

await test("openai: responses and embeddings", ["openai"], async ({ default: OpenAI }) => {
  const client = new OpenAI({ baseURL: address + "/v1", apiKey: "none", timeout: 60_000, maxRetries: 0 });
  const ask = { model, input: question, seed: 1, max_output_tokens: 20 };
  const whole = await client.responses.create(ask);
  assert.equal(whole.output_text, expected);
  let text = "", last;
  for await (const event of await client.responses.create({ ...ask, stream: true })) {
    if (event.type === "response.output_text.delta") text += event.delta;
    last = event.type;
  }
  assert.equal(text, expected);
  assert.ok(["response.completed", "response.incomplete"].includes(last));
  const next = await client.responses.create({ model, input: "and?", previous_response_id: whole.id, max_output_tokens: 5 });
  assert.equal(typeof next.output_text, "string");
  const called = await client.responses.create({ model, input: "weather?", tool_choice: "required",
    tools: [{ type: "function", name: "weather", strict: true, parameters }] });
  assert.equal(typeof JSON.parse(called.output[0].arguments).city, "string");
  const { data } = await client.embeddings.create({ model, input: sentences });
  const floats = await client.embeddings.create({ model, input: sentences, encoding_format: "float" });
  assert.equal(data.length, 2);
  data[0].embedding.forEach((x, i) => assert.ok(Math.abs(x - floats.data[0].embedding[i]) < 1e-6));
});

await test("anthropic", ["@anthropic-ai/sdk"], async ({ default: Anthropic }) => {
  const client = new Anthropic({ baseURL: address, apiKey: "none", timeout: 60_000, maxRetries: 0 });
  const ask = { model, max_tokens: 20, seed: 1, messages: [{ role: "user", content: question }] };
  assert.equal((await client.messages.create(ask)).content[0].text, expected);
  const stream = client.messages.stream(ask);
  let text = "";
  stream.on("text", piece => text += piece);
  const final = await stream.finalMessage();
  assert.equal(text, expected);
  assert.equal(final.content[0].text, expected);
  const called = await client.messages.create({ model, max_tokens: 60, messages: [{ role: "user", content: "weather?" }],
    tools: [{ name: "weather", input_schema: parameters }], tool_choice: { type: "any" } });
  assert.equal(called.stop_reason, "tool_use");
  assert.equal(typeof called.content[0].input.city, "string");
  assert.ok((await client.messages.countTokens({ model, messages: ask.messages })).input_tokens > 3);
  await assert.rejects(client.messages.create({ ...ask, temperature: -1 }), Anthropic.BadRequestError);
});

await test("ollama", ["ollama"], async ({ Ollama }) => {
  const client = new Ollama({ host: address });
  const ask = { model, messages: [{ role: "user", content: question }], options: { seed: 1, num_predict: 20 } };
  assert.equal((await client.chat(ask)).message.content, expected);
  let text = "";
  for await (const part of await client.chat({ ...ask, stream: true })) text += part.message.content;
  assert.equal(text, expected);
  assert.equal(typeof (await client.generate({ model, prompt: "Once", options: { num_predict: 5 } })).response, "string");
  assert.equal((await client.list()).models[0].name, model);
  assert.ok((await client.show({ model })).model_info);
});

for (const [name, create] of [["@ai-sdk/openai", m => m.createOpenAI({ baseURL: address + "/v1", apiKey: "none" })(model)],
  ["@ai-sdk/openai-compatible", m => m.createOpenAICompatible({ name: "here", baseURL: address + "/v1" })(model)]])
  await test(name, ["ai", name], async ({ generateText, streamText }, provider) => {
    const ask = { model: create(provider), prompt: question, maxOutputTokens: 20, maxRetries: 0 };
    const { text } = await generateText(ask);
    assert.ok(text.length > 0);
    let streamed = "";
    for await (const piece of streamText(ask).textStream) streamed += piece;
    assert.ok(streamed.length > 0);
  });

await test("langchain", ["@langchain/openai"], async ({ ChatOpenAI, OpenAIEmbeddings }) => {
  const here = { model, apiKey: "none", configuration: { baseURL: address + "/v1" }, maxRetries: 0 };
  const chat = new ChatOpenAI({ ...here, maxTokens: 20, modelKwargs: { seed: 1 } });
  assert.equal((await chat.invoke(question)).content, expected);
  let text = "";
  for await (const chunk of await chat.stream(question)) text += chunk.content;
  assert.equal(text, expected);
  const tool = { type: "function", function: { name: "weather", description: "of a city", parameters } };
  const called = await new ChatOpenAI(here).bindTools([tool], { tool_choice: "required" }).invoke("weather?");
  assert.equal(typeof called.tool_calls[0].args.city, "string");
  const form = { title: "place", description: "a place", ...parameters };
  const place = await new ChatOpenAI(here).withStructuredOutput(form, { method: "jsonSchema" }).invoke("where?");
  assert.equal(typeof place.city, "string");
  assert.ok((await new OpenAIEmbeddings(here).embedDocuments(sentences))[1].length > 8);
});

console.log(passed + " passed, " + failed + " failed");
process.exit(failed ? 1 : 0);
