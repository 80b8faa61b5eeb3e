import { contextOfResult } from "../../plans/context-update.js";
import { outputOf } from "../../plans/execution.js";
import type { SqlTarget } from "../../plans/ports.js";
import { bindOutputs } from "../../plans/statements/bind-outputs.js";
import { compileTemplate } from "../../plans/statements/template.js";
import { runStatement } from "./run-statement.js";

/** A row of an output. */
export type Row = Readonly<Record<string, unknown>>;

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
  const first = await runStatement(target, statement);
  // As it comes out of a store.
  const output = JSON.parse(JSON.stringify(outputOf(contextOfResult(first)))) as ReturnType<
    typeof outputOf
  >;
  const { dialect } = secondTarget;
  const compiled = compileTemplate(template, dialect);
  const binds = bindOutputs(compiled, new Map([["a", output]]), dialect);
  const second = await runStatement(secondTarget, compiled.sql, { binds });
  return JSON.parse(second.outputJson) as readonly Row[];
}
