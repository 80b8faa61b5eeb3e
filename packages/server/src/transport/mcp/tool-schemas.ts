import type { Tool } from "@modelcontextprotocol/server";
import * as z from "zod";
import { ERROR_CODES } from "@steward/protocol";
import type { McpTool } from "./tool.js";

/** Why a tool call failed: the field `error` of its structured content. */
export const toolErrorSchema: z.ZodObject<{
  code: z.ZodEnum;
  message: z.ZodString;
  details: z.ZodOptional<z.ZodArray<z.ZodObject<{ field: z.ZodString; reason: z.ZodString }>>>;
  retry_after_ms: z.ZodOptional<z.ZodNumber>;
  next_step: z.ZodOptional<z.ZodString>;
}> = z.object({
  code: z.enum(ERROR_CODES).describe("The error code, for programs"),
  message: z.string().describe("What went wrong and what to do about it"),
  details: z
    .array(z.object({ field: z.string(), reason: z.string() }))
    .optional()
    .describe("What is wrong, field by field"),
  retry_after_ms: z.int().optional().describe("When the same call can succeed, in milliseconds"),
  next_step: z.string().optional().describe("What to do now"),
});

/** A tool as `tools/list` shows it. */
export function listedTool({
  name,
  title,
  description,
  annotations,
  app,
  input,
  output,
}: McpTool): Tool {
  return {
    ...{ name, title, description, annotations },
    inputSchema: jsonSchema(input, "input"),
    outputSchema: withError(jsonSchema(output, "output")),
    ...(app === undefined ? {} : { _meta: { ui: { resourceUri: app } } }),
  };
}

/** The keywords of an object's JSON Schema that this module changes. */
interface ObjectSchema {
  readonly [keyword: string]: unknown;
  readonly type: "object";
  readonly properties: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
}

function jsonSchema(schema: z.ZodType, io: "input" | "output"): Tool["inputSchema"] & ObjectSchema {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, {
    io,
    // Every integer that JavaScript has is within these bounds, so they say nothing.
    override: ({ jsonSchema }) => {
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  // The schema of every tool is a zod object.
  return json as Tool["inputSchema"] & ObjectSchema;
}

/**
 * Extends an output schema so that a result may be an error instead. Some clients check the
 * `structuredContent` of errors against the schema too.
 */
function withError({ required = [], ...schema }: ObjectSchema): Tool["inputSchema"] & ObjectSchema {
  const properties = { ...schema.properties, error: jsonSchema(toolErrorSchema, "output") };
  return {
    ...schema,
    properties,
    anyOf: [{ required: [...required] }, { required: ["error"] }],
    // Destructuring and spreading lose the type; the schema is still that of an object.
  } as Tool["inputSchema"] & ObjectSchema;
}
