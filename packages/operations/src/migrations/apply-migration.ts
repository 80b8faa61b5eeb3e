import { operation } from "../operation.js";
import { migration } from "./migration.js";
import { migrationRun, RUN_DESCRIPTION, runMigrationRequest } from "./run-migration-request.js";

export const applyMigration = operation({
  name: "applyMigration",
  action: "migrations:apply",
  audit: { kind: "migration.apply", time: "around" },
  resolves: { migration_id: { names: "migration", idIn: "digest" } },
  summary: "Apply a migration",
  description: RUN_DESCRIPTION,
  tag: "State",
  input: migrationRun,
  output: migration,
  errors: [403, 404, 409],
  rest: {
    method: "POST",
    path: "/api/state/migrations/{migration_id}/apply",
    body: runMigrationRequest,
    impossibleIds: "unknown",
    answered: "The migration",
  },
  retry: true,
});
