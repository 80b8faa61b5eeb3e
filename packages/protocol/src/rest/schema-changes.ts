import * as z from "zod";
import type { Message } from "./envelope.js";

/** Name of a data source in a request. */
export const database: z.ZodString = z.string().min(1).max(255).describe("Name of the data source");

/** Message of a commit in a request. */
export const message: z.ZodString = z.string().min(1).max(1024).describe("Purpose of the change");

const propertyChangeShape = {
  property: z.string().describe("Name of the property"),
  before: z.unknown().optional().describe("Its value before; absent: it had none"),
  after: z.unknown().optional().describe("Its value after; absent: it has none"),
};

/** A property of an object, before and after. */
export interface SchemaPropertyChange extends Message<typeof propertyChangeShape> {}

const propertyChangeSchema: z.ZodType<SchemaPropertyChange> = z.object(propertyChangeShape);

const operationShape = {
  action: z.enum(["create", "drop", "rename", "alter"]).describe("What happens to the object"),
  kind: z.string().describe("Kind of the object, such as Table or Column"),
  /** IRI of the object. */
  id: z.string().describe("IRI of the object"),
  path: z.string().describe("Name of the object; for a column with its table"),
  /** The previous name, for a rename. */
  from: z.string().exactOptional().describe("Name before; only of a rename"),
  /** The new name, for a rename. */
  to: z.string().exactOptional().describe("Name after; only of a rename"),
  /** The changed properties, for an alteration. */
  changes: z
    .array(propertyChangeSchema)
    .readonly()
    .exactOptional()
    .describe("The properties that change; only of an alteration"),
};

/** An operation on one object of a schema. */
export interface SchemaOperation extends Message<typeof operationShape> {}

const operationSchema: z.ZodType<SchemaOperation> = z
  .object(operationShape)
  .meta({ id: "SchemaOperation", description: "What happens to one object of a schema" });

/** The operations on all objects. */
export const operations: z.ZodType<readonly SchemaOperation[]> = z
  .array(operationSchema)
  .readonly();

const findingShape = {
  code: z.string().describe("Kind of the finding, for programs"),
  object: z.string().describe("The object concerned"),
  message: z.string().describe("What to think about"),
};

/** A warning to read before a migration runs. */
export interface MigrationFinding extends Message<typeof findingShape> {}

const findingSchema: z.ZodType<MigrationFinding> = z.object(findingShape);

/** The warnings. */
export const findings: z.ZodType<readonly MigrationFinding[]> = z.array(findingSchema).readonly();

const lockShape = {
  /** Index of the statement in its phase. */
  statement: z.int().describe("Index of the statement in its phase"),
  /** The table as named in the statement; empty for the whole file of SQLite. */
  table: z.string().describe("Name of the table; empty for a lock on the whole SQLite file"),
  /** The lock mode in the engine's terms, such as `ACCESS EXCLUSIVE`. */
  mode: z.string().describe("Lock mode as the engine names it, such as ACCESS EXCLUSIVE"),
  /**
   * The work of the statement while it holds the lock: `instant`, `scan` reads every row, `rewrite`
   * rewrites every row.
   */
  holds_while: z
    .enum(["instant", "scan", "rewrite"])
    .describe(
      "What the statement does under the lock: nothing that takes time (instant), read every row (scan), or write every row anew (rewrite)",
    ),
  /** The effect on other sessions as text: `reads and writes wait`. */
  effect: z.string().describe("Which other statements wait, for people"),
};

/** A lock on a table, with its effect on other sessions. */
export interface MigrationLock extends Message<typeof lockShape> {}

const lockSchema: z.ZodType<MigrationLock> = z
  .object(lockShape)
  .meta({ id: "MigrationLock", description: "A lock on a table, and what it means for others" });

const commandShape = {
  /** The command, such as `add_column`; the page about locks lists them all. */
  command: z.string().describe("What the statement does, such as add_column or drop_table"),
  object: z.string().describe("Name of the object; for a column with its table"),
};

/** The effect of a statement, for programs. */
export interface MigrationCommand extends Message<typeof commandShape> {}

const commandSchema: z.ZodType<MigrationCommand> = z
  .object(commandShape)
  .meta({ id: "MigrationCommand", description: "What a statement does, and to which object" });

const phaseShape = {
  atomic: z.boolean().describe("Whether the statements take effect together; otherwise one by one"),
  statements: z.array(z.string()).readonly().describe("The statements, in their order"),
  /** One for each statement, in the same order. */
  commands: z
    .array(commandSchema)
    .readonly()
    .exactOptional()
    .describe("What each statement does; absent in migrations of versions that did not store it"),
  /** The locks that the statements take. An atomic phase holds each of them until it ends. */
  locks: z.array(lockSchema).readonly().describe("The locks that they take"),
};

