import * as z from "zod";

/** That something has another name in a wanted schema. */
export interface RenameHint {
  readonly kind: "Table" | "Column" | "Index" | "View" | "Trigger" | "Type";
  /** The table of a column, by its name in the wanted schema. */
  readonly table?: string;
  readonly from: string;
  readonly to: string;
}

/** One of the files that a schema is written in. */
export interface SchemaFile {
  /** For messages: `tables/orders.sql`. */
  readonly name: string;
  readonly sql: string;
}

/** A schema that a database is to have. */
export interface MigrationProposal {
  /** Name of the data source. */
  readonly database: string;
  /**
   * The whole schema as SQL definitions, as one text or as files that are read one after the other;
   * `-- @renamed from=old` marks what was renamed.
   */
  readonly sql: string | readonly SchemaFile[];
  readonly message: string;
  readonly hints?: readonly RenameHint[];
}

/** What happens to one object of a schema. */
export interface SchemaOperation {
  readonly action: "create" | "drop" | "rename" | "alter";
  readonly kind: string;
  /** IRI of the object. */
  readonly id: string;
  readonly path: string;
  /** Of a rename: the name before. */
  readonly from?: string;
  /** Of a rename: the name after. */
  readonly to?: string;
  /** Of an alteration: the properties that change. */
  readonly changes?: readonly SchemaPropertyChange[];
}

