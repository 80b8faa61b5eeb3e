import type { Correction, FailedStatement, FailureRule } from "./correction.js";
import { ambiguousColumn } from "./failures/ambiguous-column.js";
import { constraint } from "./failures/constraint.js";
import { foreignKey } from "./failures/foreign-key.js";
import { grouping } from "./failures/grouping.js";
import { joinedBy } from "./failures/joined-by.js";
import { severalRows } from "./failures/rows.js";
import { selectAlias } from "./failures/select-alias.js";
import { types } from "./failures/types.js";
import { unknownColumn } from "./failures/unknown-column.js";
import { unknownObject } from "./failures/unknown-object.js";
import { unknownTable } from "./failures/unknown-table.js";
import { wrappedQuery } from "./failures/wrapped-query.js";
import { conflictTarget } from "./failures/conflict-target.js";

/** One rule for each class of failures; an engine's message belongs to one class. */
const RULES: readonly FailureRule[] = [
  wrappedQuery,
  conflictTarget,
  selectAlias,
  unknownColumn,
  unknownTable,
  ambiguousColumn,
  joinedBy,
  grouping,
  types,
  constraint,
  foreignKey,
  severalRows,
  unknownObject,
];

/** Corrections of a statement that the engine refused, the most probable first. */
export function correctionsOf(failed: FailedStatement): readonly Correction[] {
  for (const rule of RULES) {
    const corrections = rule(failed);
    if (corrections.length > 0) return corrections;
  }
  return [];
}
