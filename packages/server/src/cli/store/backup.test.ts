import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { runHere } from "../testing/run-here.js";
import { runSteward, startSteward } from "../testing/steward-process.js";

const dir = mkdtempSync(join(tmpdir(), "steward-cli-backup-"));
afterAll(() => {
  rmSync(dir, { recursive: true });
});
const store = join(dir, "data", "steward.db");
const copy = join(dir, "copy.db");
const named = ["--database-url", `sqlite:${store}`];

describe("steward backup and restore", () => {
  it("copy a store that a server works on, and put it back when it is stopped", async () => {
    {
      await using server = startSteward([
        "dev",
        "--data-dir",
        join(dir, "data"),
        "--port",
        "0",
        "--json",
      ]);
      await server.said("stdout", /"ready":true/);
      const backup = await runSteward(["backup", copy, ...named, "--json"]);
      expect(JSON.parse(backup.stdout)).toMatchObject({ path: copy });
      const early = await runSteward(["restore", copy, "--replace", ...named]);
      expect(early.code).toBe(1);
      expect(early.stderr).toMatch(/Another process owns the store/);
    }
    const careless = await runSteward(["restore", copy, ...named]);
    expect(careless.stderr).toMatch(/steward.db exists already: --replace keeps it/);
    const restored = await runSteward(["restore", copy, "--replace", ...named, "--json"]);
    expect(restored.code).toBe(0);
    const { former } = JSON.parse(restored.stdout) as { former: string };
    expect(existsSync(former)).toBe(true);
  });

  it("say what is missing", async () => {
    const nowhere = await runHere(["backup", copy]);
    expect(nowhere.code).toBe(2);
    expect(nowhere.stderr).toMatch(/No store is named/);
    const postgres = await runHere(["backup", copy, "--database-url", "postgres://h/db"]);
    expect(postgres.code).toBe(2);
    expect(postgres.stderr).toMatch(/pg_dump/);
  });
});