/** A property of an object, before and after. */
export interface SchemaPropertyChange {
  readonly property: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** Something to think about before a migration runs. */
export interface MigrationFinding {
  readonly code: string;
  readonly object: string;
  readonly message: string;
}

/** Statements that take effect together, or, when not atomic, one by one. */
export interface MigrationPhase {
  readonly atomic: boolean;
  readonly statements: readonly string[];
  /** The locks that the statements take. An atomic phase holds each of them until it ends. */
  readonly locks: readonly MigrationLock[];
}

/** A lock on a table, and what it means for others. */
export interface MigrationLock {
  /** Index of the statement in its phase. */
  readonly statement: number;
  /** The table as the statement names it; empty for the whole file of SQLite. */
  readonly table: string;
  /** As the engine calls it: `ACCESS EXCLUSIVE`. */
  readonly mode: string;
  /** What the statement does under it: `instant`, `scan` reads every row, `rewrite` writes every row anew. */
  readonly holds_while: "instant" | "scan" | "rewrite";
  /** Who waits, in words: `reads and writes wait`. */
  readonly effect: string;
}

/** Which database's schema is wanted as SQL. */
export interface SchemaDumpQuery {
  /** Name of the data source; may be left out where there is one only. */
  readonly database?: string;
}

/** The present schema of a database as SQL that can be proposed. */
export interface SchemaDump {
  readonly database: string;
  readonly dialect: "sqlite" | "postgres";
  /** The same for the same schema, byte by byte. */
  readonly sql: string;
}

/** Which two commits are compared. */
export interface SchemaDiffQuery {
  /** A branch such as `schemas/shop`, a tag, or a content id. */
  readonly from: string;
  readonly to: string;
}

/** What leads from the schema of one commit to that of another, and back. */
export interface SchemaDiff {
  readonly from_root: string;
  readonly to_root: string;
  readonly operations: readonly SchemaOperation[];
  readonly findings: readonly MigrationFinding[];
  readonly down_findings: readonly MigrationFinding[];
  readonly up: readonly MigrationPhase[];
  readonly down: readonly MigrationPhase[];
}

/** A run of a migration that has begun and not ended. */
export interface UnfinishedRun {
  readonly direction: "up" | "down";
  /** `migrate`: the migration itself. `undo`: taking back what a run had done that stopped. */
  readonly purpose: "migrate" | "undo";
  /** Transactions, and statements outside of transactions, that have taken effect. */
  readonly parts_done: number;
  readonly part_count: number;
  /** Whether a server is at it now; otherwise it waits for `resume` or `undo`. */
  readonly under_way: boolean;
  /** What it is doing now: how far an index is, or for whom it waits. */
  readonly activity?: string;
  /** Why it stopped; absent when its process died. */
  readonly error?: string;
  /** RFC 3339, UTC. */
  readonly started_at: string;
}

/** A proven change of a schema. */
export interface Migration {
  readonly migration_id: string;
  readonly database: string;
  readonly author: string;
  readonly message: string;
  /** RFC 3339, UTC. */
  readonly proposed_at: string;
  readonly status: "proposed" | "applied" | "reverted";
  /** Root of the schema that it is for, and of no other. */
  readonly base_root: string;
  readonly target_root: string;
  readonly operations: readonly SchemaOperation[];
  readonly findings: readonly MigrationFinding[];
  readonly down_findings: readonly MigrationFinding[];
  readonly up: readonly MigrationPhase[];
  readonly down: readonly MigrationPhase[];
  /** Content ids of the commits that its runs left, the oldest first. */
  readonly commits: readonly string[];
  /** Where one migration is shown: its run that has begun and not ended. */
  readonly unfinished_run?: UnfinishedRun;
}

/** The answer to a proposal of the schema that a database has already: nothing is to be done, or kept. */
export interface UnchangedSchema {
  readonly status: "unchanged";
  readonly database: string;
  /** Root of the schema. */
  readonly root: string;
}

/** How a migration is to run. */
export interface RunMigrationRequest {
  /** Whether rows and values may be lost. */
  readonly accept_data_loss?: boolean;
}

/** One stretch of a proof: where it was to lead, and where it led. */
export interface ProofStretch {
  readonly name: "base" | "up" | "down";
  readonly expected_root: string;
  readonly reached_root: string;
  readonly missing: readonly SchemaOperation[];
}

/** What trying a migration on a scratch database came to. */
export interface MigrationProof {
  readonly proven: boolean;
  readonly stretches: readonly ProofStretch[];
}

/** How a database is, beside how it was left. */
export interface SchemaDrift {
  readonly database: string;
  readonly expected_root: string;
  readonly live_root: string;
  /** What happened to it meanwhile; empty when it is as it was left. */
  readonly differences: readonly SchemaOperation[];
}

/** A drift that is taken for what should be. */
export interface AcceptDriftRequest {
  readonly database: string;
  readonly message: string;
}

/** The answer to accepting a drift. */
export interface AcceptedDrift {
  readonly database: string;
  /** Content id of the commit; absent when there was no drift. */
  readonly commit?: string;
}

const database = z.string().min(1).max(255).describe("Name of the data source");
const message = z.string().min(1).max(1024).describe("What the change is for");

const hintSchema: z.ZodType<RenameHint> = z
  .object({
    kind: z.enum(["Table", "Column", "Index", "View", "Trigger", "Type"]),
    table: z.string().exactOptional().describe("The table of a column, by its name now"),
    from: z.string(),
    to: z.string(),
  })
  .meta({ id: "RenameHint" });

/** Files of one wanted schema. */
const SCHEMA_FILES_MAX = 10_000;

const fileSchema: z.ZodType<SchemaFile> = z
  .object({ name: z.string().min(1).max(1024).describe("For messages"), sql: z.string() })
  .meta({ id: "SchemaFile" });

/** Schema of {@link MigrationProposal}. */
export const migrationProposalSchema: z.ZodType<MigrationProposal> = z
  .object({
    database,
    sql: z
      .union([z.string(), z.array(fileSchema).min(1).max(SCHEMA_FILES_MAX).readonly()])
      .describe(
        "The whole schema that is wanted, as definitions: one text, or files in their order",
      ),
    message,
    hints: z.array(hintSchema).max(1000).readonly().exactOptional(),
  })
  .meta({
    id: "MigrationProposal",
    examples: [
      {
        database: "shop",
        sql: "CREATE TABLE users (id INTEGER PRIMARY KEY, email TEXT)",
        message: "users have an email address",
      },
    ],
  });

const operationSchema: z.ZodType<SchemaOperation> = z
  .object({
    action: z.enum(["create", "drop", "rename", "alter"]),
    kind: z.string(),
    id: z.string(),
    path: z.string(),
    from: z.string().exactOptional(),
    to: z.string().exactOptional(),
    changes: z
      .array(
        z.object({
          property: z.string(),
          before: z.unknown().optional(),
          after: z.unknown().optional(),
        }),
      )
      .readonly()
      .exactOptional(),
  })
  .meta({ id: "SchemaOperation" });

const operations = z.array(operationSchema).readonly();
const findings = z
  .array(z.object({ code: z.string(), object: z.string(), message: z.string() }))
  .readonly();
const lockSchema: z.ZodType<MigrationLock> = z
  .object({
    statement: z.int().describe("Index of the statement in its phase"),
    table: z.string().describe("Empty for the whole file of SQLite"),
    mode: z.string(),
    holds_while: z.enum(["instant", "scan", "rewrite"]),
    effect: z.string().describe("Who waits, in words"),
  })
  .meta({ id: "MigrationLock" });
const phases = z
  .array(
    z.object({
      atomic: z.boolean(),
      statements: z.array(z.string()).readonly(),
      locks: z.array(lockSchema).readonly(),
    }),
  )
  .readonly();

const unfinishedRunSchema: z.ZodType<UnfinishedRun> = z
  .object({
    direction: z.enum(["up", "down"]).describe("Whether the migration is applied or reverted"),
    purpose: z
      .enum(["migrate", "undo"])
      .describe("Whether it runs the migration, or takes back what a run had done that stopped"),
    parts_done: z.int().describe("Transactions and single statements that have taken effect"),
    part_count: z.int().describe("Transactions and single statements in all"),
    under_way: z
      .boolean()
      .describe("Whether a server is at it now; otherwise it waits for resume or undo"),
    activity: z
      .string()
      .exactOptional()
      .describe("What it is doing now: how far an index is, or for whom it waits"),
    error: z.string().exactOptional().describe("Why it stopped; absent when its process died"),
    started_at: z.string().meta({ format: "date-time" }).describe("When it began, in UTC"),
  })
  .meta({ id: "UnfinishedMigrationRun" });

/** Schema of {@link Migration}. */
export const migrationSchema: z.ZodType<Migration> = z
  .object({
    migration_id: z.string(),
    database: z.string(),
    author: z.string(),
    message: z.string(),
    proposed_at: z.string().meta({ format: "date-time" }),
    status: z.enum(["proposed", "applied", "reverted"]),
    base_root: z.string(),
    target_root: z.string(),
    operations,
    findings,
    down_findings: findings,
    up: phases,
    down: phases,
    commits: z.array(z.string()).readonly(),
    unfinished_run: unfinishedRunSchema
      .exactOptional()
      .describe("Where one migration is shown: its run that has begun and not ended"),
  })
  .meta({ id: "Migration" });

/** Schema of {@link UnchangedSchema}. */
export const unchangedSchemaSchema: z.ZodType<UnchangedSchema> = z
  .object({ status: z.literal("unchanged"), database: z.string(), root: z.string() })
  .meta({ id: "UnchangedSchema" });

/** Schema of {@link SchemaDumpQuery}. */
export const schemaDumpQuerySchema: z.ZodType<SchemaDumpQuery> = z.object({
  database: database.exactOptional(),
});

/** Schema of {@link SchemaDump}. */
export const schemaDumpSchema: z.ZodType<SchemaDump> = z
  .object({ database: z.string(), dialect: z.enum(["sqlite", "postgres"]), sql: z.string() })
  .meta({ id: "SchemaDump" });

/** Schema of {@link SchemaDiffQuery}. */
export const schemaDiffQuerySchema: z.ZodType<SchemaDiffQuery> = z.object({
  from: z.string(),
  to: z.string(),
});

/** Schema of {@link SchemaDiff}. */
export const schemaDiffSchema: z.ZodType<SchemaDiff> = z
  .object({
    from_root: z.string(),
    to_root: z.string(),
    operations,
    findings,
    down_findings: findings,
    up: phases,
    down: phases,
  })
  .meta({ id: "SchemaDiff" });

/** Schema of {@link RunMigrationRequest}. */
export const runMigrationRequestSchema: z.ZodType<RunMigrationRequest> = z
  .object({ accept_data_loss: z.boolean().exactOptional() })
  .meta({ id: "RunMigrationRequest" });

/** Schema of {@link MigrationProof}. */
export const migrationProofSchema: z.ZodType<MigrationProof> = z
  .object({
    proven: z.boolean(),
    stretches: z
      .array(
        z.object({
          name: z.enum(["base", "up", "down"]),
          expected_root: z.string(),
          reached_root: z.string(),
          missing: operations,
        }),
      )
      .readonly(),
  })
  .meta({ id: "MigrationProof" });

/** Schema of {@link SchemaDrift}. */
export const schemaDriftSchema: z.ZodType<SchemaDrift> = z
  .object({
    database: z.string(),
    expected_root: z.string(),
    live_root: z.string(),
    differences: operations,
  })
  .meta({ id: "SchemaDrift" });

/** Schema of {@link AcceptDriftRequest}. */
export const acceptDriftRequestSchema: z.ZodType<AcceptDriftRequest> = z
  .object({ database, message })
  .meta({ id: "AcceptDriftRequest" });

/** Schema of {@link AcceptedDrift}. */
export const acceptedDriftSchema: z.ZodType<AcceptedDrift> = z
  .object({ database: z.string(), commit: z.string().exactOptional() })
  .meta({ id: "AcceptedDrift" });
