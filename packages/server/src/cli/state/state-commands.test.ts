import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openApp, type App } from "../../app/app.js";
import { runHere } from "../testing/run-here.js";
import { runSteward, type Ended } from "../testing/steward-process.js";

describe("the commands about the state", () => {
  let dir: string;
  let app: App;
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), "steward-cli-state-"));
    const databaseUrl = `sqlite:${join(dir, "store.db")}`;
    app = await openApp({ port: 0, logLevel: "silent", databaseUrl, dataDir: dir });
  });
  afterAll(async () => {
    await app[Symbol.asyncDispose]();
    rmSync(dir, { recursive: true });
  });

  const env = (): Record<string, string> => ({
    SERVICE_URL: `http://127.0.0.1:${app.address.port}`,
  });
  const steward = (...args: readonly string[]): Promise<Ended> =>
    runHere(["state", ...args], { env: env(), cwd: dir });
  const imported = (content: string, ...args: readonly string[]): Promise<Ended> =>
    runHere(["state", "import", "-", "--format", "turtle", ...args], {
      env: env(),
      input: content,
    });

  it("import, log, and diff by subject", async () => {
    writeFileSync(join(dir, "shop.ttl"), "<a:tea> <p:price> 3 ; <p:name> 'Tea'@en .");
    const first = await steward(
      "import",
      "shop.ttl",
      "--message",
      "The first tea",
      "--user",
      "ada",
    );
    expect(first).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^bagu\w+ {2}\+2 -0, 2 in all\n$/) as unknown,
    });
    await imported("<a:tea> <p:price> 3 .", "--mode", "remove");
    await imported("<a:tea> <p:price> 4 . <a:milk> <p:price> 1 .");
    const log = await steward("log");
    expect(log.stdout.split("\n").filter((line) => line.startsWith("  The"))).toEqual([
      "  The first tea",
    ]);
    expect(log.stdout).toContain("ada  2 quads");
    const [, , base] = JSON.parse((await steward("log", "--json")).stdout) as { commit: string }[];
    const diff = await steward("diff", "main", base?.commit ?? "");
    const integer = "^^<http://www.w3.org/2001/XMLSchema#integer>";
    expect(diff.stdout.split("\n")).toEqual([
      "<a:milk>",
      `  + <p:price> "1"${integer}`,
      "<a:tea>",
      `  - <p:price> "3"${integer}`,
      `  + <p:price> "4"${integer}`,
      "",
    ]);
    const coloured = await runSteward(["state", "diff"], { env: { ...env(), FORCE_COLOR: "1" } });
    expect(coloured.stdout).toContain("\u001b[32m  + <p:price>");
    expect(JSON.parse((await steward("diff", "--json")).stdout)).toMatchObject({ deleted: [] });
  });

  it("branch, merge, and tell conflicts", async () => {
    expect((await steward("branch", "theirs")).stdout).toMatch(/^heads\/theirs is at bagu/);
    expect((await steward("branch", "v1", "--tag")).code).toBe(0);
    expect((await steward("branch")).stdout).toMatch(
      /^heads\/main +bagu\w+\nheads\/theirs +bagu\w+\ntags\/v1/m,
    );
    await imported("<a:rum> <p:maker> 'A' .");
    await imported("<a:rum> <p:maker> 'B' .", "--branch", "theirs");
    const conflicts = await steward("merge", "theirs", "--single-valued", "p:maker");
    expect(conflicts).toMatchObject({
      code: 1,
      stdout: [
        "conflicts; nothing was changed",
        '  <a:rum> <p:maker>: ours says "A", theirs says "B"',
        "",
      ].join("\n"),
    });
    const preview = await steward("merge", "theirs", "--preview");
    expect(preview).toMatchObject({ code: 0, stderr: "a preview: nothing was changed\n" });
    const merged = await steward("merge", "theirs");
    expect(merged.stdout).toMatch(/^<a:rum>\n {2}\+ <p:maker> "B"\nmerged: bagu\w+\n$/);
  });

  it("query by SPARQL and by patterns", async () => {
    const sparql = "SELECT ?maker { <a:rum> <p:maker> ?maker } ORDER BY ?maker";
    expect(await steward("query", sparql)).toMatchObject({
      stdout: '?maker\n"A"\n"B"\n',
      stderr: "2 solutions\n",
    });
    const pattern = await steward("query", "--pattern", "?what", "p:name", "?name");
    expect(pattern.stdout.replace(/ +/g, " ")).toBe('?what ?name\n<a:tea> "Tea"@en\n');
    expect((await steward("query", "ASK {}")).stdout).toBe("true\n");
    expect((await steward("query")).code).toBe(2);
    expect(await steward("query", "SELECT")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("sparql: line 1") as unknown,
    });
  });

  it("export what can be imported again", async () => {
    expect((await steward("export", "--output", "out.trig")).code).toBe(0);
    const back = await steward("import", "out.trig", "--mode", "replace", "--json");
    expect(JSON.parse(back.stdout)).toMatchObject({ added: 0, deleted: 0 });
    for (const format of [[], ["--format", "n-quads"]]) {
      expect((await steward("export", ...format)).stdout).toContain('<p:maker> "A" .\n');
    }
    expect(readFileSync(join(dir, "out.trig"), "utf8")).toContain("<a:tea>");
  });

  it("prove, and verify without a server", async () => {
    const [entry] = JSON.parse((await steward("log", "--json")).stdout) as { commit: string }[];
    const commit = entry?.commit ?? "";
    for (const [object, verdict] of [
      ['"A"', "present"],
      ['"C"', "absent"],
    ] as const) {
      const { stdout: proof } = await steward("proof", "a:rum", "p:maker", object);
      const verify = (text: string): Promise<Ended> =>
        runHere(["state", "verify", "-", "--commit", commit], { input: text });
      expect(await verify(proof)).toMatchObject({
        code: 0,
        stdout: `${verdict}: <a:rum> <p:maker> ${object}\n`,
      });
      const forged = proof.replace('"value":"p:maker"', '"value":"p:owner"');
      expect((await verify(forged)).stdout).not.toContain("present");
      expect((await verify(proof.replace(/"nodes":\[.*\]/, '"nodes":[]'))).code).toBe(1);
      expect((await verify("{}")).code).toBe(2);
    }
  });

  it("check and tidy up", async () => {
    expect(await steward("fsck")).toMatchObject({
      code: 0,
      stdout: "",
      stderr: "no block is damaged or missing\n",
    });
    expect((await steward("gc")).stdout).toMatch(/^0 blocks deleted, \d+ in use\n$/);
  });

  it("tell where RDF is malformed and which ref is unknown", async () => {
    expect(await imported("<a:a> <p:b>\n  <c> .")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("content: line 2, column 3: <c> is relative") as unknown,
    });
    expect(await steward("log", "nowhere")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no branch, tag or commit "nowhere"') as unknown,
    });
    expect((await steward("import", "shop.xyz")).code).toBe(2);
  });
});
