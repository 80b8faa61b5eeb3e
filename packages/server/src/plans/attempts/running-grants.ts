import { withWriters } from "../authors.js";
import { whenKnown } from "@steward/kernel/concurrency/when-known.js";
import { AppError } from "@steward/kernel/errors.js";
import type { Log } from "@steward/kernel/log.js";
import type {
  ExplainedStatementPolicy,
  StatementGrant,
  TouchedData,
} from "../../governance/index.js";
import { RUNNING_STEPS_ASKED_MS } from "../limits.js";
import { StatementError, type ClaimableStep } from "../ports.js";
import { released, type AttemptEnd } from "./attempt-end.js";
import type { GrantedStep } from "./attempt-runner.js";
import { POLICY_REFUSALS, type StepDecisions } from "./step-decisions.js";
import type { AskedStep } from "./step-gate.js";
import type { StepGrants } from "./step-grants.js";

/** Dependencies of {@link RunningGrants}. */
interface RunningGrantsParts {
  readonly policy: Pick<ExplainedStatementPolicy, "versionFor">;
  readonly log: Log;
}

/** What the grants of attempts are asked of. */
interface Deciding extends RunningGrantsParts {
  readonly decisions: StepDecisions;
  readonly grants: StepGrants;
}

/** An attempt that is about to run, as it was granted. */
interface StartedAttempt {
  readonly claim: ClaimableStep;
  readonly asked: AskedStep;
  readonly granted: GrantedStep;
}

/**
 * The grants of attempts that run. They are asked about again while a statement waits for its turn and runs, so that
 * policies, revoked keys and revoked approvals apply to it within a second.
 */
export class RunningGrants implements Disposable {
  readonly #deciding: Deciding;
  readonly #running = new Set<RunningGrant>();
  readonly #timer: NodeJS.Timeout;

  constructor({ policy, log }: RunningGrantsParts, decisions: StepDecisions, grants: StepGrants) {
    this.#deciding = { policy, log, decisions, grants };
    this.#timer = setInterval(() => {
      for (const grant of this.#running) void grant.ask();
    }, RUNNING_STEPS_ASKED_MS).unref();
  }

  /** @param signal also stops the statement. */
  begin(attempt: StartedAttempt, signal: AbortSignal): RunningGrant {
    const grant = new RunningGrant(this.#deciding, attempt, signal, () => {
      this.#running.delete(grant);
    });
    this.#running.add(grant);
    return grant;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

/** The grant of one attempt, until the attempt has ended. */
export class RunningGrant implements Disposable {
  /** What the statement touches, once its data source has reported it. */
  touched: TouchedData | undefined;
  readonly #deciding: Deciding;
  readonly #attempt: StartedAttempt;
  readonly #outer: AbortSignal;
  readonly #stop = new AbortController();
  readonly #onAbort: () => void;
  readonly #onEnd: () => void;
  #granted: GrantedStep;
  #asking: Promise<void> | undefined;
  /** The end of the attempt, if it may not run any more. */
  #end: AttemptEnd | undefined;

  constructor(deciding: Deciding, attempt: StartedAttempt, outer: AbortSignal, onEnd: () => void) {
    this.#deciding = deciding;
    this.#attempt = attempt;
    this.#granted = attempt.granted;
    this.#outer = outer;
    this.#onEnd = onEnd;
    this.#onAbort = () => {
      this.#stop.abort();
    };
    if (outer.aborted) this.#stop.abort();
    else outer.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** Aborted when the statement must stop. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Whether the policies that decided last are still in force. */
  isCurrent(): boolean | Promise<boolean> {
    const { policyVersion } = this.#granted.permission.grant;
    return whenKnown(
      this.#deciding.policy.versionFor(this.#attempt.asked.ctx),
      (version) => version === policyVersion && this.#end === undefined,
    );
  }

  /**
   * Decides again if other policies are in force now: before a write is committed, and before the rows of a read are
   * stored. @throws StatementError `aborted` when the statement may not take effect any more.
   */
  confirm(): undefined | Promise<undefined> {
    return whenKnown(this.isCurrent(), (isCurrent) => (isCurrent ? undefined : this.#confirmed()));
  }

  /** Decides again where something may have changed, and stops the statement if it may not run any more. */
  async ask(): Promise<void> {
    try {
      this.#asking ??= this.#ask().finally(() => {
        this.#asking = undefined;
      });
      await this.#asking;
    } catch (error) {
      // The next question, or the one before its effect, may be answered.
      const { ref } = this.#granted;
      this.#deciding.log.debug({ err: error, ...ref }, "a running step cannot be decided on now");
    }
  }

  /** The end of the attempt: what a stopped statement would have got if it had not begun. */
  endOf(ran: AttemptEnd): AttemptEnd {
    return ran.outcome.kind === "cancelled" && this.#end !== undefined ? this.#end : ran;
  }

  [Symbol.dispose](): void {
    this.#outer.removeEventListener("abort", this.#onAbort);
    this.#onEnd();
  }

  async #confirmed(): Promise<undefined> {
    try {
      await this.#asking;
      await this.#ask();
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      this.#end = released(error);
    }
    if (this.#end === undefined) return undefined;
    throw new StatementError("aborted", "The statement was stopped: its permission has ended");
  }

  async #ask(): Promise<void> {
    this.#end ??= await this.#refused();
    if (this.#end !== undefined) this.#stop.abort();
  }

  /** The end of the attempt, if something forbids it now; `undefined`: it may continue. */
  async #refused(): Promise<AttemptEnd | undefined> {
    const { grants, decisions } = this.#deciding;
    const { claim, asked } = this.#attempt;
    const before = this.#granted;
    try {
      await grants.requireKeys(withWriters(asked.ctx, claim.step));
      const granted = await grants.stillGranted(claim, { ...asked, granted: before });
      if (granted === before) return undefined;
      const awaited = await decisions.admit(granted, granted.ctx, this);
      const { grant } = granted.permission;
      if (awaited !== undefined) {
        const { policyVersion } = grant;
        return { outcome: awaited, toolCall: undefined, policyVersion };
      }
      if (isNarrower(grant, before.permission.grant)) return released(narrowed());
      this.#granted = granted;
      return undefined;
    } catch (error) {
      if (!(error instanceof AppError) || !POLICY_REFUSALS.has(error.code)) throw error;
      return released(error);
    }
  }
}

/** Whether a statement may change less under one grant than under another. */
function isNarrower(one: StatementGrant, other: StatementGrant): boolean {
  const isLower = (one.rowsChangedMax ?? Infinity) < (other.rowsChangedMax ?? Infinity);
  return isLower || (other.mayChangeUncounted === true && one.mayChangeUncounted !== true);
}

function narrowed(): AppError {
  return new AppError(
    "POLICY_DENIED",
    "The policies were changed while the statement ran, and now let it change fewer rows: execute the step again",
  );
}
