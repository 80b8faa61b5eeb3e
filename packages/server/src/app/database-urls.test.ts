import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openApp } from "./app.js";

const directory = mkdtempSync(join(tmpdir(), "steward-urls-"));
const dataDir = join(directory, "data");
afterAll(() => rmSync(directory, { recursive: true }));

describe("the URL of a database that a program gives", () => {
  it.each([
    [{ databaseUrl: "sqlite::memory:" }, "databaseUrl is sqlite::memory:"],
    [{ databaseUrl: "sqlite:file:x?mode=memory" }, "databaseUrl is sqlite:file:x?mode=memory"],
    [{ databaseUrl: "mysql://root:secret@h/db" }, "databaseUrl is mysql://root:***@h/db"],
    [
      { dataSources: [{ name: "shop", url: "sqlite::memory:" }] },
      "the url of the data source shop is sqlite::memory:",
    ],
  ])(
    "is refused, before any file is made, when it is not of a file or a server: %j",
    async (options, told) => {
      await expect(openApp({ port: 0, dataDir, ...options })).rejects.toMatchObject({
        code: "INVALID_ARGUMENT",
        message: `${told}: it must be sqlite:PATH or postgres://…, with a file at PATH, not in memory`,
      });
      expect(existsSync(dataDir)).toBe(false);
    },
  );
});
