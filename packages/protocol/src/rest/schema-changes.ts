import * as z from "zod";

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

/** Name of a data source in a request. */
export const database: z.ZodString = z.string().min(1).max(255).describe("Name of the data source");

/** Message of a commit in a request. */
export const message: z.ZodString = z.string().min(1).max(1024).describe("What the change is for");

const operationSchema: z.ZodType<SchemaOperation> = z
  .object({
    action: z.enum(["create", "drop", "rename", "alter"]).describe("What happens to the object"),
    kind: z.string().describe("Kind of the object, such as Table or Column"),
    id: z.string().describe("IRI of the object"),
    path: z.string().describe("Name of the object; for a column with its table"),
    from: z.string().exactOptional().describe("Name before; only of a rename"),
    to: z.string().exactOptional().describe("Name after; only of a rename"),
    changes: z
      .array(
        z.object({
          property: z.string().describe("Name of the property"),
          before: z.unknown().optional().describe("Its value before; absent: it had none"),
          after: z.unknown().optional().describe("Its value after; absent: it has none"),
        }),
      )
      .readonly()
      .exactOptional()
      .describe("The properties that change; only of an alteration"),
  })
  .meta({ id: "SchemaOperation", description: "What happens to one object of a schema" });

/** What happens to each object. */
export const operations: z.ZodType<readonly SchemaOperation[]> = z
  .array(operationSchema)
  .readonly();

/** What to think about. */
export const findings: z.ZodType<readonly MigrationFinding[]> = z
  .array(
    z.object({
      code: z.string().describe("Kind of the finding, for programs"),
      object: z.string().describe("The object concerned"),
      message: z.string().describe("What to think about"),
    }),
  )
  .readonly();

const lockSchema: z.ZodType<MigrationLock> = z
  .object({
    statement: z.int().describe("Index of the statement in its phase"),
    table: z.string().describe("Name of the table; empty for a lock on the whole SQLite file"),
    mode: z.string().describe("Lock mode as the engine names it, such as ACCESS EXCLUSIVE"),
    holds_while: z
      .enum(["instant", "scan", "rewrite"])
      .describe(
        "What the statement does under the lock: nothing that takes time (instant), read every row (scan), or write every row anew (rewrite)",
      ),
    effect: z.string().describe("Which other statements wait, for people"),
  })
  .meta({ id: "MigrationLock", description: "A lock on a table, and what it means for others" });

/** Statements in their order. */
export const phases: z.ZodType<readonly MigrationPhase[]> = z
  .array(
    z.object({
      atomic: z
        .boolean()
        .describe("Whether the statements take effect together; otherwise one by one"),
      statements: z.array(z.string()).readonly().describe("The statements, in their order"),
      locks: z.array(lockSchema).readonly().describe("The locks that they take"),
    }),
  )
  .readonly();

/** What adding a column comes to, for the examples of the API's description. */
export const EMAIL_ADDED: Omit<SchemaDiff, "from_root" | "to_root"> = {
  operations: [
    {
      action: "create",
      kind: "Column",
      id: "urn:steward:schema:column:9f86d081884c7d659a2feaa0c55ad015",
      path: "users.email",
    },
  ],
  findings: [],
  down_findings: [
    {
      code: "irreversible-down",
      object: "users.email",
      message: "the values of users.email are lost",
    },
  ],
  up: [
    {
      atomic: true,
      statements: ["ALTER TABLE users ADD COLUMN email TEXT"],
      locks: [
        {
          statement: 0,
          table: "",
          mode: "RESERVED",
          holds_while: "instant",
          effect: "writes wait",
        },
      ],
    },
  ],
  down: [
    {
      atomic: true,
      statements: ["ALTER TABLE users DROP COLUMN email"],
      locks: [
        {
          statement: 0,
          table: "",
          mode: "RESERVED",
          holds_while: "rewrite",
          effect: "writes wait",
        },
      ],
    },
  ],
};

export const schemaDumpQuerySchema: z.ZodType<SchemaDumpQuery> = z.strictObject({
  database: database.exactOptional(),
});

export const schemaDumpSchema: z.ZodType<SchemaDump> = z
  .object({
    database: z.string().describe("Name of the data source"),
    dialect: z.enum(["sqlite", "postgres"]).describe("The engine whose SQL it is"),
    sql: z.string().describe("The whole schema as definitions; equal schemas have equal text"),
  })
  .meta({
    id: "SchemaDump",
    description: "The present schema of a database as SQL that can be proposed",
    examples: [
      {
        database: "shop",
        dialect: "sqlite",
        sql: "CREATE TABLE users (id INTEGER PRIMARY KEY, email TEXT);\n",
      },
    ],
  });

export const schemaDiffQuerySchema: z.ZodType<SchemaDiffQuery> = z.strictObject({
  from: z.string().describe("A branch such as schemas/shop, a tag or a content id"),
  to: z.string().describe("As from: the schema it is compared with"),
});

export const schemaDiffSchema: z.ZodType<SchemaDiff> = z
  .object({
    from_root: z.string().describe("Root hash of the first schema"),
    to_root: z.string().describe("Root hash of the second schema"),
    operations: operations.describe("What happens to each object"),
    findings: findings.describe("Warnings about the way from the first schema to the second"),
    down_findings: findings.describe("Warnings about the way back"),
    up: phases.describe("Statements that turn the first schema into the second"),
    down: phases.describe("Statements that turn the second schema into the first"),
  })
  .meta({
    id: "SchemaDiff",
    description: "The difference between the schemas of two commits",
    examples: [
      {
        from_root: "5d41402abc4b2a76b9719d911017c592ae2f3e0b8f2c1d6a7e9b0c3d4e5f6a7b",
        to_root: "b7a6f5e4d3c0b9e7a6d1c2f8b0e3f2ea295c710119d9179b67a2b4cba20414d5",
        ...EMAIL_ADDED,
      },
    ],
  });

export const schemaDriftSchema: z.ZodType<SchemaDrift> = z
  .object({
    database: z.string().describe("Name of the data source"),
    expected_root: z.string().describe("Root hash of the recorded schema"),
    live_root: z.string().describe("Root hash of the present schema"),
    differences: operations.describe("What has changed since; empty when nothing has"),
  })
  .meta({
    id: "SchemaDrift",
    description: "The present schema of a database compared with the recorded one",
    examples: [
      {
        database: "shop",
        expected_root: "5d41402abc4b2a76b9719d911017c592ae2f3e0b8f2c1d6a7e9b0c3d4e5f6a7b",
        live_root: "5d41402abc4b2a76b9719d911017c592ae2f3e0b8f2c1d6a7e9b0c3d4e5f6a7b",
        differences: [],
      },
    ],
  });

export const acceptDriftRequestSchema: z.ZodType<AcceptDriftRequest> = z
  .strictObject({ database, message })
  .meta({
    id: "AcceptDriftRequest",
    description: "Accepts the present schema of a database as the expected one",
    examples: [{ database: "shop", message: "Keep the index that was added by hand" }],
  });

export const acceptedDriftSchema: z.ZodType<AcceptedDrift> = z
  .object({
    database: z.string().describe("Name of the data source"),
    commit: z
      .string()
      .exactOptional()
      .describe("Content id of the commit; absent when there was no drift"),
  })
  .meta({
    id: "AcceptedDrift",
    description: "The answer to accepting a drift",
    examples: [
      { database: "shop", commit: "bafyreigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi" },
    ],
  });
