import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { expect, it } from "vitest";
import { NAME_SWAPS, swapResult } from "../testing/name-swaps.js";
import { SqliteSchemaDatabase } from "./index.js";

it.each(Object.entries(NAME_SWAPS))(
  "SQLite: names change places and rows go with them, once: %s",
  async (_title, swap) => {
    const folder = mkdtempSync(join(tmpdir(), "swaps-"));
    const path = join(folder, "shop.db");
    const db = new DatabaseSync(path);
    const run = (sql: string): Promise<readonly object[]> => {
      if (sql.startsWith("SELECT")) return Promise.resolve(db.prepare(sql).all() as object[]);
      db.exec(sql);
      return Promise.resolve([]);
    };
    const { before, after } = swap;
    const result = await swapResult(new SqliteSchemaDatabase("shop", path), run, swap);
    db.close();
    rmSync(folder, { recursive: true });
    expect(result).toEqual({ before, after, reverted: before, recorded: after });
  },
);
