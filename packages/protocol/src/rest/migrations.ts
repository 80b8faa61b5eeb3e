import * as z from "zod";
import type { Message } from "./envelope.js";
import { EMAIL_ADDED, database, findings, message, operations, phases } from "./schema-changes.js";

const hintShape = {
  kind: z
    .enum([
      ...(["Schema", "Table", "Column", "Constraint", "Index", "View", "Trigger"] as const),
      ...(["Type", "Sequence"] as const),
    ])
    .describe("Kind of the renamed object"),
  /**
   * The object's schema after the change, or the schema of the column's table; absent: any schema.
   */
  schema: z.string().exactOptional().describe("Its present schema; absent: any schema"),
  /** The table of a column or a constraint, by its name in the proposed schema. */
  table: z.string().exactOptional().describe("Table of a renamed column, under its present name"),
  /** The object's schema before the change; absent: the schema has not changed. */
  from_schema: z.string().exactOptional().describe("Its previous schema; absent: the same schema"),
  from: z.string().describe("The name before"),
  to: z.string().describe("The name in the proposed schema"),
};

/** An object that the proposed schema renames, or moves to another schema of PostgreSQL. */
export interface RenameHint extends Message<typeof hintShape> {}

const hintSchema: z.ZodType<RenameHint> = z.strictObject(hintShape).meta({
  id: "RenameHint",
  description: "The objects that the proposed schema renames or moves to another schema",
});

/** Maximum number of files of one proposed schema. */
const SCHEMA_FILES_MAX = 10_000;

const fileShape = {
  /** For error messages, such as `tables/orders.sql`. */
  name: z.string().min(1).max(1024).describe("Name of the file, for error messages"),
  sql: z.string().describe("The definitions in the file"),
};

/** One of the files of a schema. */
export interface SchemaFile extends Message<typeof fileShape> {}

const fileSchema: z.ZodType<SchemaFile> = z
  .strictObject(fileShape)
  .meta({ id: "SchemaFile", description: "One of the files of a schema" });

const migrationProposalShape = {
  /** Name of the data source. */
  database,
  /**
   * The whole schema as SQL definitions: one text, or files that are read in order; `-- @renamed
   * from=old` marks a rename.
   */
  sql: z
    .union([z.string(), z.array(fileSchema).min(1).max(SCHEMA_FILES_MAX).readonly()])
    .describe("The whole proposed schema as definitions: one text, or files in order"),
  message,
  hints: z
    .array(hintSchema)
    .max(1000)
    .readonly()
    .exactOptional()
    .describe("Kind of the renamed object"),
};

/** A proposed schema of a database. */
export interface MigrationProposal extends Message<typeof migrationProposalShape> {}

export const migrationProposalSchema: z.ZodType<MigrationProposal> = z
  .strictObject(migrationProposalShape)
  .meta({
    id: "MigrationProposal",
    description: "A proposed schema of a database",
    examples: [
      {
        database: "shop",
        sql: "CREATE TABLE users (id INTEGER PRIMARY KEY, email TEXT)",
        message: "users have an email address",
      },
    ],
  });

const unfinishedRunShape = {
  direction: z.enum(["up", "down"]).describe("Whether the migration is applied or reverted"),
  /** `migrate`: the migration itself. `undo`: undoing the changes of an interrupted run. */
  purpose: z
    .enum(["migrate", "undo"])
    .describe("Whether the run executes the migration or undoes an earlier run that stopped"),
  /** Transactions, and statements outside of transactions, that have taken effect. */
  parts_done: z
    .int()
    .describe("Number of transactions and single statements that have taken effect"),
  part_count: z.int().describe("Total number of transactions and single statements"),
  /** Whether a server executes the run now; otherwise it waits for `resume` or `undo`. */
  under_way: z
    .boolean()
    .describe("Whether a server executes the run now; otherwise it waits for resume or undo"),
  /**
   * What the run is doing now: the progress of an index build, or the session that it waits for.
   */
  activity: z
    .string()
    .exactOptional()
    .describe(
      "What the run is doing now: the progress of an index build, or the session that it waits for",
    ),
  /** Why it stopped; absent when its process died. */
  error: z.string().exactOptional().describe("Why the run stopped; absent when its process died"),
  /** RFC 3339, UTC. */
  started_at: z.string().meta({ format: "date-time" }).describe("When it began, in UTC"),
};

/** A run of a migration that has not ended. */
export interface UnfinishedRun extends Message<typeof unfinishedRunShape> {}

const unfinishedRunSchema: z.ZodType<UnfinishedRun> = z.object(unfinishedRunShape).meta({
  id: "UnfinishedMigrationRun",
  description: "A run of a migration that has not ended",
});

