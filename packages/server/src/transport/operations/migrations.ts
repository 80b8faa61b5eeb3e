import { type InputOf, migrations as operations } from "@steward/operations";
import type { MigrationService, RunOptions } from "@steward/schema";
import { present } from "../../kernel/present.js";
import { implement, type Implemented } from "./implement.js";
import {
  changeMessage,
  driftMessage,
  migrationMessage,
  proofMessage,
} from "./migration-messages.js";

/** What the operations on migrations do. */
export function migrationOperations(migrations: MigrationService): readonly Implemented[] {
  const { applyMigration, revertMigration, resumeMigration, undoMigration } = operations;
  return [
    implement(operations.listMigrations, async ({ context }) =>
      (await migrations.list(context)).map((each) => migrationMessage(each)),
    ),
    implement(operations.getMigration, async ({ input: { migration_id }, context }) => {
      const migration = await migrations.show(context, migration_id);
      return migrationMessage(migration, await migrations.unfinishedRun(context, migration_id));
    }),
    implement(operations.verifyMigration, async ({ input: { migration_id }, context }) =>
      proofMessage(await migrations.verify(context, migration_id)),
    ),
    implement(applyMigration, async ({ input, context }) =>
      migrationMessage(await migrations.apply(context, input.migration_id, runOptionsOf(input))),
    ),
    implement(revertMigration, async ({ input, context }) =>
      migrationMessage(await migrations.revert(context, input.migration_id, runOptionsOf(input))),
    ),
    implement(resumeMigration, async ({ input, context }) =>
      migrationMessage(await migrations.resume(context, input.migration_id, runOptionsOf(input))),
    ),
    implement(undoMigration, async ({ input, context }) =>
      migrationMessage(await migrations.undo(context, input.migration_id, runOptionsOf(input))),
    ),
    implement(operations.compareSchemas, async ({ input: { from, to }, context }) =>
      changeMessage(await migrations.compare(context, from, to)),
    ),
    implement(operations.dumpSchema, async ({ input: { database }, context }) =>
      migrations.dump(context, database),
    ),
    implement(operations.getSchemaDrift, async ({ input: { database }, context }) =>
      driftMessage(database, await migrations.drift(context, database)),
    ),
    implement(operations.acceptSchemaDrift, async ({ input, context }) => {
      const { database, message, expected_root: expectedRoot } = input;
      const accepted = { database, message, ...present({ expectedRoot }) };
      const commit = await migrations.acceptDrift(context, accepted);
      return { database, ...present({ commit }) };
    }),
  ];
}

function runOptionsOf(input: InputOf<typeof operations.applyMigration>): RunOptions {
  return present({ acceptDataLoss: input.accept_data_loss, digest: input.digest });
}
