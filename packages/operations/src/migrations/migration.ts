import * as z from "zod";
import type { Infer } from "../operation.js";
import { EMAIL_ADDED, findings, operations, phases } from "./schema-changes.js";

export const MIGRATION_ID = "6f0c3f2a-2f0e-4c35-9d0b-0c4b7a1de9f1";

/** Of a migration in a path. */
export const migrationId = z.string().describe("Id of the migration");

const unfinishedRun = z
  .object({
    direction: z.enum(["up", "down"]).describe("Whether the migration is applied or reverted"),
    purpose: z
      .enum(["migrate", "undo"])
      .describe("Whether the run executes the migration or undoes an earlier run that stopped"),
    parts_done: z
      .int()
      .describe("Number of transactions and single statements that have taken effect"),
    part_count: z.int().describe("Total number of transactions and single statements"),
    under_way: z
      .boolean()
      .describe("Whether a server executes the run now; otherwise it waits for resume or undo"),
    activity: z
      .string()
      .exactOptional()
      .describe(
        "What the run is doing now: the progress of an index build, or the session that it waits for",
      ),
    error: z.string().exactOptional().describe("Why the run stopped; absent when its process died"),
    started_at: z.string().meta({ format: "date-time" }).describe("When it began, in UTC"),
  })
  .meta({
    id: "UnfinishedMigrationRun",
    description: "A run of a migration that has not ended",
  });

export const digest = z.string().regex(/^[0-9a-f]{64}$/, "must be 64 hexadecimal digits");

export const migration = z
  .object({
    migration_id: migrationId,
    database: z.string().describe("Name of the data source"),
    author: z.string().describe("Who proposed it"),
    message: z.string().describe("Purpose of the change"),
    proposed_at: z.string().meta({ format: "date-time" }).describe("When it was proposed, in UTC"),
    status: z.enum(["proposed", "applied", "reverted"]).describe("State of the migration"),
    digest: digest.describe(
      "SHA-256 of its id, database, roots and statements: names the migration that was reviewed",
    ),
    base_root: z
      .string()
      .describe("Root hash of the schema that it applies to; it applies to no other"),
    target_root: z.string().describe("Root hash of the schema that it results in"),
    operations: operations.describe("What happens to each object"),
    findings: findings.describe("Warnings to read before the migration is applied"),
    down_findings: findings.describe("Warnings to read before the migration is reverted"),
    up: phases.describe("The statements that apply it"),
    down: phases.describe("The statements that revert it"),
    commits: z
      .array(z.string())
      .readonly()
      .describe("Content ids of the commits that its runs recorded, the oldest first"),
    unfinished_run: unfinishedRun
      .exactOptional()
      .describe("The run that has not ended; only when a single migration is read"),
  })
  .meta({
    id: "Migration",
    description: "A proven change of a schema",
    examples: [
      {
        migration_id: MIGRATION_ID,
        database: "shop",
        author: "ada",
        message: "users have an email address",
        proposed_at: "2026-03-01T09:30:00.000Z",
        status: "applied",
        digest: "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
        base_root: "5d41402abc4b2a76b9719d911017c592ae2f3e0b8f2c1d6a7e9b0c3d4e5f6a7b",
        target_root: "b7a6f5e4d3c0b9e7a6d1c2f8b0e3f2ea295c710119d9179b67a2b4cba20414d5",
        ...EMAIL_ADDED,
        commits: ["bafyreigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi"],
      },
    ],
  });

export type Migration = Infer<typeof migration>;
