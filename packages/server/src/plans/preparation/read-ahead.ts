import { setImmediate as turn } from "node:timers/promises";
import type { Dialect, StatementAnalysis, StatementReader } from "../../governance/index.js";
import { AppError } from "@steward/kernel/errors.js";
import { PLAN_STEPS_MAX, PLAN_TEMPLATES_BYTES_MAX, TEMPLATE_BYTES_MAX } from "../limits.js";
import type { PlanDefinition } from "../plan.js";
import type { ToolRegistry } from "../ports.js";
import type { CompiledStatement } from "../statements/compiled-statement.js";
import { compileTemplate } from "../statements/template.js";

/** A compiled template with the analysis of its statement. */
export interface ReadTemplate {
  readonly statement: CompiledStatement;
  readonly analysis: StatementAnalysis;
}

/** Keyed by {@link templateKey}. Templates that cannot be compiled are missing. */
export type ReadTemplates = ReadonlyMap<string, ReadTemplate>;

/** Time for which analysis may block the event loop before it yields, in ms. */
const TURN_MS = 10;

/** From this number of steps on, checking a plan takes milliseconds. */
const LONG_PLAN_STEPS = 100;

export function templateKey(template: string, dialect: Dialect): string {
  return `${dialect} ${template}`;
}

/**
 * Compiles and analyzes the templates of a plan before its validation, so that validation is quick.
 * It yields to the event loop. Texts over a limit are left to the validation, which refuses them.
 * @param orgId whose plan it is.
 * @throws AppError `OVERLOADED`.
 */
export async function readAhead(
  { steps }: PlanDefinition,
  tools: ToolRegistry,
  reader: StatementReader,
  orgId: string,
): Promise<ReadTemplates> {
  const read = new Map<string, ReadTemplate>();
  await pauseIfLong(steps);
  const length = steps.reduce((sum, step) => sum + step.queryTemplate.length, 0);
  if (length > PLAN_TEMPLATES_BYTES_MAX || steps.length > PLAN_STEPS_MAX) return read;
  let pausedMs = performance.now();
  for (const { queryTemplate, toolName } of steps) {
    const tool = tools.resolve(toolName);
    if (tool === undefined || "compile" in tool) continue;
    const { dialect } = tool.target;
    const key = templateKey(queryTemplate, dialect);
    const statement = read.has(key) ? undefined : compiledOrNone(queryTemplate, dialect);
    if (statement === undefined) continue;
    const analysis = reader.read(statement.sql, dialect, orgId);
    read.set(key, {
      statement,
      analysis: analysis instanceof Promise ? await analysis : analysis,
    });
    if (performance.now() - pausedMs > TURN_MS) {
      await turn();
      pausedMs = performance.now();
    }
  }
  return read;
}

/**
 * Receiving, checking and storing a long plan take milliseconds each, so the event loop gets a turn
 * in between.
 */
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
