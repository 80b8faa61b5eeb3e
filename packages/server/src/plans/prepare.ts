import type { SqlAnalyzer } from "../governance/index.js";
import type { PlanDefinition, PreparedStep } from "./plan.js";
import type { ToolRegistry } from "./ports.js";

/** @throws AppError naming every field that is wrong. */
export declare function preparePlan(
  sessionId: string,
  definition: PlanDefinition,
  tools: ToolRegistry,
  analyzer: SqlAnalyzer,
): readonly PreparedStep[];
