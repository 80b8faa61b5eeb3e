import type { Kind } from "../model/kinds.js";
import type { Schema, SchemaObject } from "../model/schema.js";
import { diffSchemas } from "../model/schema-diff.js";
import { type ChangedTable, changedTables } from "./changed-tables.js";
import { columnsOf } from "./table-definition.js";

/** What a migration does, as far as rights depend on it. Names are in lower case. */
export type MigrationEffect =
  | (ChangedTable & { readonly kind: "change" })
  /** A definition that it creates or changes names this table or view, and may read all of it. */
  | { readonly kind: "read"; readonly name: string; readonly columns: readonly string[] }
  /** Such a definition names this function, with its schema. */
  | { readonly kind: "call"; readonly name: string };

const TABLES: ReadonlySet<Kind> = new Set<Kind>([
  ...(["Table", "VirtualTable", "View", "MaterializedView"] as const),
]);
const FUNCTIONS: ReadonlySet<Kind> = new Set<Kind>(["Function", "Procedure", "Aggregate"]);
/** Objects whose definitions read tables and call functions: when they are made, or when they are used. */
const READING: ReadonlySet<Kind> = new Set<Kind>([
  ...(["VirtualTable", "View", "MaterializedView", "Trigger", "Rule", "Policy"] as const),
  ...(["Column", "CheckConstraint", "Index", "Domain", "Operator", "Cast"] as const),
  ...FUNCTIONS,
]);
/** Properties that are no part of what an object does. */
const SILENT: ReadonlySet<string> = new Set(["comment", "grants", "nativeId", "owner", "revoked"]);

/** What the migration from one schema to another changes, and what its new definitions read and call. */
export function migrationEffects(from: Schema, to: Schema): readonly MigrationEffect[] {
  const changed = changedTables(from, to).map((table) => ({ kind: "change" as const, ...table }));
  return [...changed, ...readingsOf(from, to)];
}

function readingsOf(from: Schema, to: Schema): readonly MigrationEffect[] {
  const named = to.objects.filter(({ kind }) => TABLES.has(kind) || FUNCTIONS.has(kind));
  const reached = new Set<SchemaObject>();
  const pending = diffSchemas(from, to).flatMap(({ id }) => to.find(id) ?? []);
  const followed = new Set(pending);
  for (let object = pending.pop(); object !== undefined; object = pending.pop()) {
    if (!READING.has(object.kind)) continue;
    const words = wordsOf(textsIn(object.values).join(" "));
    for (const other of named) {
      if (other === object || other.id === object.parent || !words.has(plainName(other))) continue;
      reached.add(other);
      if (followed.has(other)) continue;
      followed.add(other);
      pending.push(other);
    }
  }
  return [...reached].map((object) => {
    const name = to.pathOf(object).toLowerCase();
    if (FUNCTIONS.has(object.kind)) return { kind: "call", name: name.replace(/\(.*$/s, "") };
    const columns = columnsOf(to, object, []).map((column) => column.name.toLowerCase());
    return { kind: "read", name, columns };
  });
}

/** The name without the types of a function's arguments. */
function plainName({ name = "" }: SchemaObject): string {
  return name.toLowerCase().replace(/\(.*$/s, "");
}

/** The words of a definition, and everything in quotes. */
function wordsOf(text: string): ReadonlySet<string> {
  const quoted = [...text.matchAll(/"((?:[^"]|"")+)"|\[([^\]]+)\]|`([^`]+)`/g)].flatMap(
    ([, double, bracketed, ticked]) => double?.replaceAll('""', '"') ?? bracketed ?? ticked ?? [],
  );
  return new Set([...text.split(/[^\p{L}\p{N}_$]+/u), ...quoted].map((word) => word.toLowerCase()));
}

/** The texts in an object's properties; what refers to other objects by id is left out. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (typeof value !== "object" || value === null || "ref" in value) return [];
  return Object.entries(value).flatMap(([property, inner]) =>
    SILENT.has(property) ? [] : textsIn(inner),
  );
}
