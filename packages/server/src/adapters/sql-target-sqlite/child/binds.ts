import { assert } from "@steward/kernel/assert.js";
import { StatementError, type SqlValue } from "../../../plans/ports.js";
import type { SqliteCell } from "./rows-json.js";

/**
 * Values as the driver must be given them. Whole numbers become bigint: the driver binds a large
 * number as REAL, and `LIMIT`, integer division and `typeof` would tell the difference.
 * @throws StatementError for a text the driver would cut.
 */
export function toSqliteBinds(binds: readonly SqlValue[]): readonly SqliteCell[] {
  return binds.map((bind, index) => {
    if (typeof bind === "number" && Number.isSafeInteger(bind)) return BigInt(bind);
    if (typeof bind === "string" && bind.includes("\0")) {
      const message = `The value of parameter ${index + 1} holds a NUL character, at which SQLite would end the text`;
      throw new StatementError("statement", message);
    }
    if (typeof bind !== "object" || bind === null) return bind;
    assert("storage" in bind, "values for PostgreSQL go to PostgreSQL");
    return bind.storage === "blob" ? Buffer.from(bind.text, "base64") : bind.text;
  });
}
