import type { PreparedStep } from "../plan.js";
import { StatementError } from "../ports.js";

/** Time limits of an attempt that the operator sets, in ms. */
export interface OperatorTimeLimits {
  /** Of every attempt, and the largest one that a step may ask for. */
  readonly stepTimeoutMs: number;
  /** Of attempts on single data sources, by name; absent: none. */
  readonly sourceTimeoutsMs?: ReadonlyMap<string, number> | undefined;
}

/** The time limit of one attempt, and whose it is. */
export interface TimeLimit {
  readonly ms: number;
  readonly owner: "server" | "source" | "step" | "plan";
  /** The largest limit that the step can have on its data source. */
  readonly stepMsMax: number;
}

/**
 * The smallest of the limits of the server, the data source, the step and the plan. Among equal ones it is the
 * one of the operator, because the others could not be raised.
 * @param leftMs the time until the plan's deadline.
 */
export function timeLimitOf(
  { dataSource, timeoutMs }: Pick<PreparedStep, "dataSource" | "timeoutMs">,
  { stepTimeoutMs, sourceTimeoutsMs }: OperatorTimeLimits,
  leftMs: number,
): TimeLimit {
  const sourceMs = sourceTimeoutsMs?.get(dataSource) ?? Infinity;
  const stepMsMax = Math.min(stepTimeoutMs, sourceMs);
  const limits = [
    { ms: stepTimeoutMs, owner: "server" },
    { ms: sourceMs, owner: "source" },
    { ms: timeoutMs ?? Infinity, owner: "step" },
    { ms: leftMs, owner: "plan" },
  ] as const;
  const smallest = limits.reduce((least, next) => (next.ms < least.ms ? next : least));
  return { stepMsMax, ...smallest };
}

/** An attempt's end. If its time limit has caused it, the error says whose limit that was, and what to do next. */
export function withTimeLimit<End>(
  end: End,
  limit: TimeLimit,
  step: Pick<PreparedStep, "dataSource">,
): End | StatementError {
  if (!(end instanceof StatementError) || !end.isOverTime) return end;
  const { reason, message, hints, cause } = end;
  const whose = `${message}. ${sentenceOf(limit, step)}`;
  return new StatementError(reason, whose, { hints, cause, isOverTime: true });
}

function sentenceOf(
  { ms, owner, stepMsMax }: TimeLimit,
  { dataSource }: Pick<PreparedStep, "dataSource">,
): string {
  const time = `${String(ms)} ms`;
  switch (owner) {
    case "step":
      return (
        `The limit of ${time} is the step's own timeout_ms: set a longer one, at most ${String(stepMsMax)} ms ` +
        "here, or change the step so that it does less"
      );
    case "source":
      return (
        `The limit of ${time} is that of the data source ${dataSource}: change the step so that it does less, ` +
        "or ask the operator to raise timeout_ms of the data source in the tools file"
      );
    case "server":
      return (
        `The limit of ${time} is the server's: change the step so that it does less, or ask the operator ` +
        "to raise SERVICE_STEP_TIMEOUT_MS"
      );
    case "plan":
      return `Only ${time} were left until the plan's deadline: submit the remaining steps as a new plan`;
  }
}
