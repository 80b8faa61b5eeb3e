import { quotedName } from "../quoted-name.js";
import type { ChangedTable } from "./changed-table.js";
import type { TableFacts } from "./table-facts.js";

/** The first version whose RETURNING returns the old and the new row. */
const OLD_AND_NEW_VERSION = 180_000;

/** A statement that returns the rows that it changes. */
export interface ReturningStatement {
  readonly sql: string;
  /** Whether a row has the old and the new values, or only those that RETURNING has always had. */
  readonly returns: "old_and_new" | "current";
}

/**
 * Makes a statement return the rows that it changes. It otherwise remains as it is; a RETURNING of its own
 * is replaced.
 *
 * `old_and_new`: a row has two flags, for the presence of the old and of the new row, then the shown columns of both.
 * `current`: the shown columns of the new row, or of the deleted one, and then the key as text.
 * @param version absent: the server's.
 * @returns undefined when the server's version cannot return what the statement changes.
 */
export function returningChanges(
  changed: ChangedTable,
  facts: TableFacts,
  version: number = facts.version,
): ReturningStatement | undefined {
  const { columns, key } = facts;
  const of = (row: string, names: readonly string[]): readonly string[] =>
    names.map((name) => `${row}.${quotedName([name])}`);
  if (version >= OLD_AND_NEW_VERSION) {
    const list = [
      isPresent("steward_old", changed, facts),
      isPresent("steward_new", changed, facts),
      ...of("steward_old", columns),
      ...of("steward_new", columns),
    ].join(", ");
    const aliases = "WITH (OLD AS steward_old, NEW AS steward_new)";
    return { sql: `${changed.body}\nRETURNING ${aliases} ${list}`, returns: "old_and_new" };
  }
  // What the row of a MERGE means depends on the action, which RETURNING does not always tell.
  if (changed.verb === "MERGE") return undefined;
  const keys = of(changed.reference, key).map((column) => `${column}::text`);
  const list = ["true", ...of(changed.reference, columns), ...keys].join(", ");
  return { sql: `${changed.body}\nRETURNING ${list}`, returns: "current" };
}

/** Whether the old or the new row exists, without privileges on columns that are not needed. */
function isPresent(row: string, { verb }: ChangedTable, { key, isView }: TableFacts): string {
  if (verb === "UPDATE") return "true";
  if (verb === "DELETE") return String(row === "steward_old");
  const [first] = key;
  if (first !== undefined) return `${row}.${quotedName([first])} IS NOT NULL`;
  return isView ? `NOT (${row} IS NULL)` : `${row}.tableoid IS NOT NULL`;
}
