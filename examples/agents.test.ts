import { DatabaseSync } from "@photostructure/sqlite";
import { openApp, type App } from "@steward/server";
import { execFile, execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createCompletion,
  createResponse,
  createMessage,
  startModelServer,
} from "./scripted/apis.js";
import { QUESTION } from "./scripted/decide.js";
import { aiSdkModel, langChainModel, openAiAgentsModel } from "./scripted/models.js";

/**
 * Each example works on a real server with a scripted model, which misspells a column and corrects it by the hint of
 * the answer. Debian's Python runs the examples in Python, because its packages are for that one.
 */
const folder = mkdtempSync(join(tmpdir(), "steward-examples-"));
const root = fileURLToPath(new URL("../..", import.meta.url));
const PYTHON = "/usr/bin/python3";
const hasPython = spawnSync(PYTHON, ["--version"]).status === 0;
const hasGrpc =
  spawnSync(PYTHON, ["-c", "import grpc, google.protobuf"]).status === 0 &&
  spawnSync("protoc", ["--version"]).status === 0;
const noPython = hasPython ? "" : " (skipped: this machine has no python3 of Debian's)";
const noGrpc = hasGrpc
  ? ""
  : " (skipped: this machine lacks one of Debian's python3-grpcio, python3-protobuf, protobuf-compiler)";

const ANSWER = "Customer 1 is Ada.";

let app: App;
let baseUrl: string;
beforeAll(async () => {
  const shop = new DatabaseSync(join(folder, "shop.db"));
  shop.exec("CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT)");
  shop.exec("INSERT INTO customers VALUES (1, 'Ada', 'Turin'), (2, 'Ben', 'Oslo')");
  shop.close();
  app = await openApp({
    port: 0,
    logLevel: "silent",
    databaseUrl: `sqlite:${join(folder, "steward.db")}`,
    dataSources: [{ name: "shop", url: `sqlite:${join(folder, "shop.db")}` }],
  });
  baseUrl = `http://127.0.0.1:${app.address.port}`;
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

describe("the example agent answers a question", () => {
  it("with the AI SDK", async () => {
    const { ask } = await import("./ai-sdk.js");
    expect(await ask(aiSdkModel(), QUESTION, baseUrl)).toBe(ANSWER);
  });

  it("with the OpenAI Agents SDK", async () => {
    const { setTracingDisabled } = await import("@openai/agents");
    setTracingDisabled(true);
    const { ask } = await import("./openai-agents.js");
    expect(await ask(openAiAgentsModel(), QUESTION, baseUrl)).toBe(ANSWER);
  });

  it("with LangChain.js", async () => {
    const { ask } = await import("./langchain.js");
    expect(await ask(langChainModel(), QUESTION, baseUrl)).toBe(ANSWER);
  });

  it("with LangGraph.js", async () => {
    const { ask } = await import("./langgraph.js");
    expect(await ask(langChainModel(), QUESTION, baseUrl)).toBe(ANSWER);
  });

  it("with Anthropic's Messages API and no framework", async () => {
    const { ask } = await import("./anthropic.js");
    expect(await ask(createMessage, QUESTION, baseUrl)).toBe(ANSWER);
  });

  it("with OpenAI's Chat Completions API and no framework", async () => {
    const { ask } = await import("./openai.js");
    expect(await ask(createCompletion, QUESTION, baseUrl)).toBe(ANSWER);
  });

  it("with OpenAI's Responses API and no framework", async () => {
    const { ask } = await import("./openai-responses.js");
    expect(await ask(createResponse, QUESTION, baseUrl)).toBe(ANSWER);
  });

  it.skipIf(!hasPython)(`with Python over MCP${noPython}`, async () => {
    expect(await runPython("over_mcp.py")).toBe(ANSWER);
  });

  it.skipIf(!hasGrpc)(`with Python over gRPC${noGrpc}`, async () => {
    const protos = join(root, "packages/protocol/proto");
    const proto = "controlplane/v1/control_plane.proto";
    execFileSync("protoc", ["-I", protos, `--python_out=${folder}`, proto]);
    expect(await runPython("over_grpc.py")).toBe(ANSWER);
  });
});

/** Runs an example in Python against the scripted model. @returns what it prints. */
async function runPython(file: string): Promise<string> {
  await using model = await startModelServer();
  const path = join(root, "examples/python", file);
  const env = {
    OPENAI_BASE_URL: model.url,
    STEWARD_URL: baseUrl,
    STEWARD_GRPC: new URL(baseUrl).host,
    PYTHONPATH: folder,
    PYTHONDONTWRITEBYTECODE: "1",
  };
  const { stdout } = await promisify(execFile)(PYTHON, [path, QUESTION], { env });
  return stdout.trim();
}
