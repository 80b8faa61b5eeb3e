import type { Relation } from "@steward/schema";
import { type FailureRule, useInstead } from "../correction.js";
import { columnNamed, type KnownTables } from "../schema/known-tables.js";
import { likeness } from "../schema/likeness.js";
import type { Scope } from "../statement/scope.js";
import { checkedValues } from "../values/checked-values.js";
import { contentOf } from "../values/literal.js";
import { GENERIC } from "./missing-join.js";

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
  const alike = scored
    .filter(({ score }) => score >= SCORE_MIN)
    .sort((a, b) => b.score - a.score)
    .slice(0, CANDIDATES_MAX);
  const isAlike = alike.length > 0;
  const found = isAlike ? alike.map(({ table }) => table) : holderOf(asked, scopes, tables);
  // A table that was guessed from its columns is suggested only to callers who may read those columns.
  const namedOf = ({ columns }: Relation): readonly string[] => {
    const names = columns.map(({ name }) => name);
    return isAlike ? names.slice(0, 1) : names.filter((name) => asked.includes(name.toLowerCase()));
  };
  return found.map((table) =>
    useInstead(
      tables.writtenTable(table),
      text,
      // The name of a common table expression is the statement's own.
      "origins" in table ? [] : [{ table, columns: namedOf(table) }],
    ),
  );
};

const CANDIDATES_MAX = 3;
/** A table must be named at least a little alike, and have some of the columns or a name much alike. */
const NAME_LIKENESS_MIN = 0.3;
const SCORE_MIN = 0.6;

/**
 * The only table that has most of the columns, of which no other table has one; a name that many tables have tells of
 * none, unless the table's own rules list the value that it is compared with.
 */
function holderOf(
  asked: readonly string[],
  scopes: readonly Scope[],
  tables: KnownTables,
): readonly Relation[] {
  const isOf = (table: Relation, name: string): boolean => columnNamed(table, name) !== undefined;
  const counted = tables.all.map((table) => ({
    table,
    count: asked.filter((name) => isOf(table, name)).length,
  }));
  const most = Math.max(0, ...counted.map(({ count }) => count));
  const [only, ...others] = counted.filter(({ count }) => count === most && most > 0);
  if (only === undefined || others.length > 0) return [];
  const { table } = only;
  const telling = asked.filter(
    (name) => isOf(table, name) && tables.all.every((each) => each === table || !isOf(each, name)),
  );
  const isListed = telling.some((name) => {
    const values = checkedValues(table, name) ?? [];
    return scopes.some(({ conditions }) =>
      conditions.some(
        ({ left, right }) =>
          left.kind === "column" &&
          left.column.name === name &&
          right.some(({ kind, text }) => kind === "text" && values.includes(contentOf(text))),
      ),
    );
  });
  return isListed || telling.some((name) => !GENERIC.test(name)) ? [table] : [];
}

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
