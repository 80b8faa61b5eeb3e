import { setImmediate as turn } from "node:timers/promises";
import type { Dialect, StatementAnalysis, StatementReader } from "../../governance/index.js";
import { BoundedTurns } from "@steward/kernel/concurrency/bounded-turns.js";
import { AppError } from "@steward/kernel/errors.js";
import { RecentMap } from "@steward/kernel/recent-map.js";
import {
  COMPILED_TEMPLATE_LENGTH_MAX,
  COMPILED_TEMPLATES_MAX,
  PLAN_STEPS_MAX,
  PLAN_TEMPLATES_BYTES_MAX,
  STATEMENT_READ_AT_ONCE_LENGTH_MAX,
  TEMPLATE_BYTES_MAX,
} from "../limits.js";
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

/**
 * A turn of the event loop compiles one long template, of all requests that have arrived together:
 * the longest takes 10 ms.
 */
const LONG_TEMPLATES = new BoundedTurns({ startsMax: 1, turnMs: TURN_MS });

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
  for (const step of steps) {
    const { queryTemplate } = step;
    const tool = tools.resolve(step);
    if (!("target" in tool) || "compile" in tool || tool.vetted !== undefined) continue;
    const { dialect } = tool.target;
    const key = templateKey(queryTemplate, dialect);
    if (read.has(key)) continue;
    if (queryTemplate.length > STATEMENT_READ_AT_ONCE_LENGTH_MAX) {
      await new Promise<void>((start) => LONG_TEMPLATES.enter(() => orgId, start));
    }
    const statement = compiledOrNone(queryTemplate, dialect);
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

/** Agents submit the same templates again and again. By {@link templateKey}. */
const compiled = new RecentMap<CompiledStatement>(COMPILED_TEMPLATES_MAX);

function compiledOrNone(template: string, dialect: Dialect): CompiledStatement | undefined {
  if (template.length > TEMPLATE_BYTES_MAX || template.includes("\0")) return undefined;
  const compile = (): CompiledStatement => compileTemplate(template, dialect);
  try {
    return template.length > COMPILED_TEMPLATE_LENGTH_MAX
      ? compile()
      : compiled.getOrMake(templateKey(template, dialect), compile);
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}