/** Statements that take effect together or, in a phase that is not atomic, one by one. */
export interface MigrationPhase extends Message<typeof phaseShape> {}

const phaseSchema: z.ZodType<MigrationPhase> = z.object(phaseShape);

/** Statements in their order. */
export const phases: z.ZodType<readonly MigrationPhase[]> = z.array(phaseSchema).readonly();

/** The change of adding a column, for the examples of the API's description. */
export const EMAIL_ADDED: Record<string, unknown> = {
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
      commands: [{ command: "add_column", object: "users.email" }],
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
      commands: [{ command: "drop_column", object: "users.email" }],
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

const schemaDumpQueryShape = {
  /** Name of the data source; optional when there is only one. */
  database: database.exactOptional(),
};

/** The database whose schema to return as SQL. */
export interface SchemaDumpQuery extends Message<typeof schemaDumpQueryShape> {}

export const schemaDumpQuerySchema: z.ZodType<SchemaDumpQuery> =
  z.strictObject(schemaDumpQueryShape);

const schemaDumpShape = {
  database: z.string().describe("Name of the data source"),
  dialect: z.enum(["sqlite", "postgres"]).describe("The engine whose SQL it is"),
  /** Equal schemas have equal texts, byte for byte. */
  sql: z.string().describe("The whole schema as definitions; equal schemas have equal text"),
};

/** The present schema of a database as SQL that can be proposed. */
export interface SchemaDump extends Message<typeof schemaDumpShape> {}

export const schemaDumpSchema: z.ZodType<SchemaDump> = z.object(schemaDumpShape).meta({
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

const schemaDiffQueryShape = {
  /** A branch such as `schemas/shop`, a tag, or a content id. */
  from: z.string().describe("A branch such as schemas/shop, a tag or a content id"),
  to: z.string().describe("As from: the schema it is compared with"),
};

/** The two commits to compare. */
export interface SchemaDiffQuery extends Message<typeof schemaDiffQueryShape> {}

export const schemaDiffQuerySchema: z.ZodType<SchemaDiffQuery> =
  z.strictObject(schemaDiffQueryShape);

const schemaDiffShape = {
  from_root: z.string().describe("Root hash of the first schema"),
  to_root: z.string().describe("Root hash of the second schema"),
  operations: operations.describe("What happens to each object"),
  findings: findings.describe("Warnings about the way from the first schema to the second"),
  down_findings: findings.describe("Warnings about the way back"),
  up: phases.describe("Statements that turn the first schema into the second"),
  down: phases.describe("Statements that turn the second schema into the first"),
};

/** The changes from the schema of one commit to that of another, in both directions. */
export interface SchemaDiff extends Message<typeof schemaDiffShape> {}

export const schemaDiffSchema: z.ZodType<SchemaDiff> = z.object(schemaDiffShape).meta({
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

const schemaDriftShape = {
  database: z.string().describe("Name of the data source"),
  expected_root: z.string().describe("Root hash of the recorded schema"),
  live_root: z.string().describe("Root hash of the present schema"),
  /** The changes since the last recorded schema; empty when there are none. */
  differences: operations.describe("What has changed since; empty when nothing has"),
};

/** The difference between a database and its last recorded schema. */
export interface SchemaDrift extends Message<typeof schemaDriftShape> {}

export const schemaDriftSchema: z.ZodType<SchemaDrift> = z.object(schemaDriftShape).meta({
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

const acceptDriftRequestShape = { database, message };

/** A request to accept the present schema as the recorded one. */
export interface AcceptDriftRequest extends Message<typeof acceptDriftRequestShape> {}

export const acceptDriftRequestSchema: z.ZodType<AcceptDriftRequest> = z
  .strictObject(acceptDriftRequestShape)
  .meta({
    id: "AcceptDriftRequest",
    description: "Accepts the present schema of a database as the expected one",
    examples: [{ database: "shop", message: "Keep the index that was added by hand" }],
  });

const acceptedDriftShape = {
  database: z.string().describe("Name of the data source"),
  /** Content id of the commit; absent when there was no drift. */
  commit: z
    .string()
    .exactOptional()
    .describe("Content id of the commit; absent when there was no drift"),
};

/** The answer to accepting a drift. */
export interface AcceptedDrift extends Message<typeof acceptedDriftShape> {}

export const acceptedDriftSchema: z.ZodType<AcceptedDrift> = z.object(acceptedDriftShape).meta({
  id: "AcceptedDrift",
  description: "The answer to accepting a drift",
  examples: [
    { database: "shop", commit: "bafyreigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi" },
  ],
});
