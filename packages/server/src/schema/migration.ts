import { withoutInvalidIndexes } from "./postgres/invalid-indexes.js";
import { Schema, type SchemaObject } from "./schema.js";
import type { SchemaChange } from "./schema-change.js";

/** Where a migration is: it may be applied and reverted over and over. */
export type MigrationStatus = "proposed" | "applied" | "reverted";

/** The step of a plan that ran a migration, and the commit it left. */
export interface StepRun {
  readonly planId: string;
  readonly stepId: string;
  readonly commit: string;
}

/** What one schema change is: where it begins, where it ends, and both ways between. */
export interface Migration extends SchemaChange {
  /** UUID. */
  readonly id: string;
  /** Name of the data source. */
  readonly database: string;
  readonly author: string;
  readonly message: string;
  /** Milliseconds since the Unix epoch. */
  readonly proposedAtMs: number;
  readonly status: MigrationStatus;
  /** Content ids of the commits that its runs left, the oldest first. */
  readonly commits: readonly string[];
  /** Those of its runs that were steps of plans; each step runs it once. */
  readonly stepRuns?: readonly StepRun[];
  readonly base: readonly SchemaObject[];
  readonly target: readonly SchemaObject[];
}

/** The run of a migration by a step of a plan; undefined when that step has not run it. */
export function runOfStep(
  { stepRuns = [] }: Migration,
  { planId, stepId }: Omit<StepRun, "commit">,
): StepRun | undefined {
  return stepRuns.find((run) => run.planId === planId && run.stepId === stepId);
}

/** The schemas that a migration lies between, to be looked up. */
export function schemasOf(migration: Migration): {
  readonly base: Schema;
  readonly target: Schema;
} {
  return { base: new Schema(migration.base), target: new Schema(migration.target) };
}

/**
 * The schemas that a run of a migration leads from and to. An index that was invalid before is not brought
 * back: nothing could make it, and nobody has lost it.
 */
export function pathOf(
  migration: Migration,
  direction: "up" | "down",
): { readonly from: Schema; readonly to: Schema } {
  const { base, target } = schemasOf(migration);
  return direction === "up"
    ? { from: base, to: target }
    : { from: target, to: withoutInvalidIndexes(base) };
}
