import type { Correction } from "../correction.js";
import type { KnownTables } from "../schema/known-tables.js";
import type { KnownSource, Scope } from "../statement/scope.js";

/**
 * Tables in FROM that no condition connects with the others, so that every row of one is paired with
 * every row of the others: the conditions of their foreign keys.
 * @param connecting the conditions that count: any that names both tables, or only their equations.
 */
export function missingConditions(
  scopes: readonly Scope[],
  tables: KnownTables,
  connecting: "conditions" | "equations",
): readonly Correction[] {
  return scopes.flatMap((scope) => {
    const { known, sources, isCross } = scope;
    // A condition on a source that is not known cannot be judged.
    if (isCross || known.length < 2 || known.length < sources.length) return [];
    if (known.some(({ source }) => source.using.length > 0)) return [];
    const isUnclear = scope.conditions.some(({ left, right }) => {
      const sides = [left, ...right].filter((side) => side.kind === "column");
      return sides.length === 2 && sides.some(({ column }) => column.qualifier === undefined);
    });
    if (isUnclear) return [];
    return connections(scope, tables, connecting === "conditions" ? aliasPairs : equatedPairs);
  });
}

/** Pairs of aliases. */
type PairsOf = (scope: Scope) => readonly (readonly [string, string])[];

function connections(scope: Scope, tables: KnownTables, pairsOf: PairsOf): readonly Correction[] {
  const groups = new Map(scope.known.map((each) => [each.source.alias, new Set([each])]));
  const join = (one: string, other: string): void => {
    const [own, beside] = [groups.get(one), groups.get(other)];
    if (own === undefined || beside === undefined || own === beside) return;
    for (const each of beside) {
      own.add(each);
      groups.set(each.source.alias, own);
    }
  };
  for (const [one, other] of pairsOf(scope)) join(one, other);
  const corrections: Correction[] = [];
  for (const own of scope.known) {
    for (const beside of scope.known) {
      if (groups.get(own.source.alias) === groups.get(beside.source.alias)) continue;
      const found = conditionOf(own, beside, tables);
      if (found === undefined) continue;
      corrections.push(found);
      join(own.source.alias, beside.source.alias);
    }
  }
  return corrections;
}

/** Aliases whose columns are equated. */
function equatedPairs({ conditions }: Scope): readonly (readonly [string, string])[] {
  return conditions.flatMap(({ left, operator, right }) => {
    const [other] = right;
    if (operator !== "=" || left.kind !== "column" || other?.kind !== "column") return [];
    const { qualifier } = left.column;
    const beside = other.column.qualifier;
    return qualifier === undefined || beside === undefined ? [] : [[qualifier, beside] as const];
  });
}

/** Groups of aliases that occur together in a condition of any form. */
function aliasPairs({ clauses, known }: Scope): readonly (readonly [string, string])[] {
  const tokens = [...(clauses.get("from") ?? []), ...(clauses.get("where") ?? [])];
  const pairs: [string, string][] = [];
  let before: string | undefined;
  for (const [index, { lower, kind }] of tokens.entries()) {
    if (kind === "word" && (lower === "and" || lower === "join" || lower === "on"))
      before = undefined;
    const isAlias =
      tokens[index + 1]?.text === "." && known.some(({ source }) => source.alias === lower);
    if (!isAlias) continue;
    if (before !== undefined && before !== lower) pairs.push([before, lower]);
    before = lower;
  }
  return pairs;
}

function conditionOf(
  own: KnownSource,
  beside: KnownSource,
  tables: KnownTables,
): Correction | undefined {
  const [edge] = tables.edgesBetween(own.table, beside.table);
  if (edge === undefined) return undefined;
  const condition = edge.pairs
    .map(
      ([left, right]) =>
        `${own.source.written}.${tables.written(left)} = ${beside.source.written}.${tables.written(right)}`,
    )
    .join(" AND ");
  const sentence = `Add \`${condition}\` to WHERE: without it every row of ${own.source.written} is paired with every row of ${beside.source.written}.`;
  const names = [
    { table: own.table, columns: edge.pairs.map(([left]) => left) },
    { table: beside.table, columns: edge.pairs.map(([, right]) => right) },
  ];
  return { sentence, names };
}
