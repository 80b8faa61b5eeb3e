import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openApp } from "../app/app.js";
import { loadConfig } from "../config/index.js";
import { assertPrivate, makePrivateDirectory, makePrivateFile } from "./private-files.js";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "steward-private-"));
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

const modeOf = (path: string): number => statSync(path).mode & 0o777;

describe("files and directories that hold data of organizations", () => {
  it("are made for their owner alone", () => {
    makePrivateDirectory(join(directory, "a", "b"));
    makePrivateFile(join(directory, "a", "b", "c"));
    expect(["a", "a/b", "a/b/c"].map((path) => modeOf(join(directory, path)))).toEqual([
      ...[0o700, 0o700, 0o600],
    ]);
  });

  it.each([0o644, 0o640, 0o602])("are refused when others have rights on them: %o", (mode) => {
    const path = join(directory, "file");
    writeFileSync(path, "");
    chmodSync(path, mode);
    expect(() => {
      makePrivateFile(path);
    }).toThrow(
      `(mode ${mode.toString(8)}), which holds data of organizations: run chmod 600 ${path}`,
    );
  });

  it("may be missing", () => {
    expect(() => {
      assertPrivate(join(directory, "missing"));
    }).not.toThrow();
  });
});

describe("a server", () => {
  it("keeps its store, its log and its state to its owner", async () => {
    const dataDir = join(directory, "data");
    const databaseUrl = `sqlite:${join(dataDir, "steward.db")}`;
    const env = { SERVICE_DATA_DIR: dataDir, SERVICE_DATABASE_URL: databaseUrl, SERVICE_PORT: "0" };
    const config = await loadConfig({ env: { ...env, SERVICE_LOG_LEVEL: "silent" } });
    await using _app = await openApp(config);
    expect(modeOf(dataDir)).toBe(0o700);
    for (const file of ["steward.db", "steward.db-wal"]) {
      expect(modeOf(join(dataDir, file))).toBe(0o600);
    }
  });

  it("does not start on a data directory that others may enter, and says the fix", async () => {
    const dataDir = join(directory, "data");
    mkdirSync(dataDir);
    chmodSync(dataDir, 0o755);
    await expect(openApp({ port: 0, dataDir, logLevel: "silent" })).rejects.toThrow(
      `run chmod 700 ${dataDir}`,
    );
  });
});
