import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { runHere } from "../testing/run-here.js";
import { runSteward } from "../testing/steward-process.js";

const ORG = "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11";
const cwd = mkdtempSync(join(tmpdir(), "steward-key-"));
afterAll(() => {
  rmSync(cwd, { recursive: true });
});

describe("steward key", () => {
  it("creates, lists, rotates and revokes keys in the store, and prints a secret once", async () => {
    const env = { SERVICE_DATABASE_URL: `sqlite:${join(cwd, "store.db")}` };
    const run = async (...args: readonly string[]) => {
      const [command = "", ...more] = args;
      const runOne = command === "create" ? runSteward : runHere;
      const { code, stdout, stderr } = await runOne(["key", command, "--org", ORG, ...more], {
        ...{ cwd, env },
      });
      expect([code, stderr]).toEqual([0, expect.any(String)]);
      return stdout;
    };
    const who = ["--name", "Bot", "--agent", "bot", "--acting-for", "ada", "--role", "agent"];
    const text = (await run("create", ...who, "--expires", "90d")).trim();
    expect(text).toMatch(/^stw_live_[0-9a-f]{24}_[0-9a-f]{64}$/);
    const [, , keyId = ""] = text.split("_");

    const rotated = (await run("rotate", keyId, "--overlap", "24")).trim();
    expect(rotated).toContain(`stw_live_${keyId}_`);
    expect(rotated).not.toBe(text);
    expect(await run("revoke", keyId)).toBe(`revoked ${keyId}\n`);

    const listed = await run("list", "--json");
    expect(JSON.parse(listed)).toMatchObject([
      { key_id: keyId, name: "Bot", status: "revoked", agent_id: "bot", user_id: "ada" },
    ]);
    expect(listed).not.toMatch(/[0-9a-f]{64}/);
  });

  it("names what is wrong: the organization, the store, the key", async () => {
    const failing = async (args: readonly string[], env = {}) =>
      (await runHere(["key", ...args], { cwd, env })).stderr;
    expect(await failing(["list", "--org", "acme"])).toContain("is no UUID");
    expect(await failing(["list", "--org", ORG])).toContain("SERVICE_DATABASE_URL");
    const env = { SERVICE_DATABASE_URL: `sqlite:${join(cwd, "store.db")}` };
    expect(await failing(["revoke", "0123", "--org", ORG], env)).toContain("no valid API key 0123");
    const rotate = ["rotate", "0123", "--org", ORG, "--overlap", "soon"];
    expect(await failing(rotate, env)).toContain("--overlap soon is not a number of hours");
    const create = ["create", "--org", ORG, "--name", "k", "--role", "admim"];
    expect(await failing(create, env)).toContain("admim is not a role (did you mean admin?)");
  });
});
