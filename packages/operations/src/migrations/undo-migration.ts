import { operation } from "../operation.js";
import { migration } from "./migration.js";
import { migrationRun, runMigrationRequest } from "./run-migration-request.js";

export const undoMigration = operation({
  name: "undoMigration",
  action: "migrations:revert",
  audit: { kind: "migration.undo", time: "around" },
  resolves: { migration_id: { names: "migration", idIn: "digest" } },
  summary: "Undo the changes of a run that stopped half way",
  description:
    "Undoes only the changes that the run's journal lists. When that would lose rows or values that were " +
    "written meanwhile, the loss must be accepted.",
  tag: "State",
  input: migrationRun,
  output: migration,
  errors: [403, 404, 409],
  rest: {
    method: "POST",
    path: "/api/state/migrations/{migration_id}/undo",
    body: runMigrationRequest,
    impossibleIds: "unknown",
    answered: "The migration",
  },
  retry: false,
});
