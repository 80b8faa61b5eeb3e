import { type Toolset, TOOLSETS } from "../../../kernel/toolsets.js";
import type { McpTool } from "../tool.js";
import { CATALOG_TOOLS } from "./catalog-tools.js";
import { EVENT_TOOLS } from "./event-tools.js";
import { MEMORY_TOOLS } from "./memory-tools.js";
import { MIGRATION_TOOLS } from "./migration-tools.js";
import { PLAN_TOOLS } from "./plan-tools.js";
import { QUERY_TOOLS, STEP_TOOLS } from "./step-tools.js";
import { USAGE_TOOLS } from "./usage-tools.js";

/**
 * The tools of each toolset, in the order in which an agent needs them. The order is part of the interface: clients
 * cache the list and LLMs cache prompts that contain it. Every tool belongs to one toolset.
 */
export const MCP_TOOLS: Readonly<Record<Toolset, readonly McpTool[]>> = {
  ask: [...CATALOG_TOOLS, ...QUERY_TOOLS],
  // The operator's own, which depend on the caller: `vettedTools`.
  tools: [],
  plans: [...STEP_TOOLS, ...PLAN_TOOLS, ...EVENT_TOOLS],
  memory: MEMORY_TOOLS,
  migrations: MIGRATION_TOOLS,
  admin: USAGE_TOOLS,
};

export const ALL_MCP_TOOLS: readonly McpTool[] = TOOLSETS.flatMap((name) => MCP_TOOLS[name]);
