import { idIn, type Schema } from "./schema.js";
import { relationName } from "./table-definition.js";

/** Tables named in an answer, at most. */
const TARGETS_MAX = 100;

/** Tables by name, each with those that lose rows along with it by ON DELETE CASCADE, by name. */
export type CascadeGraph = ReadonlyMap<string, readonly string[]>;

/** The cascades of a schema; tables that nothing cascades from are left out. */
export function cascadesOf(schema: Schema): CascadeGraph {
  const children = new Map<string, Set<string>>();
  for (const { values, parent } of schema.all("ForeignKey")) {
    if (values.onDelete !== "cascade") continue;
    const child = parent === undefined ? undefined : schema.find(parent);
    const above = schema.find(idIn(values, "target") ?? "");
    if (child === undefined || above === undefined) continue;
    const name = relationName(schema, above);
    children.set(name, (children.get(name) ?? new Set()).add(relationName(schema, child)));
  }
  return new Map([...children].map(([name, below]) => [name, [...below].sort()]));
}

/**
 * The tables that lose rows when tables lose some: the nearest first, and by name; at most
 * {@link TARGETS_MAX}.
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
