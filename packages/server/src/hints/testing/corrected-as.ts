import { correctionsOf } from "../failure-corrections.js";
import { faultOf } from "../fault.js";
import { constraintIn } from "../named-constraint.js";
import type { KnownTables } from "../schema/known-tables.js";
import { scopesOf } from "../statement/scope.js";
import { fixedAsSaid } from "./mechanical-fixer.js";

/** The statement after the hint on its failure; undefined when no hint says what to write. */
export function correctedAs(
  wrong: string,
  failure: { readonly message: string; readonly cause: unknown },
  tables: KnownTables,
): string | undefined {
  const read = { sql: wrong, tables, scopes: scopesOf(wrong, tables) };
  const refused = { fault: faultOf(failure, wrong), constraint: constraintIn(failure) };
  const [first] = correctionsOf({ ...read, ...refused });
  return first && fixedAsSaid(wrong, [first.sentence], tables.dialect);
}
