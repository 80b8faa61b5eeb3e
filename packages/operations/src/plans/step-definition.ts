import * as z from "zod";
import type { Infer } from "../operation.js";

/** The definition of a step without its id. */
export const planStepFields = {
  name: z.string().exactOptional().describe("Name of the step, for people"),
  tool_name: z
    .string()
    .exactOptional()
    .describe("The tool that runs the step; a name that is not listed is SQL"),
  data_source: z
    .string()
    .exactOptional()
    .describe(
      "The data source that it runs on; empty: that of a listed tool, else the default one of GET /api/catalog",
    ),
  timeout_ms: z
    .int()
    .exactOptional()
    .describe(
      "Time limit of one attempt in ms, from its turn at the data source on, at most the server's SERVICE_STEP_TIMEOUT_MS; " +
        "absent: the data source's, else the server's. The smallest one counts",
    ),
  intent: z
    .string()
    .exactOptional()
    .describe(
      "read_select, write_insert, write_update, write_delete, admin or cross_system_transaction; empty: derived from the statement",
    ),
  query_template: z
    .string()
    .exactOptional()
    .describe("One SQL statement; {{step.<id>.output}} binds the output of an earlier step"),
  depends_on: z
    .array(z.string())
    .exactOptional()
    .describe("Ids of the steps that must complete first, at most 100"),
  schema_table_hints: z
    .array(z.string())
    .exactOptional()
    .describe("Tables whose schema is compared before and after the step"),
  max_rows: z
    .int()
    .exactOptional()
    .describe(
      "Rows of the output that an answer hands to the LLM, 1 to 10000, unless its request says otherwise; absent: all",
    ),
  max_bytes: z
    .int()
    .exactOptional()
    .describe(
      "Bytes of the output that an answer hands to the LLM, 1024 to 2097152, unless its request says otherwise; absent: all",
    ),
};

/** One step as submitted (Contract §2.2, REST form). Absent fields are empty. */
export const planStepDef = z
  .strictObject({
    id: z.string().describe("1 to 64 of A-Z, a-z, 0-9, _ and -; unique in the plan"),
    ...planStepFields,
  })
  .meta({ id: "PlanStepDef", description: "One step as submitted" });

export type PlanStepDef = Infer<typeof planStepDef>;
