import * as z from "zod";
import { operation } from "../operation.js";
import { MIGRATION_ID, migrationId } from "./migration.js";
import { operations } from "./schema-changes.js";

const stretch = z.object({
  name: z.enum(["base", "up", "down"]).describe("Name of this part of the trial"),
  expected_root: z.string().describe("The expected root of the schema"),
  reached_root: z.string().describe("The actual root of the schema"),
  missing: operations.describe("The differences between the two"),
});

export const verifyMigration = operation({
  name: "verifyMigration",
  action: "migrations:propose",
  audit: { kind: "migration.verify", time: "around" },
  summary: "Try a migration on a scratch database, up and down",
  description:
    "Proves the migration once more on a temporary database. The real database is not touched.",
  tag: "State",
  input: z
    .strictObject({ migration_id: migrationId })
    .meta({ examples: [{ migration_id: MIGRATION_ID }] }),
  output: z
    .object({
      proven: z.boolean().describe("Whether every part of the trial ended at its expected root"),
      stretches: z
        .array(stretch)
        .readonly()
        .describe("The parts of the trial: to the base schema, up, and down"),
    })
    .meta({
      id: "MigrationProof",
      description: "Result of trying a migration on a scratch database",
      examples: [
        {
          proven: true,
          stretches: [
            {
              name: "base",
              expected_root: "5d41402abc4b2a76b9719d911017c592ae2f3e0b8f2c1d6a7e9b0c3d4e5f6a7b",
              reached_root: "5d41402abc4b2a76b9719d911017c592ae2f3e0b8f2c1d6a7e9b0c3d4e5f6a7b",
              missing: [],
            },
          ],
        },
      ],
    }),
  errors: [403, 404],
  rest: {
    method: "POST",
    path: "/api/state/migrations/{migration_id}/verify",
    impossibleIds: "unknown",
    answered: "The result",
  },
  retry: true,
});
