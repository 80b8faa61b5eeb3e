import { withoutInvalidIndexes } from "../postgres/objects/invalid-indexes.js";
import { Schema, type SchemaObject } from "../model/schema.js";
import type { SchemaChange } from "./schema-change.js";

/** Status of a migration, which may be applied and reverted repeatedly. */
export type MigrationStatus = "proposed" | "applied" | "reverted";

/** A run of a migration by a plan step, and the commit that recorded it. */
export interface StepRun {
  readonly planId: string;
  readonly stepId: string;
  readonly commit: string;
}

/** A schema change: its base and target, and the scripts in both directions. */
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
  /** Content ids of the commits that its runs made, the oldest first. */
  readonly commits: readonly string[];
  /** The runs by plan steps. Each step runs the migration once. */
  readonly stepRuns?: readonly StepRun[];
  readonly base: readonly SchemaObject[];
  readonly target: readonly SchemaObject[];
}

/** The run by a plan step; undefined when that step has not run the migration. */
export function runOfStep(
  { stepRuns = [] }: Migration,
  { planId, stepId }: Omit<StepRun, "commit">,
): StepRun | undefined {
  return stepRuns.find((run) => run.planId === planId && run.stepId === stepId);
}

/** The base and the target schema of a migration. */
export function schemasOf(migration: Migration): {
  readonly base: Schema;
  readonly target: Schema;
} {
  return { base: new Schema(migration.base), target: new Schema(migration.target) };
}

/**
 * The base and target of a run. An index that was invalid before is left out, because no statement
 * can recreate it and its loss matters to nobody.
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
