import * as z from "zod";
import type { Infer } from "../operation.js";

/** Name of a data source in a request. */
export const database = z.string().min(1).max(255).describe("Name of the data source");

/** Message of a commit in a request. */
export const message = z.string().min(1).max(1024).describe("Purpose of the change");

const propertyChange = z.object({
  property: z.string().describe("Name of the property"),
  before: z.unknown().optional().describe("Its value before; absent: it had none"),
  after: z.unknown().optional().describe("Its value after; absent: it has none"),
});

const operation = z
  .object({
    action: z.enum(["create", "drop", "rename", "alter"]).describe("What happens to the object"),
    kind: z.string().describe("Kind of the object, such as Table or Column"),
    id: z.string().describe("IRI of the object"),
    path: z.string().describe("Name of the object; for a column with its table"),
    from: z.string().exactOptional().describe("Name before; only of a rename"),
    to: z.string().exactOptional().describe("Name after; only of a rename"),
    changes: z
      .array(propertyChange)
      .readonly()
      .exactOptional()
      .describe("The properties that change; only of an alteration"),
  })
  .meta({ id: "SchemaOperation", description: "What happens to one object of a schema" });

export type SchemaOperation = Infer<typeof operation>;

/** The operations on all objects. */
export const operations = z.array(operation).readonly();

const finding = z.object({
  code: z.string().describe("Kind of the finding, for programs"),
  object: z.string().describe("The object concerned"),
  message: z.string().describe("What to think about"),
});

export type MigrationFinding = Infer<typeof finding>;

/** The warnings. */
export const findings = z.array(finding).readonly();

const lock = z
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

export type MigrationLock = Infer<typeof lock>;

const command = z
  .object({
    command: z.string().describe("What the statement does, such as add_column or drop_table"),
    object: z.string().describe("Name of the object; for a column with its table"),
  })
  .meta({ id: "MigrationCommand", description: "What a statement does, and to which object" });

const phase = z.object({
  atomic: z.boolean().describe("Whether the statements take effect together; otherwise one by one"),
  statements: z.array(z.string()).readonly().describe("The statements, in their order"),
  commands: z
    .array(command)
    .readonly()
    .exactOptional()
    .describe("What each statement does; absent in migrations of versions that did not store it"),
  locks: z.array(lock).readonly().describe("The locks that they take"),
});

export type MigrationPhase = Infer<typeof phase>;

/** Statements in their order. */
export const phases = z.array(phase).readonly();

/** The change of adding a column, for the examples of the API's description. */
export const EMAIL_ADDED = {
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
