import type { StatementClass } from "../../governance/index.js";
import { StatementError } from "../../plans/ports.js";

/** Classes of statements that change rows and nothing else. */
const CHANGES_ROWS: ReadonlySet<StatementClass> = new Set<StatementClass>([
  "write_insert",
  "write_update",
  "write_delete",
  "cross_system_transaction",
]);

/**
 * Refuses to preview a statement where previews are switched off, or that is no change of rows. A
 * change of the schema takes locks that stop readers, even when it is rolled back.
 * @throws StatementError
 */
export function requirePreview(
  isOn: boolean,
  { statementClass }: { readonly statementClass: StatementClass },
): void {
  if (!isOn) {
    const message =
      "Previews of writes are switched off for this data source (previews: false in the tools file)";
    throw new StatementError("statement", message);
  }
  if (CHANGES_ROWS.has(statementClass)) return;
  const message = `Only changes of rows are previewed, and the statement is ${statementClass}`;
  throw new StatementError("statement", message);
}
