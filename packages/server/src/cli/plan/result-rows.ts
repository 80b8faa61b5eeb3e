import { parseOrdered, type Plan, type Plans, type StepExecution } from "@steward/client";
import { renderTable } from "../terminal/table.js";
import type { Terminal } from "../terminal/terminal.js";

/** Limit of displayed rows per result. */
const ROWS_SHOWN_MAX = 20;
/** Limit of displayed columns per result. */
const COLUMNS_SHOWN_MAX = 12;

/** One row of a step's output, whose columns are in the order of the statement. */
export type ResultRow = Readonly<Record<string, unknown>>;

/** The outputs of steps that no other step depends on, in the order of the plan's steps: the plan's results. */
export type PlanResults = ReadonlyMap<string, readonly ResultRow[]>;

/** Ids of the steps whose outputs are the plan's results. */
export function resultSteps(plan: Plan): ReadonlySet<string> {
  const needed = new Set(plan.steps.flatMap((step) => step.depends_on));
  return new Set(plan.steps.map((step) => step.step_id).filter((id) => !needed.has(id)));
}

/**
 * Collects a plan's results. Steps that this run has not executed are requested again, because a
 * completed step returns its stored output.
 */
export async function collectResults(
  plan: Plan,
  executed: ReadonlyMap<string, StepExecution>,
  plans: Pick<Plans, "execute">,
): Promise<PlanResults> {
  const wanted = resultSteps(plan);
  const results = new Map<string, readonly ResultRow[]>();
  for (const step of plan.steps) {
    if (step.status !== "completed" || !wanted.has(step.step_id)) continue;
    const execution =
      executed.get(step.step_id) ?? (await plans.execute(plan.plan_id, step.step_id));
    results.set(step.step_id, await allRows(execution, plans));
  }
  return results;
}

/** The rows of an execution and of the pages after it: a step may limit how much one answer has. */
async function allRows(
  execution: StepExecution,
  plans: Pick<Plans, "execute">,
): Promise<readonly ResultRow[]> {
  const rows = [...rowsOf(execution)];
  const { plan_id: planId, step_id: stepId } = execution.llm_context_update;
  let offset = execution.llm_context_update.next_offset;
  while (offset !== undefined) {
    const page = await plans.execute(planId, stepId, { page: { offset } });
    rows.push(...rowsOf(page));
    offset = page.llm_context_update.next_offset;
  }
  return rows;
}

/** The rows that an execution hands out. */
export function rowsOf({ llm_context_update: update }: StepExecution): readonly ResultRow[] {
  // The server guarantees an array of row objects.
  return parseOrdered(update.tool_output_json) as readonly ResultRow[];
}

/** Formats results as one table per step. */
export function describeResults(results: PlanResults, terminal: Terminal): readonly string[] {
  return [...results].flatMap(([stepId, rows], index) => [
    ...(index === 0 ? [] : [""]),
    terminal.outColors.bold(stepId),
    ...describeRows(rows, terminal),
  ]);
}

function describeRows(
  rows: readonly ResultRow[],
  { outColors: colors, width }: Terminal,
): readonly string[] {
  if (rows.length === 0) return [colors.dim("no rows")];
  const shown = rows.slice(0, ROWS_SHOWN_MAX);
  const names = [...new Set(shown.flatMap((row) => Object.keys(row)))].slice(0, COLUMNS_SHOWN_MAX);
  const columns = names.map((title) => ({
    title,
    align: shown.every((row) => typeof row[title] === "number")
      ? ("right" as const)
      : ("left" as const),
  }));
  const lines = renderTable(
    columns,
    shown.map((row) => names.map((name) => cell(row[name]))),
    width,
  );
  const more = rows.length - shown.length;
  return more === 0 ? lines : [...lines, colors.dim(`… and ${String(more)} more; --json has all`)];
}

function cell(value: unknown): string {
  if (value === undefined || value === null) return "NULL";
  return typeof value === "string" ? value : JSON.stringify(value);
}
