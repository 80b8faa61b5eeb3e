import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { basename, dirname } from "node:path";
import { Client } from "pg";
import { describe, expect, it, vi } from "vitest";
import { PostgresServer } from "./postgres-server.js";

/** A program that starts a server, prints its URL and waits to be killed. */
const PROGRAM = `
  import { PostgresServer } from ${JSON.stringify(new URL("index.js", import.meta.url).href)};
  const server = await PostgresServer.start();
  console.log(server.url);
  setInterval(() => {}, 1000);
`;

describe("a server", () => {
  it("keeps its address and its data when it is stopped as if by a power cut", async () => {
    await using server = await PostgresServer.start();
    const { url } = server;
    await query(url, "CREATE TABLE kept AS SELECT 1 AS n");
    await server.stop("immediate");
    await expect(query(url, "SELECT 1")).rejects.toThrow("ECONNREFUSED");
    await server.start();
    expect(server.url).toBe(url);
    expect(await query(url, "TABLE kept")).toEqual([{ n: 1 }]);
  });

  it("leaves nothing behind when it is disposed of", async () => {
    const server = await PostgresServer.start();
    const { url } = server;
    const directory = await runDirectory(url);
    await server[Symbol.asyncDispose]();
    expect(existsSync(directory)).toBe(false);
    await expect(query(url, "SELECT 1")).rejects.toThrow("ECONNREFUSED");
  });

  it("leaves nothing behind when the process that wanted it is killed", async () => {
    const { url, kill } = await startElsewhere();
    const directory = await runDirectory(url);
    kill();
    await vi.waitFor(() => expect(existsSync(directory)).toBe(false), 60_000);
    await expect(query(url, "SELECT 1")).rejects.toThrow("ECONNREFUSED");
  });

  it("is stopped and removed by the next one when its keeper was killed too", async () => {
    const { url, kill } = await startElsewhere();
    const directory = await runDirectory(url);
    process.kill(Number(basename(directory).split("-").at(-1)), "SIGKILL");
    kill();
    expect(await query(url, "SELECT 1 AS orphan")).toEqual([{ orphan: 1 }]);
    await using next = await PostgresServer.start();
    expect(existsSync(directory)).toBe(false);
    await expect(query(url, "SELECT 1")).rejects.toThrow("ECONNREFUSED");
    expect(await query(next.url, "SELECT 1 AS n")).toEqual([{ n: 1 }]);
  });
});

async function startElsewhere(): Promise<{ url: string; kill: () => void }> {
  const owner = spawn(process.execPath, ["--input-type=module", "-e", PROGRAM], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = await new Promise<string>((resolve) => {
    owner.stdout.setEncoding("utf8").once("data", (text: string) => resolve(text.trim()));
  });
  return { url, kill: () => void owner.kill("SIGKILL") };
}

async function runDirectory(url: string): Promise<string> {
  const [row] = await query(url, "SHOW data_directory");
  return dirname((row as { data_directory: string }).data_directory);
}

async function query(url: string, sql: string): Promise<readonly unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
