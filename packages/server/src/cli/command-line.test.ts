import { spawnSync, type StdioOptions } from "node:child_process";
import { closeSync, copyFileSync, existsSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterAll, describe, expect, it } from "vitest";
import type { Command } from "commander";
import { createProgram } from "./program.js";
import { EXAMPLES } from "./terminal/examples.js";
import { createTerminal } from "./terminal/terminal.js";
import { runHere } from "./testing/run-here.js";
import { BIN, runSteward } from "./testing/steward-process.js";

const cwd = mkdtempSync(join(tmpdir(), "steward-cli-"));
afterAll(() => {
  rmSync(cwd, { recursive: true });
});

describe("the command line", () => {
  it("prints its version, and its help, on standard output", async () => {
    const version = await runSteward(["--version"]);
    expect(version).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
      stderr: "",
    });
    const help = await runSteward(["--help"]);
    expect(help.code).toBe(0);
    for (const command of ["dev", "serve", "plan", "migrate", "config", "doctor"]) {
      expect(help.stdout).toContain(`  ${command} `);
    }
  });

  it.skipIf(!existsSync("/dev/full"))("says so when its output cannot be written", () => {
    const full = openSync("/dev/full", "w");
    const stdio: StdioOptions = ["ignore", full, "pipe"];
    const { status, stderr } = spawnSync(process.execPath, [BIN, "--help"], { stdio });
    closeSync(full);
    expect(status).toBe(1);
    expect(stderr.toString()).toMatch(
      /^error: The output cannot be written: ENOSPC.*\n +fix: .+\n$/,
    );
  });

  it("without a command shows its help as an error of usage", async () => {
    expect(await runSteward([])).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("Usage: steward"),
    });
  });

  it.each([
    [["conifg"], "unknown command 'conifg'", "use config"],
    [["config", "--prot", "1"], "unknown option '--prot'", "use --port"],
    [["plan", "get"], "missing required argument 'plan-id'", "--help"],
    [
      ["key", "create"],
      "required option '--org <uuid>' not specified; required option '--name <text>' not specified",
      "--help",
    ],
    [
      ["state", "proof", "a"],
      "missing required argument 'predicate'; missing required argument 'object'",
      "--help",
    ],
    [
      ["state", "verify"],
      "required option '--commit <id>' not specified; missing required argument 'file'",
      "--help",
    ],
    [["plan", "list", "--status", "x"], "--status <status>", "--help"],
    [["plan", "list", "--limit", "ten"], "--limit ten", "from 1 to 200"],
    [["plan", "watch", "p", "--after", "x"], "--after x", "sequence of the last event"],
    [["plan", "run", "nofile.json"], "neither a file nor the id of a plan", "plan list"],
    [["plan", "submit", "nofile.json"], "Cannot read nofile.json", "path of a plan file"],
    [["plan", "get", "p", "--server", "ftp://h"], "SERVICE_URL", "http://127.0.0.1:8080"],
  ])("%j ends with 2, the reason and the fix", async (args, reason, fix) => {
    const { code, stdout, stderr } = await runHere(args, { cwd });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^error: .*\n(.*\n)*  fix: .*\n$/);
    expect(stderr).toContain(reason);
    expect(stderr).toContain(fix);
  });

  it.each([
    ["{", ":2:1: "],
    ["name: [", ":1:"],
    ["- a list", "does not hold a plan"],
    ["", "does not hold a plan"],
  ])("a plan file that holds %j ends with 2", async (input, said) => {
    const { code, stderr } = await runHere(["plan", "submit", "-"], { input: `${input}\n` });
    expect(code).toBe(2);
    expect(stderr).toContain(said);
  });

  it("ends with 3 when no server answers, and tells errors as JSON when asked to", async () => {
    const { code, stdout, stderr } = await runHere(["plan", "list", "--json"], {
      env: { SERVICE_URL: "http://127.0.0.1:1" },
    });
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(JSON.parse(stderr)).toEqual({
      error: expect.stringContaining("http://127.0.0.1:1"),
      code: "UNREACHABLE",
      fix: expect.stringContaining("steward dev"),
      details: [],
    });
  });

  it("colours only for a terminal or on request, and never against NO_COLOR", async () => {
    const args = ["plan", "get", "p", "--server", "ftp://h"];
    const escape = "\u001b[";
    expect((await runSteward(args)).stderr).not.toContain(escape);
    expect((await runSteward(args, { env: { FORCE_COLOR: "1" } })).stderr).toContain(escape);
    const both = { FORCE_COLOR: "1", NO_COLOR: "1" };
    expect((await runSteward(args, { env: both })).stderr).not.toContain(escape);
  });
});

