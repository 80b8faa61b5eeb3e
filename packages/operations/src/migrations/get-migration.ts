import * as z from "zod";
import { operation } from "../operation.js";
import { migration, MIGRATION_ID, migrationId } from "./migration.js";

export const getMigration = operation({
  name: "getMigration",
  action: "migrations:read",
  summary: "Show a migration",
  description:
    "The migration with its statements, its findings and, if a run has begun and not ended, that run.",
  tag: "State",
  input: z
    .strictObject({ migration_id: migrationId })
    .meta({ examples: [{ migration_id: MIGRATION_ID }] }),
  output: migration,
  errors: [403, 404],
  rest: {
    method: "GET",
    path: "/api/state/migrations/{migration_id}",
    impossibleIds: "unknown",
    answered: "The migration",
  },
});
