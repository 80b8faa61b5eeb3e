import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import type { McpEndpoint } from "../../governance/index.js";
import { rowsOfResult } from "./call-result.js";
import { McpConnection } from "./mcp-connection.js";

/** The official servers, as they come from npm, are started on stdio and called. */
const require = createRequire(import.meta.url);
const EVERYTHING = require.resolve("@modelcontextprotocol/server-everything/package.json");
const FILESYSTEM = require.resolve("@modelcontextprotocol/server-filesystem/package.json");
const signal = new AbortController().signal;

/** Calls tools of one server, each over a connection of its own, as steps do. */
async function called(
  packageFile: string,
  args: readonly string[],
  calls: readonly (readonly [tool: string, args: object])[],
): Promise<readonly unknown[]> {
  const script = join(dirname(packageFile), "dist/index.js");
  return calledAt({ command: process.execPath, args: [script, ...args], env: {} }, calls);
}

async function calledAt(
  endpoint: McpEndpoint,
  calls: readonly (readonly [tool: string, args: object])[],
): Promise<readonly unknown[]> {
  return Promise.all(
    calls.map(async ([name, given]) => {
      await using connection = await McpConnection.open({ endpoint, signal });
      const definition = (await connection.definitions(signal)).find((each) => each.name === name);
      if (definition === undefined) return `no tool ${name}`;
      const result = await connection.call(definition, { ...given }, { signal, timeoutMs: 30_000 });
      return JSON.parse(rowsOfResult(result).outputJson) as unknown;
    }),
  );
}

/** A port that was free a moment ago: the server takes no 0. */
async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  // A server that listens on a port has this address.
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}

it("calls the tools of server-everything: texts, structured content and links", async () => {
  const [echo, sum, structured, links] = await called(
    EVERYTHING,
    [],
    [
      ["echo", { message: "hello" }],
      ["get-sum", { a: 2, b: 3 }],
      ["get-structured-content", { location: "New York" }],
      ["get-resource-links", { count: 2 }],
    ],
  );
  expect(echo).toEqual([{ type: "text", text: expect.stringContaining("hello") as string }]);
  expect(sum).toEqual([{ type: "text", text: expect.stringContaining("5") as string }]);
  expect(structured).toEqual([
    expect.objectContaining({ temperature: expect.any(Number) as number }),
  ]);
  expect(links).toContainEqual(expect.objectContaining({ type: "resource_link" }));
}, 60_000);

it("calls the tools of server-everything over Streamable HTTP, each over a connection of its own", async () => {
  const port = await freePort();
  const script = join(dirname(EVERYTHING), "dist/index.js");
  const env = { ...process.env, PORT: String(port) };
  const server = spawn(process.execPath, [script, "streamableHttp"], { env });
  try {
    await new Promise<void>((resolve, reject) => {
      server.stderr.on("data", (chunk) => String(chunk).includes("listening") && resolve());
      server.once("exit", () => reject(new Error("server-everything ended")));
    });
    const endpoint = { url: `http://127.0.0.1:${String(port)}/mcp`, headers: {} };
    const [echo, sum, structured] = await calledAt(endpoint, [
      ["echo", { message: "hello" }],
      ["get-sum", { a: 2, b: 3 }],
      ["get-structured-content", { location: "New York" }],
    ]);
    expect(JSON.stringify(echo)).toContain("hello");
    expect(JSON.stringify(sum)).toContain("5");
    expect(JSON.stringify(structured)).toContain("temperature");
  } finally {
    server.kill();
    await once(server, "exit");
  }
}, 60_000);

it("reads a file by server-filesystem", async () => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "steward-files-")));
  try {
    writeFileSync(join(directory, "a.txt"), "written before");
    const read = ["read_text_file", { path: join(directory, "a.txt") }] as const;
    const [rows] = await called(FILESYSTEM, [directory], [read]);
    expect(JSON.stringify(rows)).toContain("written before");
  } finally {
    rmSync(directory, { recursive: true });
  }
}, 60_000);
