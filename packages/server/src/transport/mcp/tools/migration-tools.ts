import * as z from "zod";
import { LLM_ANSWER_BYTES_MAX } from "../../limits.js";
import { migrationMessage } from "../../operations/migration-messages.js";
import { pageWithin } from "../../paging/page-within.js";
import { defineTool, type McpTool } from "../tool.js";
import { ADDS, fitting, nextOffset, offset } from "./fields.js";
import { present } from "../../../kernel/present.js";

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
      data_source: z.string().describe("Name of the database"),
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
