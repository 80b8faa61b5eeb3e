import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { runHere } from "../testing/run-here.js";

const KEY = `stw_live_${"a".repeat(24)}_${"b".repeat(64)}`;
const cwd = mkdtempSync(join(tmpdir(), "steward-credential-"));
const keyFile = join(cwd, "key");
writeFileSync(keyFile, `${KEY}\n`);

let seen: IncomingHttpHeaders[] = [];
const server = createServer((request, response) => {
  seen.push(request.headers);
  response.writeHead(401, { "content-type": "application/json" });
  response.end(JSON.stringify({ error: "The API key is unknown", code: "UNAUTHENTICATED" }));
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterAll(() => {
  server.close();
  rmSync(cwd, { recursive: true });
});
beforeEach(() => {
  seen = [];
});

/** Lists plans of a server that refuses every credential. */
async function list(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  // A server that listens on TCP has an address of this kind.
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const run = await runHere(["plan", "list", "--server", url, ...args], { cwd, env });
  return { ...run, shown: seen.at(-1)?.authorization };
}

describe("a command that talks to a server", () => {
  it.each<[string, readonly string[], Readonly<Record<string, string>>]>([
    ["a flag", ["--api-key", KEY], { STEWARD_API_KEY: "another" }],
    ["a file that a flag names", ["--api-key-file", keyFile], {}],
    ["the environment", [], { STEWARD_API_KEY: KEY, STEWARD_TOKEN: "another" }],
    ["a file that the environment names", [], { STEWARD_API_KEY_FILE: keyFile }],
    ["a token of the environment", [], { STEWARD_TOKEN: KEY }],
  ])("shows the credential of %s, and prints it nowhere", async (_name, args, env) => {
    const { code, shown, stdout, stderr } = await list(args, env);
    expect(code).not.toBe(0);
    expect(shown).toBe(`Bearer ${KEY}`);
    expect(stderr).toContain("The API key is unknown");
    expect(`${stdout}${stderr}`).not.toContain("b".repeat(64));
  });

  it("warns of a key in a flag, which other users of the machine can see", async () => {
    expect((await list(["--api-key", KEY])).stderr).toContain("warning: --api-key");
    expect((await list(["--api-key-file", keyFile])).stderr).not.toContain("warning");
  });

  it("refuses what is no credential without repeating it", async () => {
    const wrong = `${KEY} and more`;
    const { code, stderr } = await list([], { STEWARD_API_KEY: wrong });
    expect(code).toBe(2);
    expect(stderr).toContain("STEWARD_API_KEY holds no API key or token");
    expect(stderr).not.toContain("b".repeat(64));
    expect((await list(["--api-key-file", join(cwd, "gone")])).stderr).toContain("cannot be read");
    expect(seen).toEqual([]);
  });
});
