import type { Schema } from "../model/schema.js";
import { relationName } from "./table-definition.js";

/** Limit of tables in the result. */
const TARGETS_MAX = 100;

/** For each table, the tables that reference it with ON DELETE CASCADE; all by name. */
export type CascadeGraph = ReadonlyMap<string, readonly string[]>;

/**
 * The ON DELETE CASCADE edges of a schema. Tables that no foreign key cascades from have no entry.
 */
export function cascadesOf(schema: Schema): CascadeGraph {
  const children = new Map<string, Set<string>>();
  for (const { values, parent } of schema.all("ForeignKey")) {
    if (values.onDelete !== "cascade") continue;
    const child = schema.find(parent);
    const above = schema.find(values.target?.ref);
    if (child === undefined || above === undefined) continue;
    const name = relationName(schema, above);
    children.set(name, (children.get(name) ?? new Set()).add(relationName(schema, child)));
  }
  return new Map([...children].map(([name, below]) => [name, [...below].sort()]));
}

/**
 * The tables that lose rows by cascade when rows of the given tables are deleted: nearest first,
 * then by name, at most {@link TARGETS_MAX}.
 */
export function cascadeTargets(
  graph: CascadeGraph,
  mentioned: Iterable<string>,
): readonly string[] {
  const reached = new Set<string>();
  for (let level = [...mentioned]; level.length > 0;) {
    const next = new Set(level.flatMap((name) => graph.get(name) ?? []));
    level = [...next].filter((name) => !reached.has(name)).sort();
    for (const name of level) reached.add(name);
  }
  return [...reached].slice(0, TARGETS_MAX);
}
