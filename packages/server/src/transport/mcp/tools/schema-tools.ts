import * as z from "zod";
import { LLM_ANSWER_BYTES_MAX, LLM_ROWS_MAX } from "../../limits.js";
import { catalog as operations } from "@steward/operations";
import { catalogMessage, descriptionMessage, matchMessage } from "../../operations/catalog.js";
import { migrationMessage } from "../../operations/migration-messages.js";
import { pageWithin } from "../../paging/page-within.js";
import { defineTool, type McpTool } from "../tool.js";
import { ADDS, nextOffset, offset, READS } from "./fields.js";
import { present } from "../../../kernel/present.js";

const dataSource = z
  .string()
  .describe("Name of the database. An error lists the names that you may use");

/** The tool that finds and describes tables. */
export const CATALOG_TOOLS: readonly McpTool[] = [
  defineTool({
    name: "explore_data",
    title: "Find and describe tables",
    description:
      "Shows what data there is. With query, a question or words, it finds the tables and columns that answer it, and " +
      "earlier statements about them. With table it describes one table: columns, types, keys, values of columns that " +
      "have few, joins to other tables and sample rows. With neither it lists the databases and tools that you may use. " +
      "Find first, then describe each table that you use, then write SQL: never guess a name or a value.",
    annotations: READS,
    operations: ["searchCatalog", "describeTable", "listCatalog"],
    usage: "read_select",
    input: z.strictObject({
      query: z.string().exactOptional().describe("What you want to know, in plain words"),
      table: z.string().exactOptional().describe("Name of a table to describe"),
      data_source: z.string().exactOptional().describe("Only in this database; default: all"),
      limit: z.int().exactOptional().describe("Tables to find at most, 1 to 50; default 10"),
      token_budget: z
        .int()
        .exactOptional()
        .describe("Tokens that a description may have, 100 to 100000; default 2000"),
    }),
    output: z.object({
      data_sources: z
        .array(z.object({ name: z.string(), dialect: z.enum(["sqlite", "postgres"]) }).loose())
        .readonly()
        .describe("Databases that you may use, with the SQL dialect to write"),
      tools: z
        .array(z.looseObject({ name: z.string(), data_source: z.string() }))
        .readonly()
        .describe("What tool_name may be, with the database of each"),
      default_data_source: z
        .string()
        .optional()
        .describe("The database of statements that name neither data_source nor a listed tool"),
      tables: operations.searchCatalog.output.optional().describe("What was found"),
      description: operations.describeTable.output
        .optional()
        .describe("The table that was asked for"),
    }),
    run: async (input, { context, services: { catalog } }) => {
      const { query, table, data_source: dataSource, limit, token_budget: tokenBudget } = input;
      const place = dataSource === undefined ? {} : { dataSource };
      const found =
        query === undefined
          ? undefined
          : await catalog.search(
              context,
              { query, ...place, ...present({ limit }) },
              context.signal,
            );
      const described =
        table === undefined
          ? undefined
          : await catalog.describe(
              context,
              { table, ...place, ...present({ tokenBudget }) },
              context.signal,
            );
      const { data_sources, tools, ...rest } = catalogMessage(await catalog.list(context));
      return {
        ...{ data_sources: [...data_sources], tools: [...fitting(tools)], ...rest },
        ...(found === undefined ? {} : { tables: fitting(found.map(matchMessage)) }),
        ...(described === undefined ? {} : { description: descriptionMessage(described) }),
      };
    },
  }),
];

/** The items that fit into one answer. */
function fitting<Item>(items: readonly Item[]): readonly Item[] {
  const bounds = { offset: 0, itemsMax: LLM_ROWS_MAX, bytesMax: LLM_ANSWER_BYTES_MAX };
  return pageWithin(items, bounds).items;
}

/** The tool that proposes a migration. */
export const MIGRATION_TOOLS: readonly McpTool[] = [
  defineTool({
    name: "propose_migration",
    title: "Propose a migration",
    description:
      "Works out how to change a database to a schema that you write, tries it in an empty database in both " +
      "directions, and stores the proposal for a person to review and apply. The database itself does not change. " +
      "Call it without sql first: it returns the present schema. Edit that and send the whole of it, because what is left " +
      "out is dropped. " +
      "Mark a renamed object with a comment -- was: old_name behind it.",
    annotations: ADDS,
    operations: ["proposeMigration", "dumpSchema"],
    usage: "write_insert",
    input: z.strictObject({
      data_source: dataSource,
      sql: z
        .string()
        .min(1)
        .exactOptional()
        .describe(
          "The complete wanted schema, as SQL definitions; leave it out to get the present one",
        ),
      message: z.string().exactOptional().describe("Purpose of the change, for the reviewer"),
      offset,
    }),
    output: z.object({
      status: z
        .string()
        .describe(
          "present: nothing was proposed; unchanged: the database has this schema already; else the proposal's",
        ),
      present_schema: z.string().optional().describe("The present schema, where sql was left out"),
      next_offset: nextOffset,
      migration_id: z.string().optional().describe("Id of the proposal; absent when unchanged"),
      digest: z.string().optional().describe("What a reviewer confirms when applying it"),
      statements: z.array(z.string()).readonly().describe("The statements that would run"),
      findings: z
        .array(z.object({ code: z.string(), object: z.string(), message: z.string() }))
        .readonly()
        .describe("What a reviewer has to know, such as rows that would be lost"),
    }),
    run: async (input, { context, services: { migrations } }) => {
      const { data_source: database, sql, message = "Proposed over MCP" } = input;
      if (sql === undefined) {
        const present = await migrations.dump(context, database);
        return { ...presentSchema(present.sql, input.offset), statements: [], findings: [] };
      }
      const outcome = await migrations.propose(context, { database, sql, message });
      if (outcome.status === "unchanged") {
        return { status: outcome.status, statements: [], findings: [] };
      }
      const { migration_id, digest, status, up, findings } = migrationMessage(outcome);
      const statements = up.flatMap((phase) => phase.statements);
      return {
        ...{ status, migration_id, digest },
        statements: fitting(statements),
        findings,
      };
    },
  }),
];

function presentSchema(sql: string, offset = 0) {
  const bounds = { offset, itemsMax: Infinity, bytesMax: LLM_ANSWER_BYTES_MAX };
  const { items, nextOffset: next } = pageWithin(sql.split("\n"), bounds);
  return {
    status: "present",
    present_schema: items.join("\n"),
    ...present({ next_offset: next }),
  };
}
