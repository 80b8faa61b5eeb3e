import type { Relation } from "@steward/schema";
import { type FailureRule, useInstead } from "../correction.js";
import { columnNamed } from "../schema/known-tables.js";
import { likeness } from "../schema/likeness.js";
import type { Scope } from "../statement/scope.js";

/** An unknown table: suggests a table with a similar name that has the columns of the statement. */
export const unknownTable: FailureRule = ({ fault, scopes, tables }) => {
  if (fault?.kind !== "unknown table") return [];
  const { lower: written, text } = fault.name;
  if (!scopes.some(({ sources }) => sources.some(({ table }) => table?.toLowerCase() === written)))
    return [];
  const asked = scopes.flatMap((scope) => columnsOf(scope, written));
  const expressions = scopes.flatMap((scope) => scope.expressions);
  const scored = [...new Set([...expressions, ...tables.all])].flatMap((table) => {
    const byName = Math.max(likeness(written, table.name), likeness(written, table.bareName));
    if (byName < NAME_LIKENESS_MIN) return [];
    return [{ table, score: byName + heldShare(table, asked) }];
  });
  return scored
    .filter(({ score }) => score >= SCORE_MIN)
    .sort((a, b) => b.score - a.score)
    .slice(0, CANDIDATES_MAX)
    .map(({ table }) =>
      useInstead(
        tables.writtenTable(table),
        text,
        // The name of a common table expression is the statement's own.
        "origins" in table
          ? []
          : [{ table, columns: table.columns.slice(0, 1).map(({ name }) => name) }],
      ),
    );
};

const CANDIDATES_MAX = 3;
/** A table must be named at least a little alike, and have some of the columns or a name much alike. */
const NAME_LIKENESS_MIN = 0.3;
const SCORE_MIN = 0.6;

/** Columns that the query names of a table. */
function columnsOf(scope: Scope, written: string): readonly string[] {
  const source = scope.sources.find(({ table }) => table?.toLowerCase() === written);
  if (source === undefined) return [];
  const isAlone = scope.sources.length === 1;
  return scope.columns
    .filter(({ qualifier }) => qualifier === source.alias || (isAlone && qualifier === undefined))
    .map(({ name }) => name);
}

function heldShare(table: Relation, asked: readonly string[]): number {
  if (asked.length === 0) return 0;
  const held = asked.filter((name) => columnNamed(table, name) !== undefined);
  return held.length / asked.length;
}
