import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSampleDatabase } from "../../adapters/sample-database/index.js";
import { openApp, type App } from "../../app/app.js";
import { runHere } from "../testing/run-here.js";

/** One server with a store, whose policies the commands change in turn. */
describe("steward policy", () => {
  const directory = mkdtempSync(join(tmpdir(), "steward-policy-cli-"));
  let app: App;
  beforeAll(async () => {
    const databaseUrl = `sqlite:${join(directory, "store.db")}`;
    createSampleDatabase(join(directory, "shop.db"));
    const dataSources = [{ name: "shop", url: `sqlite:${join(directory, "shop.db")}` }];
    const places = { databaseUrl, dataSources, dataDir: directory };
    app = await openApp({ port: 0, logLevel: "silent", ...places });
  });
  afterAll(async () => {
    await app[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true });
  });

  const steward = (...args: readonly string[]) =>
    runHere(["policy", ...args], {
      env: { SERVICE_URL: `http://127.0.0.1:${String(app.address.port)}` },
    });
  const file = (name: string, text: string): string => {
    writeFileSync(join(directory, name), text);
    return join(directory, name);
  };

  const POLICY =
    '@id("no-deletes") forbid (principal, action == Steward::Action::"write_delete", resource);';

  it("writes policies for the tables that there are, with tests that they pass", async () => {
    const cedar = join(directory, "start.cedar");
    const written = await steward("init", cedar);
    expect(written.stdout).toContain("steward policy put");
    expect((await steward("check", cedar)).stderr).toBe("");
    const text = readFileSync(cedar, "utf8");
    expect(text).toContain('resource == Steward::Column::"shop/customers/email"');
    const cases = join(directory, "start.cases.yaml");
    const tested = await steward("test", cases, "--policies", cedar);
    expect(tested.stderr).toBe("");
    expect(tested.stdout).not.toContain("FAIL");
    expect(tested.stdout).toContain("ok    write_delete of an agent on shop/");
    expect(tested.stdout).toContain("ok    an agent does not read shop/customers/email");
    // Without them the cases fail, so that they do test something.
    expect((await steward("test", cases)).code).toBe(1);
    expect((await steward("init", cedar)).stderr).toContain("exists already");
    expect(readFileSync(cedar, "utf8")).toBe(text);
  });

  it("checks a file and names the place of each mistake", async () => {
    expect((await steward("check", file("good.cedar", POLICY))).stdout).toBe("");
    const bad = file("bad.cedar", "permit (principal, action, resource);");
    expect(await steward("check", bad)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("are not valid") as unknown,
    });
  });

  it("puts policies, shows them, and explains what they decide", async () => {
    const put = await steward("put", file("p.cedar", POLICY));
    expect(put.stdout).toContain("is in force");
    expect((await steward("show")).stdout.trim()).toBe(POLICY);
    expect((await steward("show", "--shipped")).stdout).toContain('@id("operator")');
    const denied = await steward(
      "explain",
      "write_delete",
      "--as",
      "agent",
      "--data-source",
      "shop",
    );
    expect(denied.stdout).toContain("deny: The policy no-deletes forbids write_delete");
    const permitted = await steward("explain", "plans:submit", "--as", "agent");
    expect(permitted.stdout).toMatch(/^permit\n {2}policy agent: /);
  });

  it("does not put policies over a version that was not named", async () => {
    const stale = await steward("put", file("p.cedar", POLICY), "--if-version", "99", "--json");
    expect(stale.code).toBe(1);
    expect(JSON.parse(stale.stderr)).toMatchObject({ code: "STATE_CONFLICT" });
  });

  it("tries a file of cases, and fails when one has another answer", async () => {
    const cases = (expect: string) =>
      file(
        "cases.yaml",
        `- { name: a case, action: "plans:read", roles: [auditor], expect: ${expect} }`,
      );
    expect((await steward("test", cases("permit"))).stdout).toBe("ok    a case\n");
    expect((await steward("test", cases("deny"))).stderr).toContain("1 of 1 cases failed");
    const draft = file(
      "draft.cedar",
      '@id("closed") forbid (principal, action == Steward::Action::"plans:read", resource);',
    );
    const onDraft = (expected: string) => steward("test", cases(expected), "--policies", draft);
    expect((await onDraft("deny")).stdout).toBe("ok    a case\n");
    expect((await onDraft("permit")).stderr).toContain("1 of 1 cases failed");
    expect((await steward("test", cases("permit"))).stdout).toBe("ok    a case\n");
    expect((await steward("test", cases("maybe"))).stderr).toContain("cases.yaml: 0.expect");
  });
});
