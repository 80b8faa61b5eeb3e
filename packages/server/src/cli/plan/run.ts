import { existsSync } from "node:fs";
import { StewardError } from "@steward/client";
import type { Plan, Plans, StepExecution } from "@steward/client";
import type { Command } from "commander";
import type { FieldViolation } from "@steward/kernel/errors.js";
import { CliError, usageError } from "../cli-error.js";
import type { CliContext } from "../context.js";
import { EXIT } from "../exit-code.js";
import { clientCommand, connect } from "../connection/server-connection.js";
import type { ClientOptions } from "../connection/server-connection.js";
import { onStopSignal } from "../serve/stop-signal.js";
import type { Terminal } from "../terminal/terminal.js";
import { STDIN } from "../text-file.js";
import { readPlanFile } from "./plan-file.js";
import { createProgressDisplay } from "./progress-display.js";
import { collectResults, describeResults, resultSteps } from "./result-rows.js";
import type { PlanResults } from "./result-rows.js";
import { correctingCommand, hintsOf } from "./step-hints.js";

/** `steward plan run FILE|ID`: executes the steps in the order of their dependencies. */
export function runCommand(context: CliContext): Command {
  const { terminal } = context;
  return clientCommand("run", "Runs a plan to its end and prints the result; Ctrl-C cancels it.")
    .argument("<file-or-id>", "Plan file (JSON or YAML), - for standard input, or a plan's id.")
    .action(async (target: string, options: ClientOptions) => {
      const { plans } = connect(options, context.env);
      const planId = await planIdOf(target, plans, context);
      const { plan, results, hints } = await runPlan(planId, plans, terminal);
      if (options.json) terminal.printJson({ ...plan, results });
      else describeResults(results, terminal).forEach(terminal.print);
      if (plan.status !== "completed") throw notCompleted(plan, hints);
    });
}

/** Submits a file, unless the argument looks like a plan id. */
async function planIdOf(target: string, plans: Plans, context: CliContext): Promise<string> {
  if (target === STDIN || existsSync(target)) {
    const { plan_id: planId } = await plans.submit(await readPlanFile(target, context));
    context.terminal.note(`plan ${planId} submitted`);
    return planId;
  }
  if (/^[0-9a-f-]{36}$/i.test(target)) return target;
  throw usageError(
    `${target} is neither a file nor the id of a plan`,
    "give the path of a plan file, or an id from `steward plan list`",
  );
}

/** Result of a run. */
interface PlanRun {
  readonly plan: Plan;
  readonly results: PlanResults;
  /** The server's hints for correcting the steps that failed in this run. */
  readonly hints: readonly FieldViolation[];
}

async function runPlan(planId: string, plans: Plans, terminal: Terminal): Promise<PlanRun> {
  const before = await plans.get(planId);
  const wanted = resultSteps(before);
  const executed = new Map<string, StepExecution>();
  const hints: FieldViolation[] = [];
  const cancelling: Promise<void>[] = [];
  using display = createProgressDisplay(terminal, before);
  using _stop = onStopSignal(() => {
    display.note("cancelling the plan; press Ctrl-C again to exit at once");
    const cancelled = cancelPlan(plans, planId);
    // The promise is awaited below, after the run has noticed the cancellation.
    cancelled.catch(() => undefined);
    cancelling.push(cancelled);
  });
  const ran = await plans.run(planId, {
    onProgress: (progress) => {
      display.update(progress);
      if (progress.kind === "started") return;
      const { stepId, execution } = progress;
      if (wanted.has(stepId)) executed.set(stepId, execution);
      if (execution.step_result.status === "failed") hints.push(...hintsOf(execution));
    },
  });
  await Promise.all(cancelling);
  const plan = cancelling.length === 0 ? ran : await plans.get(planId);
  display.end(plan);
  return { plan, results: await collectResults(plan, executed, plans), hints };
}

async function cancelPlan(plans: Plans, planId: string): Promise<void> {
  try {
    await plans.cancel(planId);
  } catch (error) {
    // The plan was finished already; its own status says how.
    if (!(error instanceof StewardError) || error.code !== "PLAN_NOT_ACTIVE") throw error;
  }
}

function notCompleted(plan: Plan, details: readonly FieldViolation[]): CliError {
  const { plan_id: planId, status, steps } = plan;
  const failed = steps.find((step) => step.status === "failed");
  if (status === "failed") {
    const reason = failed?.error?.message ?? "its deadline has passed";
    const which = failed === undefined ? "" : ` at step ${failed.step_id}`;
    return new CliError(`The plan failed${which}: ${reason}`, {
      exitCode: EXIT.failed,
      code: failed?.error?.code ?? "DEADLINE_EXCEEDED",
      fix: fixOf(planId, failed?.step_id),
      details,
    });
  }
  return new CliError(`The plan is ${status}, not completed`, {
    exitCode: EXIT.failed,
    code: status === "cancelled" ? "CANCELLED" : "PLAN_NOT_ACTIVE",
    fix: `steward plan get ${planId} shows the status of its steps`,
  });
}

/** Without a failed step, the plan was not finished in time. */
function fixOf(planId: string, stepId: string | undefined): string {
  const again = `steward plan run ${planId}`;
  const retry = `once the cause is gone: steward plan retry ${planId} && ${again}`;
  return stepId === undefined
    ? retry
    : `correct the step: ${correctingCommand(planId, stepId)} && ${again}; or, ${retry}`;
}
