import * as z from "zod";
import type { ListedTool } from "../../../catalog/index.js";
import { isReadIntent } from "../../../governance/index.js";
import { argumentsTemplate } from "../../../plans/ports.js";
import { defineTool, type McpTool, type ToolScope } from "../tool.js";
import { READS } from "./fields.js";
import { stepAnswerSchema, stepText } from "./step-answer.js";
import { GET_RESULT, QUERY_TOOLS, runStatement } from "./step-tools.js";

/**
 * The tools that the operator has made of vetted statements, as far as the caller may use them, and
 * the one that reads on in their results.
 */
export async function vettedTools({
  context,
  services: { catalog },
}: Pick<ToolScope, "context" | "services">): Promise<readonly McpTool[]> {
  const vetted = await catalog.vettedTools(context);
  if (vetted.length === 0) return [];
  return [...vetted.map(toolOf), ...QUERY_TOOLS.filter(({ name }) => name === GET_RESULT)];
}

function toolOf({ name, description = "", inputSchema = {}, intents }: ListedTool): McpTool {
  const isRead = intents.every(isReadIntent);
  return defineTool({
    ...{ name, title: name, description },
    annotations: {
      ...READS,
      readOnlyHint: isRead,
      destructiveHint: !isRead,
      idempotentHint: isRead,
    },
    operations: ["executeStep", "submitPlan"],
    usage: "step",
    // The schema of arguments is that of an object.
    input: z.fromJSONSchema(inputSchema) as z.ZodObject,
    output: stepAnswerSchema,
    text: stepText,
    run: (input, scope) =>
      runStatement(
        {
          ...{ name, field: "arguments", what: "arguments" },
          step: { toolName: name, intent: "", queryTemplate: argumentsTemplate(input) },
        },
        {},
        scope,
      ),
  });
}
