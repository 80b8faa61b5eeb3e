import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { MIGRATIONS } from "./postgres/migrate.js";
import { FIRST_VERSION } from "./sqlite/migrate.js";
import { firstMigration } from "./sqlite/schema/first-migration.js";

/** The hash of SQL without its comments and layout. */
function hashOf(sql: string): string {
  const words = sql.replaceAll(/--.*$/gm, "").split(/\s+/);
  return createHash("sha256").update(words.join(" ")).digest("hex").slice(0, 16);
}

/**
 * A store that another text of the first migration has made lacks tables or columns of this one, and
 * only its version tells the two apart.
 */
it("a first migration that is changed has another version, so that earlier stores are refused", () => {
  const [first] = MIGRATIONS;
  expect({
    sqlite: [FIRST_VERSION, hashOf(firstMigration)],
    postgres: [first?.name, hashOf(first?.statements.join(";") ?? "")],
  }).toEqual({ sqlite: [33, "54b4ba49e986fdb0"], postgres: ["v7-store", "71201711cfb8b51a"] });
});
