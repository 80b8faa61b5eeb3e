import type { RelationKey } from "@steward/schema";

/** Two tables and the condition that joins them along a foreign key. */
export interface JoinStep {
  readonly from: string;
  readonly to: string;
  /** SQL condition, such as `orders.customer_id = customers.id`. */
  readonly condition: string;
}

/** A table, and the joins that lead to it from another table, in order. */
export interface JoinPath {
  readonly to: string;
  readonly steps: readonly JoinStep[];
}

/** The parts of a table that joins need. */
export interface JoinedTable {
  readonly name: string;
  readonly foreignKeys: readonly RelationKey[];
}

/** The joins along foreign keys, in both directions, by table. */
export type JoinGraph = ReadonlyMap<string, readonly JoinStep[]>;

/** Builds the graph of joins between tables. */
export function joinGraph(tables: readonly JoinedTable[]): JoinGraph {
  const known = new Set(tables.map(({ name }) => name));
  const graph = new Map<string, JoinStep[]>();
  const add = (step: JoinStep): void => {
    const steps = graph.get(step.from);
    if (steps === undefined) graph.set(step.from, [step]);
    else steps.push(step);
  };
  for (const { name, foreignKeys } of tables) {
    for (const key of foreignKeys) {
      const condition = conditionOf(name, key);
      if (!known.has(key.target) || condition === undefined) continue;
      add({ from: name, to: key.target, condition });
      if (key.target !== name) add({ from: key.target, to: name, condition });
    }
  }
  return graph;
}

/**
 * The shortest path of joins from a table to each other one, the nearest first.
 * @param stepsMax longest path.
 */
export function joinPathsFrom(
  graph: JoinGraph,
  start: string,
  { stepsMax, pathsMax }: { readonly stepsMax: number; readonly pathsMax: number },
): readonly JoinPath[] {
  const reached = new Set([start]);
  const paths: JoinPath[] = [];
  let level: readonly JoinPath[] = [{ to: start, steps: [] }];
  for (let length = 0; length < stepsMax && paths.length < pathsMax; length += 1) {
    const next: JoinPath[] = [];
    for (const path of level) {
      for (const step of graph.get(path.to) ?? []) {
        if (reached.has(step.to)) continue;
        reached.add(step.to);
        next.push({ to: step.to, steps: [...path.steps, step] });
      }
    }
    paths.push(...next);
    level = next;
  }
  return paths.slice(0, pathsMax);
}

/** Undefined for a key whose target columns are not known. */
function conditionOf(
  table: string,
  { columns, target, targetColumns }: RelationKey,
): string | undefined {
  if (columns.length === 0 || columns.length !== targetColumns.length) return undefined;
  return columns
    .map((column, index) => `${table}.${column} = ${target}.${targetColumns[index] ?? ""}`)
    .join(" AND ");
}
