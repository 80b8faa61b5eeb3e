import { operation } from "../operation.js";
import { migration } from "./migration.js";
import { migrationRun, runMigrationRequest } from "./run-migration-request.js";

export const resumeMigration = operation({
  name: "resumeMigration",
  action: "migrations:apply",
  audit: { kind: "migration.resume", time: "around" },
  resolves: { migration_id: { names: "migration", idIn: "digest" } },
  summary: "Resume a run that stopped half way",
  description:
    "The run's journal in the database says which parts have taken effect. The answer is 409 when there is " +
    "no such run, or when others have changed its objects.",
  tag: "State",
  input: migrationRun,
  output: migration,
  errors: [403, 404, 409],
  rest: {
    method: "POST",
    path: "/api/state/migrations/{migration_id}/resume",
    body: runMigrationRequest,
    impossibleIds: "unknown",
    answered: "The migration",
  },
  retry: false,
});