describe("help", () => {
  it("wraps at its width, in every command and in any terminal", async () => {
    const widths = [60, 80, 120];
    const programs = await Promise.all(widths.map((width) => helpful(width)));
    const tooLong = widths.flatMap((width, index) =>
      commandsOf(programs[index]).flatMap((command) =>
        command
          .helpInformation()
          .split("\n")
          .filter((line) => line.length > width && /\s\S+\s/.test(line.trim()))
          .filter((line) => !line.startsWith("Usage:"))
          .map((line) => `${String(width)} ${command.name()}: ${line}`),
      ),
    );
    expect(tooLong).toEqual([]);
  });
});

describe("the help of a command", () => {
  it("ends with an example, which the command takes", async () => {
    const leaves = commandsOf(await helpful(80)).filter((command) => command.commands.length === 0);
    expect(leaves.map(pathOf).sort()).toEqual(Object.keys(EXAMPLES).sort());
    for (const command of leaves) {
      const path = pathOf(command);
      const program = await helpful(80);
      const found = commandsOf(program).find((each) => pathOf(each) === path);
      let ran = "";
      found?.action(() => {
        ran = path;
      });
      const [, text = ""] = helpOf(command).split("Example:\n  steward ");
      await program.parseAsync(wordsOf(text), { from: "user" });
      expect(ran).toBe(path);
    }
  });

  it("lists its own options before shared ones, and settings only for config", async () => {
    const commands = commandsOf(await helpful(100));
    const textOf = (path: string): string => {
      const command = commands.find((each) => pathOf(each) === path);
      return command === undefined ? "" : helpOf(command);
    };
    const run = textOf("plan run");
    expect(run.indexOf("--no-wait")).toBeLessThan(run.indexOf("Connection:"));
    expect(run.indexOf("Connection:")).toBeLessThan(run.indexOf("--api-key-file"));
    expect(textOf("migrate")).toContain("--dry-run");
    expect(textOf("migrate")).not.toContain("--embedding-model");
    expect(textOf("migrate")).toContain("`steward config --help`");
    expect(textOf("config")).toContain("--embedding-model");
  });
});

/** The whole help, with what is printed behind it. */
function helpOf(command: Command): string {
  let text = "";
  command.configureOutput({ writeOut: (piece) => (text += piece) });
  command.outputHelp();
  return text;
}

function pathOf(command: Command): string {
  return command.parent === null ? "" : `${pathOf(command.parent)} ${command.name()}`.trim();
}

/** The arguments of a line, as a shell passes them. */
function wordsOf(line: string): readonly string[] {
  const words = line.trim().match(/"[^"]*"|\S+/g) ?? [];
  return words.map((word) => word.replaceAll('"', ""));
}

/** The program on a terminal of this many columns. */
function helpful(columns: number): Promise<Command> {
  const stream = { isTTY: true, columns, write: () => true };
  return createProgram({
    env: {},
    stdin: Object.assign((async function* () {})(), { isTTY: false }),
    terminal: createTerminal(stream, stream, {}),
    exitWith: () => undefined,
  });
}

function commandsOf(command: Command | undefined): readonly Command[] {
  if (command === undefined) return [];
  return [command, ...command.commands.flatMap(commandsOf)];
}

