import { operation } from "../operation.js";
import { migration } from "./migration.js";
import { migrationRun, RUN_DESCRIPTION, runMigrationRequest } from "./run-migration-request.js";

export const revertMigration = operation({
  name: "revertMigration",
  action: "migrations:revert",
  audit: { kind: "migration.revert", time: "around" },
  resolves: { migration_id: { names: "migration", idIn: "digest" } },
  summary: "Revert an applied migration",
  description: RUN_DESCRIPTION,
  tag: "State",
  input: migrationRun,
  output: migration,
  errors: [403, 404, 409],
  rest: {
    method: "POST",
    path: "/api/state/migrations/{migration_id}/revert",
    body: runMigrationRequest,
    impossibleIds: "unknown",
    answered: "The migration",
  },
  retry: true,
});
