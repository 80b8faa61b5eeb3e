import * as z from "zod";
import { LLM_ANSWER_BYTES_MAX, LLM_ROWS_MAX } from "@steward/kernel/limits.js";
import { migrationMessage } from "../../rest/schema/migration-messages.js";
import { pageWithin } from "../page-within.js";
import { defineTool, type McpTool } from "../tool.js";
import { ADDS, nextOffset, offset, READS } from "./fields.js";

const dataSource = z
  .string()
  .describe("Name of the database. An error lists the names that you may use");

/** Tools that show a schema and propose another one. */
export const SCHEMA_TOOLS: readonly McpTool[] = [
  defineTool({
    name: "read_schema",
    title: "Read the schema of a database",
    description:
      "Shows the tables, columns, types, keys and indexes of a database as SQL definitions. Call it before you write " +
      "the first statement, and again after hints say that a table was changed. Without data_source it shows the only " +
      "database; if there are several, the error names them.",
    annotations: READS,
    operations: ["dumpSchema"],
    usage: "read_select",
    input: z.strictObject({ data_source: dataSource.exactOptional(), offset }),
    output: z.object({
      data_source: dataSource,
      dialect: z.enum(["sqlite", "postgres"]).describe("The SQL dialect to write"),
      sql: z.string().describe("The definitions, in an order in which they could be executed"),
      next_offset: nextOffset,
    }),
    run: async (input, { context, services: { migrations } }) => {
      const { database, dialect, sql } = await migrations.dump(context, input.data_source);
      const page = pageWithin(sql.split("\n"), {
        offset: input.offset ?? 0,
        itemsMax: Infinity,
        bytesMax: LLM_ANSWER_BYTES_MAX,
      });
      const { items, nextOffset: next } = page;
      return {
        ...{ data_source: database, dialect, sql: items.join("\n") },
        ...(next === undefined ? {} : { next_offset: next }),
      };
    },
  }),
];

/** The tool that proposes a migration. */
export const MIGRATION_TOOLS: readonly McpTool[] = [
  defineTool({
    name: "propose_migration",
    title: "Propose a migration",
    description:
      "Works out how to change a database to a schema that you write, tries it in an empty database in both " +
      "directions, and stores the proposal for a person to review and apply. The database itself does not change. " +
      "Write the complete schema: take all of read_schema and edit it, because what is left out is dropped. " +
      "Mark a renamed object with a comment -- was: old_name behind it.",
    annotations: ADDS,
    operations: ["proposeMigration"],
    usage: "write_insert",
    input: z.strictObject({
      data_source: dataSource,
      sql: z.string().min(1).describe("The complete wanted schema, as SQL definitions"),
      message: z.string().min(1).describe("Purpose of the change, for the reviewer"),
    }),
    output: z.object({
      status: z
        .string()
        .describe("unchanged: the database has this schema already; otherwise the proposal's"),
      migration_id: z.string().optional().describe("Id of the proposal; absent when unchanged"),
      digest: z.string().optional().describe("What a reviewer confirms when applying it"),
      statements: z.array(z.string()).readonly().describe("The statements that would run"),
      findings: z
        .array(z.object({ code: z.string(), object: z.string(), message: z.string() }))
        .readonly()
        .describe("What a reviewer has to know, such as rows that would be lost"),
    }),
    run: async (input, { context, services: { migrations } }) => {
      const { data_source: database, sql, message } = input;
      const outcome = await migrations.propose(context, { database, sql, message });
      if (outcome.status === "unchanged") {
        return { status: outcome.status, statements: [], findings: [] };
      }
      const { migration_id, digest, status, up, findings } = migrationMessage(outcome);
      const statements = up.flatMap((phase) => phase.statements);
      return {
        ...{ status, migration_id, digest },
        statements: pageWithin(statements, {
          ...{ offset: 0, itemsMax: LLM_ROWS_MAX, bytesMax: LLM_ANSWER_BYTES_MAX },
        }).items,
        findings,
      };
    },
  }),
];
