import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, type State } from "@steward/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openApp, type App } from "../../app/app.js";
import { runHere } from "../testing/run-here.js";
import type { Ended } from "../testing/steward-process.js";

describe("the commands that change branches", () => {
  let dir: string;
  let app: App;
  let state: State;
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), "steward-branches-"));
    const databaseUrl = `sqlite:${join(dir, "store.db")}`;
    app = await openApp({ port: 0, logLevel: "silent", databaseUrl, dataDir: dir });
    state = createClient({ baseUrl: url() }).state;
  });
  afterAll(async () => {
    await app[Symbol.asyncDispose]();
    rmSync(dir, { recursive: true });
  });

  const url = (): string => `http://127.0.0.1:${app.address.port}`;
  const steward = (args: readonly string[], answer?: string): Promise<Ended> =>
    runHere(["state", ...args], {
      env: { SERVICE_URL: url() },
      ...(answer === undefined ? {} : { answer }),
    });
  const committed = async (content: string, message = "a change"): Promise<string> =>
    (await state.importState({ format: "turtle", content, message })).commit;

  it("delete a branch only after a yes, and say where it was", async () => {
    const at = await committed("<a:tea> <p:price> 3 .", "The first tea");
    const made = { name: "heads/old", commit: at, expected: null };
    await state.moveStateRef(made);
    const kept = await steward(["branch", "old", "--delete"], "n\n");
    expect(kept).toMatchObject({ code: 1, stdout: "" });
    expect(kept.stderr).toMatch(
      /^heads\/old is at bagu\w+\n {2}\S+Z {2}unknown {2}The first tea\n/,
    );
    expect(kept.stderr).toContain(`steward state branch old ${at}`);
    expect(kept.stderr).toMatch(/delete heads\/old\? \[y\/N\] nothing was changed\n$/);
    const unasked = await steward(["branch", "old", "--delete"]);
    expect(unasked).toMatchObject({ code: 2, stderr: expect.stringContaining(at) as unknown });
    expect(unasked.stderr).toMatch(/^ +fix: add --yes;/m);
    expect((await state.listStateRefs()).map(({ name }) => name)).toContain("heads/old");
    expect((await steward(["branch", "old", "--delete"], "y\n")).stdout).toBe(
      `heads/old is gone; it was at ${at}\n`,
    );
    await steward(["branch", "old", at]);
    expect((await steward(["branch", "old", "--delete", "--yes"])).stdout).toContain("is gone");
    expect((await steward(["branch", "old", "--delete", "-y"])).stderr).toMatch(/no heads\/old/);
  });

  it("revert one commit, or tell what has changed since", async () => {
    await committed("<a:gin> <p:price> 1 .");
    const raised = await committed("<a:gin> <p:price> 2 .", "Raise it");
    const last = await committed("<a:port> <p:price> 9 .");
    const preview = await steward(["revert", raised, "--preview"]);
    expect(preview.stderr).toBe("a preview: nothing was changed\n");
    const undone = await steward(["revert", raised]);
    expect(undone.stdout.split("\n").slice(0, 2)).toEqual([
      "<a:gin>",
      '  - <p:price> "2"^^<http://www.w3.org/2001/XMLSchema#integer>',
    ]);
    expect(undone.stdout).toMatch(/reverted: bagu\w+\n$/);
    expect((await steward(["log"])).stdout).toContain('Revert "Raise it"');
    expect((await steward(["revert", raised])).stdout).toMatch(/^nothing to revert: bagu\w+\n$/);
    await committed("<a:port> <p:name> 'Port' .");
    expect(await steward(["revert", last])).toMatchObject({
      code: 1,
      stdout: [
        "conflicts; nothing was changed",
        "  <a:port>: the revert deleted it, the other side changed it",
        "",
      ].join("\n"),
    });
  });

  it("import what is to be added and what is to be taken out as one commit", async () => {
    const file = (name: string, content: string): string => {
      writeFileSync(join(dir, name), content);
      return join(dir, name);
    };
    await committed("<a:ale> <p:price> 1 .");
    const added = file("added.ttl", "<a:ale> <p:price> 2 .");
    const removed = file("removed.ttl", "<a:ale> <p:price> 1 .");
    const done = await steward(["import", added, "--remove", removed]);
    expect(done.stdout).toMatch(/^bagu\w+ {2}\+1 -1, /);
    const shown = await steward(["import", added, "--mode", "remove"], "");
    expect(shown.stdout).toMatch(/^bagu\w+ {2}\+0 -1, /);
    expect(shown.stderr).toContain("100 %  1 of 1 MiB");
    expect(await steward(["import", join(dir, "none.ttl")])).toMatchObject({ code: 2 });
    const out = join(dir, "out.nq");
    expect((await steward(["export", "--output", out], "")).stderr).toContain("1 MiB");
    expect((await steward(["export"])).stdout).toBe(readFileSync(out, "utf8"));
  });

  it("change a branch only where it was seen to be, when told where that is", async () => {
    const base = await committed("<a:rum> <p:price> 1 .");
    await state.moveStateRef({ name: "heads/side", commit: base, expected: null });
    const head = await committed("<a:rum> <p:price> 2 .");
    for (const args of [
      ["revert", base],
      ["merge", "side"],
    ]) {
      const late = await steward([...args, "--base", base, "--json"]);
      expect(JSON.parse(late.stderr)).toMatchObject({
        code: "STATE_CONFLICT",
        error: expect.stringContaining(`heads/main is at ${head}`) as unknown,
      });
    }
    expect((await steward(["merge", "side", "--base", head])).code).toBe(0);
  });
});
