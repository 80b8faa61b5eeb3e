import { assert } from "@steward/kernel/assert.js";
import type { Clock } from "@steward/kernel/clock.js";
import type { DataSourceAccess } from "@steward/kernel/data-source-access.js";
import type { KeyedMutex } from "@steward/kernel/concurrency/keyed-mutex.js";
import { withPauses } from "@steward/kernel/concurrency/pausing.js";
import type { Repositories } from "@steward/state/ports";
import { BoundDatabases } from "./bound-databases.js";
import { identifying } from "../model/identify.js";
import type { SchemaDatabase } from "../ports.js";
import { isSameSchema } from "../model/schema-diff.js";
import { SchemaHistory } from "./schema-history.js";

/** A plan step that changes a schema. */
export interface RecordedStep {
  readonly ref: { readonly orgId: string; readonly planId: string; readonly stepId: string };
  /** Name of the data source. */
  readonly dataSource: string;
  readonly author: string;
}

export interface StepRecorderParts {
  readonly databases: ReadonlyMap<string, SchemaDatabase>;
  readonly access?: DataSourceAccess;
  readonly repositories: Repositories;
  readonly clock: Clock;
  readonly mutex: KeyedMutex;
}

/**
 * Records the history of schemas that plan steps change, with one commit per step (Decision §15).
 * It records the schema as introspected, so repeating a record has no effect. The history of a
 * database that several organizations share is not recorded, because it would reveal one
 * organization's tables to the others.
 */
export class StepRecorder {
  readonly #parts: StepRecorderParts;

  constructor(parts: StepRecorderParts) {
    this.#parts = parts;
  }

  /**
   * Records changes that others made before the step, so that the step's commit contains only the
   * step's own changes.
   */
  before(step: RecordedStep): Promise<void> {
    return this.#record(step, (isFirst) =>
      isFirst
        ? `Record the schema of ${step.dataSource}`
        : `Found before ${nameOf(step)}: changed by others`,
    );
  }

  /** Records the schema after the step; no commit is made when it is recorded already. */
  after(step: RecordedStep): Promise<void> {
    return this.#record(step, () => `Run ${nameOf(step)}`);
  }

  async #record(
    { ref: { orgId }, dataSource, author }: RecordedStep,
    messageOf: (isFirst: boolean) => string,
  ): Promise<void> {
    const { databases, access, repositories, clock, mutex } = this.#parts;
    const bound = new BoundDatabases(databases, access);
    if (bound.isShared(dataSource)) return;
    const database = bound.find(orgId, dataSource);
    assert(database !== undefined, "steps run on data sources that there are");
    await mutex.runExclusive(dataSource, async () => {
      const draft = await database.introspect();
      await repositories.write(orgId, async ({ store }) => {
        const history = new SchemaHistory(store, clock, dataSource);
        const recorded = (await withPauses(history.reading()))?.schema;
        const schema = await withPauses(identifying(draft, recorded));
        if (recorded !== undefined && isSameSchema(recorded, schema)) return;
        const note = { author, message: messageOf(recorded === undefined) };
        await withPauses(history.recording(schema, note));
      });
    });
  }
}

function nameOf({ ref: { planId, stepId } }: RecordedStep): string {
  return `step ${stepId} of plan ${planId}`;
}
