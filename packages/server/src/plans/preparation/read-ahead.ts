import { setImmediate as turn } from "node:timers/promises";
import type {
  Dialect,
  SqlAnalyzer,
  StatementAnalysis,
  StatementReader,
} from "../../governance/index.js";
import { AppError } from "@steward/kernel/errors.js";
import {
  PLAN_STEPS_MAX,
  PLAN_TEMPLATES_BYTES_MAX,
  STATEMENT_READ_AT_ONCE_LENGTH_MAX,
  TEMPLATE_BYTES_MAX,
} from "@steward/kernel/limits.js";
import type { PlanDefinition } from "../plan.js";
import type { ToolRegistry } from "../ports.js";
import type { CompiledStatement } from "../statements/compiled-statement.js";
import { compileTemplate } from "../statements/template.js";

/** A template that was compiled, and what its statement does. */
export interface ReadTemplate {
  readonly statement: CompiledStatement;
  readonly analysis: StatementAnalysis;
}

/** By {@link templateKey}. A template that cannot be compiled is not among them. */
export type ReadTemplates = ReadonlyMap<string, ReadTemplate>;

/** Reading may hold up the event loop for this long, in ms, before others have their turn. */
const TURN_MS = 10;

/** Steps of a plan that takes milliseconds to check. */
const LONG_PLAN_STEPS = 100;

export function templateKey(template: string, dialect: Dialect): string {
  return `${dialect} ${template}`;
}

/**
 * Compiles and reads the templates of a plan that is long, so that validating it need not: with pauses, and long
 * statements beside the event loop. What is over a limit is left to the validation, which refuses it.
 */
export async function readAhead(
  { steps }: PlanDefinition,
  tools: ToolRegistry,
  { analyzer, reader }: { readonly analyzer: SqlAnalyzer; readonly reader: StatementReader },
): Promise<ReadTemplates> {
  const read = new Map<string, ReadTemplate>();
  await pauseIfLong(steps);
  const length = steps.reduce((sum, step) => sum + step.queryTemplate.length, 0);
  const isLong = length > STATEMENT_READ_AT_ONCE_LENGTH_MAX;
  if (!isLong || length > PLAN_TEMPLATES_BYTES_MAX || steps.length > PLAN_STEPS_MAX) return read;
  let pausedMs = performance.now();
  for (const { queryTemplate, toolName } of steps) {
    const tool = tools.resolve(toolName);
    if (tool === undefined || "refusal" in tool) continue;
    const { dialect } = tool.target;
    const key = templateKey(queryTemplate, dialect);
    const statement = read.has(key) ? undefined : compiledOrNone(queryTemplate, dialect);
    if (statement === undefined) continue;
    const analysis =
      statement.sql.length > STATEMENT_READ_AT_ONCE_LENGTH_MAX
        ? await reader.read(statement.sql, dialect)
        : analyzer.analyze(statement.sql, dialect);
    read.set(key, { statement, analysis });
    if (performance.now() - pausedMs > TURN_MS) {
      await turn();
      pausedMs = performance.now();
    }
  }
  return read;
}

/** To take a long plan in, to check it and to store it take milliseconds each: others have their turn in between. */
export async function pauseIfLong(steps: readonly unknown[]): Promise<void> {
  if (steps.length > LONG_PLAN_STEPS) await turn();
}

function compiledOrNone(template: string, dialect: Dialect): CompiledStatement | undefined {
  if (template.length > TEMPLATE_BYTES_MAX || template.includes("\0")) return undefined;
  try {
    return compileTemplate(template, dialect);
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}
