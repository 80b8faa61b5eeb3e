import type { McpTool } from "../tool.js";
import { EVENT_TOOLS } from "./event-tools.js";
import { MEMORY_TOOLS } from "./memory-tools.js";
import { PLAN_TOOLS } from "./plan-tools.js";
import { CATALOG_TOOLS, MIGRATION_TOOLS } from "./schema-tools.js";
import { STEP_TOOLS } from "./step-tools.js";
import { USAGE_TOOLS } from "./usage-tools.js";

/**
 * All tools, in the order in which an agent needs them. The order is part of the interface: clients cache the list and
 * LLMs cache prompts that contain it. Twelve at most, because an LLM chooses worse among many.
 */
export const MCP_TOOLS: readonly McpTool[] = [
  ...CATALOG_TOOLS,
  ...STEP_TOOLS,
  ...PLAN_TOOLS,
  ...EVENT_TOOLS,
  ...MEMORY_TOOLS,
  ...USAGE_TOOLS,
  ...MIGRATION_TOOLS,
];
