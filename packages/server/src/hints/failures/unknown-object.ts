import { nameAt } from "../../kernel/name-at.js";
import { nearMiss } from "../../kernel/near-miss.js";
import { type Correction, type FailureRule, type NamedPart, useInstead } from "../correction.js";
import type { Fault } from "../fault.js";
import type { KnownObject, ObjectKind } from "../schema/known-objects.js";
import type { KnownTables } from "../schema/known-tables.js";
import { likeness } from "../schema/likeness.js";
import { type NamedObject, namedObjectsIn } from "../statement/named-objects.js";
import { literalOf } from "../values/literal.js";

/**
 * A name outside of queries that nothing has, such as the column of ALTER TABLE. The engine tells what kind of object
 * it misses; which one follows from the statement and the schema.
 */
export const unknownObject: FailureRule = ({ fault, sql, tables }) => {
  const kinds = fault && kindsOf(fault);
  if (kinds === undefined) return [];
  const place = fault?.kind === "unknown object" ? fault.name?.at : undefined;
  const placed = nameAt(sql, place);
  const named = placed ? [{ kinds, ...placed }] : namedObjectsIn(sql, tables.dialect);
  for (const object of named) {
    const corrections = kinds.includes("schema")
      ? otherSchema(object, tables)
      : object.kinds.some((kind) => kinds.includes(kind))
        ? correctionsFor(object, tables)
        : [];
    if (corrections.length > 0) return corrections;
  }
  return [];
};

/** Names that are less alike are no misspelling of one another. */
const SCORE_MIN = 0.6;
/** Candidates that are tried when the caller may not read the best one. */
const CANDIDATES_MAX = 3;

const RELATIONS = ["table", "view", "materialized view", "sequence", "index"] as const;

/** The kinds of objects of which the engine misses one. */
function kindsOf(fault: Fault): readonly (ObjectKind | "column")[] | undefined {
  switch (fault.kind) {
    case "unknown object":
      return fault.kinds;
    case "unknown column":
    case "unknown join column":
      return ["column"];
    case "unknown table":
      return RELATIONS;
    default:
      return undefined;
  }
}

function correctionsFor(named: NamedObject, tables: KnownTables): readonly Correction[] {
  if (named.kinds.includes("column")) return otherColumn(named, tables);
  const [name = "", schema] = named.path.toReversed();
  const ofKind = tables.objects.filter(
    ({ kind, table }) =>
      // The kinds of a named object are those of known objects too.
      (named.kinds as readonly string[]).includes(kind) &&
      (named.table === undefined || table === keyOf(named.table, tables)),
  );
  const isMeant = ({ name: own, schemaName = "public" }: KnownObject): boolean =>
    tables.isSame(name, own) &&
    (named.table !== undefined || tables.isSame(schema ?? "public", schemaName));
  if (ofKind.some(isMeant)) return [];
  return best(name, ofKind).flatMap((object) => {
    const names = partsOf(object, tables);
    return names === undefined
      ? []
      : [useInstead(writtenAs(object, named, tables), named.text, names)];
  });
}

function otherColumn(named: NamedObject, tables: KnownTables): readonly Correction[] {
  const table = named.table && tables.find(named.table.join("."));
  const [name = ""] = named.path;
  if (table === undefined || table.columns.some((column) => tables.isSame(name, column.name))) {
    return [];
  }
  return best(name, table.columns).map((column) => {
    const written = tables.written(column.name);
    const isPath = named.text.includes(".");
    const fragment = isPath ? `${tables.writtenTable(table)}.${written}` : written;
    return useInstead(fragment, named.text, [{ table, columns: [column.name] }]);
  });
}

/** Another schema in front of a name: one that holds a table which the caller may read. */
function otherSchema(named: NamedObject, tables: KnownTables): readonly Correction[] {
  const isSchema = named.kinds.includes("schema");
  const schema = isSchema ? named.path[0] : named.path.at(-2);
  const known = tables.objects.filter(({ kind }) => kind === "schema");
  if (schema === undefined || known.some(({ name }) => tables.isSame(schema, name))) return [];
  return best(schema, known).flatMap(({ name }) => {
    const inside = tables.all.find(({ schemaName }) => schemaName === name);
    if (inside === undefined) return [];
    const rest = isSchema ? "" : named.text.slice(named.text.lastIndexOf("."));
    return [useInstead(tables.written(name) + rest, named.text, [firstOf(inside)])];
  });
}

/** The candidates whose names are like what was written; the nearest by its letters precedes one that is as like. */
function best<Candidate extends { readonly name: string }>(
  written: string,
  candidates: readonly Candidate[],
): readonly Candidate[] {
  const names = candidates.map(({ name }) => name);
  const nearest = nearMiss(written, names);
  return candidates
    .map((candidate) => ({ candidate, score: likeness(written, candidate.name) }))
    .filter(({ score }) => score >= SCORE_MIN)
    .sort(
      (a, b) =>
        b.score - a.score ||
        Number(b.candidate.name === nearest) - Number(a.candidate.name === nearest),
    )
    .slice(0, CANDIDATES_MAX)
    .map(({ candidate }) => candidate);
}

/**
 * What a caller must be able to read to be told an object's name: of a part of a table, which somebody has named after
 * any of its columns, the whole table; of other objects, a table beside them.
 * @returns `undefined` when nothing shows that the caller may know of it.
 */
function partsOf(object: KnownObject, tables: KnownTables): readonly NamedPart[] | undefined {
  const own = object.table === undefined ? relationOf(object, tables) : undefined;
  if (own !== undefined) return [firstOf(own)];
  const owner = object.table === undefined ? undefined : tables.find(object.table);
  if (owner !== undefined) {
    return [{ table: owner, columns: owner.columns.map(({ name }) => name) }];
  }
  const beside = tables.all.find(({ schemaName }) => schemaName === object.schemaName);
  return object.table !== undefined || beside === undefined ? undefined : [firstOf(beside)];
}

function relationOf({ kind, name, schemaName }: KnownObject, tables: KnownTables) {
  const isRelation = kind === "table" || kind === "view" || kind === "materialized view";
  return isRelation ? tables.find([schemaName ?? [], name].flat().join(".")) : undefined;
}

function firstOf(table: NamedPart["table"]): NamedPart {
  return { table, columns: table.columns.slice(0, 1).map(({ name }) => name) };
}

/** An object as the statement must write it: with its schema where that is needed. */
function writtenAs(object: KnownObject, named: NamedObject, tables: KnownTables): string {
  const own = tables.written(object.name);
  const schema = object.schemaName;
  const isPlain =
    schema === undefined ||
    named.table !== undefined ||
    (schema === "public" && named.path.length === 1);
  const hasParameters = named.text.endsWith(")");
  const path = `${isPlain ? "" : `${tables.written(schema)}.`}${own}${(hasParameters && object.parameters) || ""}`;
  return named.isText === true ? literalOf(path) : path;
}

function keyOf(path: readonly string[], tables: KnownTables): string | undefined {
  return tables.find(path.join("."))?.name;
}
