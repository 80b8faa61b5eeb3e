import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import type { Log } from "@steward/kernel/log.js";
import { silentLog } from "@steward/kernel/log.js";
import { afterAll, describe, expect, it } from "vitest";
import { runHere } from "../testing/run-here.js";
import { createTerminal } from "../terminal/terminal.js";
import { tellOfFindings } from "./start-warnings.js";

const cwd = mkdtempSync(join(tmpdir(), "steward-warnings-"));
afterAll(() => {
  rmSync(cwd, { recursive: true });
});

/** What is told of a finding: the text on standard error, and the fields of the log. */
function told(isTTY: boolean) {
  let text = "";
  const logged: unknown[] = [];
  const write = (chunk: string | Uint8Array): boolean => {
    text += String(chunk);
    return true;
  };
  const log: Log = { ...silentLog, warn: (fields) => void logged.push(fields) };
  const terminal = createTerminal({ write }, { write, isTTY }, { NO_COLOR: "1" });
  const found = "role \u001b[2Jcrm can run no write";
  const fix = "run: CREATE TABLE t (\n  id integer\n);";
  tellOfFindings([{ name: "data source crm", status: "warn", found, fix }], { log, terminal });
  return { text, logged };
}

describe("a warning of the start", () => {
  it("is text on a terminal, with the line breaks of its SQL and no control character", () => {
    expect(told(true)).toEqual({
      text: `warning: data source crm: role \\u{1b}[2Jcrm can run no write
  fix: run: CREATE TABLE t (
  id integer
);
`,
      logged: [],
    });
  });

  it("is a line of the log where standard error is no terminal", () => {
    expect(told(false)).toMatchObject({ text: "", logged: [{ check: "data source crm" }] });
  });

  it("stands on the terminal of `serve` before the failure that stops the start", async () => {
    new DatabaseSync(join(cwd, "kept.db")).close();
    const env = { SERVICE_AUTH: "apikey", SERVICE_DATA_SOURCES: "kept=kept.db,gone=gone.db" };
    const { stderr } = await runHere(["serve"], {
      ...{ cwd, answer: "" },
      env: { SERVICE_DATABASE_URL: "sqlite:store.db", SERVICE_PORT: "0", ...env },
    });
    expect(stderr).toMatch(
      /warning: data source kept: no caller may use it[^]*\n {2}fix: set SERVICE_ORGANIZATION[^]*gone\.db does not exist/,
    );
  });
});
