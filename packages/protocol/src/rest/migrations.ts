import * as z from "zod";
import type { Message } from "./envelope.js";

const database = z.string().min(1).max(255).describe("Name of the data source");
const message = z.string().min(1).max(1024).describe("Purpose of the change");

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
