import { assert } from "../kernel/assert.js";
import type { Clock } from "../kernel/clock.js";
import type { DataSourceAccess } from "../kernel/data-source-access.js";
import type { Turns } from "../kernel/turns.js";
import { withPauses } from "../kernel/pausing.js";
import type { Repositories } from "../state/index.js";
import { BoundDatabases } from "./bound-databases.js";
import { identifying } from "./identify.js";
import type { SchemaDatabase } from "./ports.js";
import { isSameSchema } from "./schema-diff.js";
import { SchemaHistory } from "./schema-history.js";

/** A step of a plan that changes a schema. */
export interface RecordedStep {
  readonly ref: { readonly orgId: string; readonly planId: string; readonly stepId: string };
  /** Name of the data source. */
  readonly dataSource: string;
  readonly author: string;
}

/** What steps are recorded with. */
export interface StepRecorderParts {
  readonly databases: ReadonlyMap<string, SchemaDatabase>;
  readonly access?: DataSourceAccess;
  readonly repositories: Repositories;
  readonly clock: Clock;
  readonly turns: Turns;
}

/**
 * Keeps the history of schemas that steps change: one commit for each (Decision §15). What it records is
 * the schema as it is found, so repeating it is harmless. Of a database that several organizations share nothing is
 * recorded: it would tell each of them of the others' tables.
 */
export class StepRecorder {
  readonly #parts: StepRecorderParts;

  constructor(parts: StepRecorderParts) {
    this.#parts = parts;
  }

  /** Records what others have changed, so that the step's commit holds what the step does. */
  before(step: RecordedStep): Promise<void> {
    return this.#record(step, (isFirst) =>
      isFirst
        ? `Record the schema of ${step.dataSource}`
        : `Found before ${nameOf(step)}: changed by others`,
    );
  }

  /** Records the schema as it is after the step; nothing when it is recorded. */
  after(step: RecordedStep): Promise<void> {
    return this.#record(step, () => `Run ${nameOf(step)}`);
  }

  async #record(
    { ref: { orgId }, dataSource, author }: RecordedStep,
    messageOf: (isFirst: boolean) => string,
  ): Promise<void> {
    const { databases, access, repositories, clock, turns } = this.#parts;
    const bound = new BoundDatabases(databases, access);
    if (bound.isShared(dataSource)) return;
    const database = bound.find(orgId, dataSource);
    assert(database !== undefined, "steps run on data sources that there are");
    await turns.next(dataSource, async () => {
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
