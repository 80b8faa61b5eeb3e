import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PoisonedServer } from "../../adapters/mcp-client/testing/poisoned-server.js";
import { ProtectedServer } from "../../adapters/mcp-client/testing/protected-server.js";
import { runHere } from "../testing/run-here.js";
import { startSteward } from "../testing/steward-process.js";

/** The commands run on a tools file whose server changes its mind. */
const directory = mkdtempSync(join(tmpdir(), "steward-tools-command-"));
const toolsFile = join(directory, "tools.yaml");

let server: PoisonedServer;
beforeAll(async () => {
  server = await PoisonedServer.start();
  writeFileSync(
    toolsFile,
    `mcp_servers:
  - name: p
    url: ${server.url}
    headers: { Authorization: "Bearer \${TOKEN}" }
    tools: [{ name: echo, intent: read_select }, { name: gone, intent: admin }]
`,
  );
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

const tools = (args: string, answer?: string) =>
  runHere(["tools", ...args.split(" ")], {
    cwd: directory,
    env: { SERVICE_TOOLS_FILE: toolsFile, TOKEN: "s3cret" },
    ...(answer === undefined ? {} : { answer }),
  });

describe("steward tools", () => {
  it("lists what is new or missing, and fails until everything is accepted", async () => {
    const { code, stdout } = await tools("list");
    expect(code).toBe(1);
    expect(stdout).toMatch(/mcp:p\/echo +read_select +new/);
    expect(stdout).toMatch(/mcp:p\/gone +admin +missing/);
    expect(stdout).toContain("description: Returns its arguments");
    expect([...server.credentials]).toEqual(["Bearer s3cret"]);
  });

  it("accepts a definition when a person says yes, or with --yes", async () => {
    expect((await tools("pin", "n\n")).stderr).toContain("nothing was accepted");
    expect((await tools("pin")).stderr).toContain("add --yes");
    expect((await tools("pin mcp:p/gone --yes")).stderr).toContain("does not offer mcp:p/gone");
    expect((await tools("pin", "y\n")).stderr).toContain("accepted in");
    const file = readFileSync(join(directory, "tools.pins.json"), "utf8");
    expect(JSON.parse(file)).toMatchObject({
      servers: { p: { echo: { description: "Returns its arguments" } } },
    });
    expect(file).not.toContain("s3cret");
    expect((await tools("list --json")).stdout).toContain('"state":"pinned"');
  });

  it("shows what has changed, with the characters that cannot be seen", async () => {
    server.description = "Returns\u202e its \u{e0041}arguments";
    const { stdout } = await tools("list");
    expect(stdout).toMatch(/mcp:p\/echo +read_select +changed: description/);
    expect(stdout).toContain("- description: Returns its arguments");
    expect(stdout).toContain("+ description: Returns\\u{202e} its \\u{e0041}arguments");
    expect((await tools("pin mcp:p/echo --yes")).code).toBe(0);
    expect((await tools("list")).stdout).toMatch(/mcp:p\/echo +read_select +pinned/);
  });
});

describe("steward tools login", () => {
  it("has a person sign in, and other commands use the tokens from then on", async () => {
    await using guarded = await ProtectedServer.start();
    const entry = `{ name: tickets, url: "${guarded.url}", oauth: { grant: authorization_code }, tools: [{ name: whoami, intent: read_select }] }`;
    const file = join(directory, "guarded.yaml");
    writeFileSync(file, `mcp_servers: [${entry}]\n`);
    const around = { cwd: directory, env: { SERVICE_TOOLS_FILE: file } };
    const list = () => runHere(["tools", "list", "--json"], around);
    expect((await list()).stdout).toContain("`steward tools login tickets`");
    await using login = startSteward(["tools", "login", "tickets"], around);
    const shown = await login.said("stderr", /http\S+\n/);
    await fetch(/http\S+/.exec(shown)?.[0] ?? "");
    const { code, stderr } = await login.ended;
    expect([code, stderr]).toEqual([0, expect.stringContaining(`signed in at ${guarded.issuer}`)]);
    expect((await list()).stdout).toContain('"state":"new"');
  });

  it("names the servers to which one can sign in", async () => {
    expect(await tools("login p")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("oauth: { grant: authorization_code }") as string,
    });
  });
});
