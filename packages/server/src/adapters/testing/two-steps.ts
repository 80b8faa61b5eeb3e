import { NOBODY } from "@steward/kernel/testing/nobody.js";
import { contextOfResult } from "../../plans/context-update.js";
import { outputOf } from "../../plans/execution.js";
import type { SqlTarget, SqlValue, StatementResult } from "../../plans/ports.js";
import { bindOutputs } from "../../plans/statements/bind-outputs.js";
import { compileTemplate } from "../../plans/statements/template.js";

/** A row of an output. */
export type Row = Readonly<Record<string, unknown>>;

let steps = 0;

/**
 * Runs a statement as step `a` of a plan, and a template that refers to it as the next one.
 * @returns the rows of the second.
 */
export async function runTwoSteps(
  target: SqlTarget,
  statement: string,
  template: string,
  secondTarget: SqlTarget = target,
): Promise<readonly Row[]> {
  const first = await run(target, statement);
  // As it comes out of a store.
  const output = JSON.parse(JSON.stringify(outputOf(contextOfResult(first)))) as ReturnType<
    typeof outputOf
  >;
  const { dialect } = secondTarget;
  const compiled = compileTemplate(template, dialect);
  const binds = bindOutputs(compiled, new Map([["a", output]]), dialect);
  const second = await run(secondTarget, compiled.sql, binds);
  return JSON.parse(second.outputJson) as readonly Row[];
}

function run(
  target: SqlTarget,
  sql: string,
  binds: readonly SqlValue[] = [],
): Promise<StatementResult> {
  steps += 1;
  return target.run(
    {
      sql,
      binds,
      intent: "read_select",
      schemaTableHints: [],
      waitMs: 10_000,
      timeoutMs: 10_000,
      attempt: { orgId: "org", planId: "plan", stepId: `values-${steps}`, attempt: 1 },
      caller: NOBODY,
    },
    new AbortController().signal,
  );
}
