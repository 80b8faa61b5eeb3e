import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dumpSchema, readDefinitions, type Schema } from "../index.js";
import { SQLITE_SCHEMAS } from "../testing/sqlite-schemas.js";
import { SqliteScratch } from "./scratch-sqlite.js";

async function draftOf(sql: string): Promise<Schema> {
  await using scratch = new SqliteScratch();
  await scratch.define(await readDefinitions(sql, "sqlite"));
  return await scratch.introspect();
}

const CORNERS = `
  CREATE TABLE "a b" (x, "y""z" TEXT DEFAULT ';', CHECK (x > 1), CHECK (x < 9), UNIQUE (x), UNIQUE ("y""z", x));
  CREATE VIEW later AS SELECT * FROM earlier;
  CREATE VIEW earlier AS SELECT x FROM "a b";
  CREATE VIRTUAL TABLE notes USING fts5(body);
`;

describe("the dump of a SQLite schema", () => {
  it.each([...Object.entries(SQLITE_SCHEMAS), ["corners", CORNERS] as const])(
    "is the same text again when it is defined: %s",
    async (_, sql) => {
      const draft = await draftOf(sql);
      const dump = dumpSchema(draft);
      const defined = await draftOf(dump);
      expect(defined.objects).toHaveLength(draft.objects.length);
      expect(dumpSchema(defined)).toBe(dump);
    },
  );

  it("does not tell in which order things were made", async () => {
    const statements = [
      "CREATE TABLE b (a REFERENCES a (id), CHECK (a > 0), CHECK (a < 9))",
      "CREATE TABLE a (id INTEGER PRIMARY KEY AUTOINCREMENT)",
      "CREATE TABLE c (x UNIQUE, y UNIQUE)",
      "CREATE VIRTUAL TABLE d USING fts5(body)",
    ];
    const dump = dumpSchema(await draftOf(statements.join(";")));
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(statements, { minLength: 4 }), async (shuffled) => {
        const constraints = shuffled.map((sql) =>
          sql.replace("CHECK (a > 0), CHECK (a < 9)", "CHECK (a < 9), CHECK (a > 0)"),
        );
        expect(dumpSchema(await draftOf(constraints.join(";")))).toBe(dump);
      }),
      { numRuns: 20 },
    );
  });
});
