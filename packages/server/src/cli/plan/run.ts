import { existsSync } from "node:fs";
import { orderedObject, StewardError } from "@steward/client";
import type { Plan, Plans, StepExecution, StepProgress } from "@steward/client";
import type { Command } from "commander";
import type { FieldViolation } from "@steward/kernel/errors.js";
import { CliError, usageError } from "../cli-error.js";
import type { CliContext } from "../context.js";
import { EXIT } from "../exit-code.js";
import { fixFor } from "../fixes.js";
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

/** The longest wait for an approval, in s: a month. */
const WAIT_S_MAX = 30 * 24 * 60 * 60;

interface RunOptions extends ClientOptions {
  /** Seconds, as text; false: --no-wait. */
  readonly wait?: string | false;
}

/** `steward plan run FILE|ID`: executes the steps in the order of their dependencies. */
export function runCommand(context: CliContext): Command {
  const { terminal } = context;
  return clientCommand("run", "Runs a plan to its end and prints the result; Ctrl-C cancels it.")
    .argument("<file-or-id>", "Plan file (JSON or YAML), - for standard input, or a plan's id.")
    .option(
      "--wait <seconds>",
      "How long a step waits for approvals (default: until it is decided).",
    )
    .option("--no-wait", "End when a step waits for an approval.")
    .action(async (target: string, options: RunOptions) => {
      const waitMs = waitMsOf(options.wait);
      const { plans } = connect(options, context.env);
      const planId = await planIdOf(target, plans, context);
      const { plan, results, hints } = await runPlan(planId, plans, terminal, waitMs);
      if (options.json) terminal.printJson({ ...plan, results: orderedObject([...results]) });
      else describeResults(results, terminal).forEach(terminal.print);
      if (plan.wait_reason === "awaiting_steps") terminal.note(openLine(plan));
      else if (plan.status !== "completed") throw notCompleted(plan, hints);
    });
}

/** Submits a file, unless the argument looks like a plan id. */
async function planIdOf(target: string, plans: Plans, context: CliContext): Promise<string> {
  if (target === STDIN || existsSync(target)) {
    const { plan_id: planId } = await submitted(plans, await readPlanFile(target, context));
    context.terminal.note(`plan ${planId} submitted`);
    return planId;
  }
  if (/^[0-9a-f-]{36}$/i.test(target)) return target;
  throw usageError(
    `${target} is neither a file nor the id of a plan`,
    "give the path of a plan file, or an id from `steward plan list`",
  );
}

/** @throws CliError when the server gave no answer, although it may have taken the plan. */
async function submitted(plans: Plans, plan: Parameters<Plans["submit"]>[0]) {
  try {
    return await plans.submit(plan);
  } catch (error) {
    if (!(error instanceof StewardError) || error.code !== "BAD_RESPONSE") throw error;
    throw new CliError(error.message, {
      exitCode: EXIT.unreachable,
      code: error.code,
      fix: `${fixFor(error) ?? ""}; \`steward plan list\` shows whether the plan was submitted`,
      cause: error,
    });
  }
}

/** Result of a run. */
interface PlanRun {
  readonly plan: Plan;
  readonly results: PlanResults;
  /** The server's hints for correcting the steps that failed in this run. */
  readonly hints: readonly FieldViolation[];
}

async function runPlan(
  planId: string,
  plans: Plans,
  terminal: Terminal,
  approvalTimeoutMs: number,
): Promise<PlanRun> {
  const before = await plans.getPlan({ plan_id: planId });
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
  const ran = await runToEnd(plans, planId, {
    approvalTimeoutMs,
    onProgress: (progress) => {
      if (progress.kind === "waiting") {
        display.note(waitingLine(progress));
        return;
      }
      display.update(progress);
      if (progress.kind === "started") return;
      const { stepId, execution } = progress;
      if (wanted.has(stepId)) executed.set(stepId, execution);
      if (execution.step_result.status === "failed") hints.push(...hintsOf(execution));
    },
  });
  await Promise.all(cancelling);
  const plan = cancelling.length === 0 ? ran : await plans.getPlan({ plan_id: planId });
  display.end(plan);
  return { plan, results: await collectResults(plan, executed, plans), hints };
}

/** @throws CliError when a step still waits for an approval; the plan can be run again. */
async function runToEnd(
  plans: Plans,
  planId: string,
  options: Parameters<Plans["run"]>[1],
): Promise<Plan> {
  try {
    return await plans.run(planId, options);
  } catch (error) {
    if (!(error instanceof StewardError) || error.code !== "APPROVAL_REQUIRED") throw error;
    throw new CliError(error.message, {
      exitCode: EXIT.failed,
      code: error.code,
      fix: `after the decision: steward plan run ${planId}`,
      details: error.details,
      cause: error,
    });
  }
}

function openLine({ plan_id: planId }: Plan): string {
  return (
    `the plan stays open for further steps: steward plan append ${planId} FILE, ` +
    `or steward plan finish ${planId}`
  );
}

function waitingLine(waiting: Extract<StepProgress, { readonly kind: "waiting" }>): string {
  const { stepId, approvalId, expiresAt } = waiting;
  return `${stepId} waits for an approval until ${expiresAt}: steward approvals show ${approvalId}`;
}

/** @throws CliError for a text that is no number of seconds. */
function waitMsOf(wait: string | false | undefined): number {
  if (wait === false) return 0;
  if (wait === undefined) return WAIT_S_MAX * 1000;
  const seconds = Number(wait);
  if (Number.isInteger(seconds) && seconds >= 0 && seconds <= WAIT_S_MAX) return seconds * 1000;
  throw usageError(
    `--wait ${wait} is no number of seconds`,
    `give 0 to ${String(WAIT_S_MAX)}, or --no-wait`,
  );
}

async function cancelPlan(plans: Plans, planId: string): Promise<void> {
  try {
    await plans.cancelPlan({ plan_id: planId });
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