const digest = z.string().regex(/^[0-9a-f]{64}$/, "must be 64 hexadecimal digits");

const migrationShape = {
  migration_id: z.string().describe("Id of the migration"),
  database: z.string().describe("Name of the data source"),
  author: z.string().describe("Who proposed it"),
  message: z.string().describe("Purpose of the change"),
  /** RFC 3339, UTC. */
  proposed_at: z.string().meta({ format: "date-time" }).describe("When it was proposed, in UTC"),
  status: z.enum(["proposed", "applied", "reverted"]).describe("State of the migration"),
  /**
   * Identifies the reviewed migration: SHA-256 of its id, database, roots and statements, in
   * hexadecimal.
   */
  digest: digest.describe(
    "SHA-256 of its id, database, roots and statements: names the migration that was reviewed",
  ),
  /** Root of the only schema that it applies to. */
  base_root: z
    .string()
    .describe("Root hash of the schema that it applies to; it applies to no other"),
  target_root: z.string().describe("Root hash of the schema that it results in"),
  operations: operations.describe("What happens to each object"),
  findings: findings.describe("Warnings to read before the migration is applied"),
  down_findings: findings.describe("Warnings to read before the migration is reverted"),
  up: phases.describe("The statements that apply it"),
  down: phases.describe("The statements that revert it"),
  /** Content ids of the commits that its runs recorded, the oldest first. */
  commits: z
    .array(z.string())
    .readonly()
    .describe("Content ids of the commits that its runs recorded, the oldest first"),
  /** The migration's unfinished run. Returned only when a single migration is read. */
  unfinished_run: unfinishedRunSchema
    .exactOptional()
    .describe("The run that has not ended; only when a single migration is read"),
};

/** A proven change of a schema. */
export interface Migration extends Message<typeof migrationShape> {}

export const migrationSchema: z.ZodType<Migration> = z.object(migrationShape).meta({
  id: "Migration",
  description: "A proven change of a schema",
  examples: [
    {
      migration_id: "6f0c3f2a-2f0e-4c35-9d0b-0c4b7a1de9f1",
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

const unchangedSchemaShape = {
  status: z.literal("unchanged").describe("Always unchanged"),
  database: z.string().describe("Name of the data source"),
  /** Root of the schema. */
  root: z.string().describe("Root of the schema"),
};

/** The answer to a proposal of the schema that the database already has; nothing is stored. */
export interface UnchangedSchema extends Message<typeof unchangedSchemaShape> {}

export const unchangedSchemaSchema: z.ZodType<UnchangedSchema> = z
  .object(unchangedSchemaShape)
  .meta({
    id: "UnchangedSchema",
    description: "The database already has the proposed schema",
    examples: [
      {
        status: "unchanged",
        database: "shop",
        root: "5d41402abc4b2a76b9719d911017c592ae2f3e0b8f2c1d6a7e9b0c3d4e5f6a7b",
      },
    ],
  });

const runMigrationRequestShape = {
  /** Whether the caller accepts the loss of rows and values. */
  accept_data_loss: z
    .boolean()
    .exactOptional()
    .describe("Whether the migration may delete rows or values"),
  /** Digest of the reviewed migration; required when callers are authenticated. */
  digest: digest
    .exactOptional()
    .describe(
      "Digest of the migration that was reviewed; a different migration is answered with 409. Optional while callers are not authenticated",
    ),
};

/** Options of a run. */
export interface RunMigrationRequest extends Message<typeof runMigrationRequestShape> {}

export const runMigrationRequestSchema: z.ZodType<RunMigrationRequest> = z
  .strictObject(runMigrationRequestShape)
  .meta({
    id: "RunMigrationRequest",
    description: "How a migration is to run",
    examples: [
      {
        accept_data_loss: false,
        digest: "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
      },
    ],
  });

const stretchShape = {
  name: z.enum(["base", "up", "down"]).describe("Name of this part of the trial"),
  expected_root: z.string().describe("The expected root of the schema"),
  reached_root: z.string().describe("The actual root of the schema"),
  missing: operations.describe("The differences between the two"),
};

/** One part of a trial, with the expected and the actual result. */
export interface ProofStretch extends Message<typeof stretchShape> {}

const stretchSchema: z.ZodType<ProofStretch> = z.object(stretchShape);

const migrationProofShape = {
  proven: z.boolean().describe("Whether every part of the trial ended at its expected root"),
  stretches: z
    .array(stretchSchema)
    .readonly()
    .describe("The parts of the trial: to the base schema, up, and down"),
};

/** The result of trying a migration on a scratch database. */
export interface MigrationProof extends Message<typeof migrationProofShape> {}

export const migrationProofSchema: z.ZodType<MigrationProof> = z.object(migrationProofShape).meta({
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
});