describe("steward config", () => {
  it("shows every setting with its source, secrets masked", async () => {
    const env = {
      SERVICE_PORT: "9000",
      SERVICE_PROXY_SECRET: "a-very-secret-secret",
      SERVICE_DATABASE_URL: "postgres://u:pass@h/db",
    };
    const { code, stdout, stderr } = await runHere(["config", "--json", "--host", "::1"], {
      env,
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const { settings } = JSON.parse(stdout);
    const byName = Object.fromEntries(
      settings.map((each: { name: string; value: string; source: string }) => [
        each.name,
        `${each.value} from ${each.source}`,
      ]),
    );
    expect(byName).toMatchObject({
      SERVICE_HOST: "::1 from flag",
      SERVICE_PORT: "9000 from environment",
      SERVICE_DATA_DIR: "./.steward from default",
      SERVICE_TLS_CERT: "null from unset",
      SERVICE_PROXY_SECRET: "*** from environment",
      SERVICE_DATABASE_URL: "postgres://u:***@h/db from environment",
    });
  });

  it("ends with 2 and all that is wrong, and warns of misspelt variables", async () => {
    const { code, stderr } = await runHere(["config", "--port", "x"], {
      env: { SERVICE_AUTH: "basic", SERVICE_PROT: "1" },
    });
    expect(code).toBe(2);
    expect(stderr).toContain('wrong: SERVICE_PORT: unknown value "x" of --port');
    expect(stderr).toContain(
      'wrong: SERVICE_AUTH: unknown value "basic": expected one or several of',
    );
    expect(stderr).toContain("did you mean SERVICE_PORT?");
  });
});

describe("steward doctor", () => {
  it("finds a sound installation sound", async () => {
    const { code, stdout } = await runSteward(["doctor", "--port", "0", "--json"], { cwd });
    expect(code).toBe(0);
    const { ok, checks } = JSON.parse(stdout);
    expect(ok).toBe(true);
    expect(checks.map(({ name }: { name: string }) => name)).toEqual([
      "node",
      "sqlite",
      "settings",
      "data dir",
      "fsync",
      "disk",
      "port",
      "database",
      "data source",
    ]);
  });

  it("finds a data source sound whose writer was killed in the middle of a write, which it rolls back", async () => {
    const writer = new DatabaseSync(join(cwd, "writing.db"));
    writer.exec(`CREATE TABLE t (n INTEGER); INSERT INTO t VALUES (1); PRAGMA cache_size = 1; BEGIN;
      WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 50000) INSERT INTO t SELECT n FROM c`);
    // The files as a killed writer leaves them.
    for (const end of ["", "-journal"])
      copyFileSync(join(cwd, `writing.db${end}`), join(cwd, `left.db${end}`));
    writer.close();
    const { stdout } = await runHere(["doctor", "--port", "0"], {
      cwd,
      env: { SERVICE_DATA_SOURCES: "left=left.db" },
    });
    expect(stdout).toMatch(/^ok +data source left +left\.db opens$/m);
    const left = new DatabaseSync(join(cwd, "left.db"), { readOnly: true });
    expect(left.prepare("SELECT count(*) AS n FROM t").get()).toEqual({ n: 1 });
    left.close();
  });

  it("names everything that does not work, with the fix, and ends with 1", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => taken.once("listening", resolve));
    taken.on("connection", (socket) => socket.end("no HTTP\n"));
    const { port } = taken.address() as AddressInfo;
    const { code, stdout } = await runHere(["doctor"], {
      cwd,
      env: {
        SERVICE_PORT: String(port),
        SERVICE_DATA_DIR: "/dev/null/x",
        SERVICE_DATABASE_URL: "postgres://u:pass@127.0.0.1:1/db",
        SERVICE_DATA_SOURCES: "gone=gone.db",
        SERVICE_LOG_LEVEL: "loud",
      },
    });
    taken.close();
    expect(code).toBe(1);
    expect(stdout).not.toContain("pass");
    for (const name of ["settings", "data dir", "port", "database", "data source gone"]) {
      expect(stdout).toMatch(new RegExp(`^FAIL ${name} .*\\n +fix: .+$`, "m"));
    }
  });
});
