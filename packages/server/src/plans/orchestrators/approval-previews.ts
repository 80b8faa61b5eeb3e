import type { Clock } from "@steward/kernel/clock.js";
import { Tally } from "@steward/kernel/concurrency/tally.js";
import type { DataSourceAccess } from "@steward/kernel/data-source-access.js";
import { AppError, invalidField } from "@steward/kernel/errors.js";
import { RecentMap } from "@steward/kernel/recent-map.js";
import {
  approverOf,
  isSameParty,
  shownStatus,
  whyNotApprover,
  type ApprovalSubject,
} from "../../approvals/index.js";
import {
  APPROVAL_PREVIEW_MS_MAX,
  APPROVAL_PREVIEW_WAIT_MS,
  APPROVAL_PREVIEWS_AT_ONCE_MAX,
  ROWS_SHOWN_KEPT_MAX,
} from "../../approvals/limits.js";
import type { StoredApproval } from "../../approvals/ports.js";
import {
  type Intent,
  isReadIntent,
  ROW_CHANGES,
  type StatementPolicy,
  type StatementReader,
  timesIn,
  type TouchedData,
} from "../../governance/index.js";
import type { PlanEngine } from "../engine/index.js";
import type { ApprovalPreview, QueryRuntimeContext } from "../orchestrator.js";
import type { PreparedStep } from "../plan.js";
import {
  StatementError,
  type SqlTarget,
  type StatementPreview,
  type SqlValue,
  type ToolRegistry,
} from "../ports.js";
import { bindOutputs } from "../statements/bind-outputs.js";
import { kindsOf, namedBy } from "../attempts/permit-steps.js";
import type { StoredOutputs } from "../attempts/stored-outputs.js";
import { shownColumns } from "./shown-columns.js";
import { digestOf } from "../attempts/step-approval.js";

/** Dependencies of the previews. */
export interface ApprovalPreviewParts {
  readonly engine: Pick<PlanEngine, "findStep">;
  readonly tools: ToolRegistry;
  readonly access: DataSourceAccess;
  readonly reader: StatementReader;
  readonly policy: StatementPolicy;
  readonly outputs: StoredOutputs;
  readonly clock: Clock;
}

/** A waiting write, with the values that it will run with. */
interface WaitingWrite {
  readonly step: PreparedStep;
  readonly target: SqlTarget;
  readonly binds: readonly SqlValue[];
}

const changesRows: ReadonlySet<Intent> = new Set<Intent>([
  ...ROW_CHANGES,
  "cross_system_transaction",
]);
/** PostgreSQL reads no longer text as a date or time, in characters (MAXDATELEN). */
const TIME_LENGTH_MAX = 128;
/** Functions and relations that a note names. */
const NAMED_MAX = 10;
const LIMITS = { waitMs: APPROVAL_PREVIEW_WAIT_MS, timeoutMs: APPROVAL_PREVIEW_MS_MAX };

/**
 * Shows an approver what a waiting write would change now. It is computed for each reading of the
 * approval and never stored. Only those who can decide see it, and only of data that they may read
 * themselves: also the number of changed rows tells of the columns that the statement compares.
 */
export class ApprovalPreviews {
  readonly #parts: ApprovalPreviewParts;
  readonly #running = new Tally(APPROVAL_PREVIEWS_AT_ONCE_MAX);
  /** By approval and person. */
  readonly #rowsShownTo = new RecentMap<number>(ROWS_SHOWN_KEPT_MAX);

  constructor(parts: ApprovalPreviewParts) {
    this.#parts = parts;
  }

  /** The preview of a statement that cannot be previewed contains the reason. */
  async of(approval: StoredApproval, ctx: QueryRuntimeContext): Promise<ApprovalPreview> {
    const preview = await this.#of(approval, ctx);
    const shown = preview.write?.rowsChanged;
    if (shown !== undefined) {
      const key = shownTo(approval, ctx);
      this.#rowsShownTo.delete(key);
      this.#rowsShownTo.getOrMake(key, () => shown);
    }
    return preview;
  }

  /**
   * How many rows the caller was shown last, by this server, or would be shown now. An approval that was
   * given already keeps its number.
   * @returns `undefined` for what changes no rows of a database, and where a policy sets no limit.
   * @throws AppError `INVALID_ARGUMENT` when there is no preview of a write: its approver names the rows.
   */
  async rowsShown(approval: StoredApproval, ctx: QueryRuntimeContext): Promise<number | undefined> {
    const by = approverOf(ctx);
    const earlier = approval.decisions.find(({ approver }) => isSameParty(approver, by));
    if (earlier?.decision === "approve") return earlier.rowsChangedMax;
    const shown = this.#rowsShownTo.get(shownTo(approval, ctx));
    if (shown !== undefined) return shown;
    const { write, unavailable = "" } = await this.of(approval, ctx);
    if (write !== undefined) return write.rowsChanged;
    if (!(await this.#needsRows(approval))) return undefined;
    throw invalidField(
      "rows_changed_max",
      `there is no preview of this write (${unavailable}), so say how many rows it may change at most: ` +
        "--rows on the command line, the number of rows in the console",
    );
  }

  /** Whether an approval is about changed rows that can be counted. */
  async #needsRows({ orgId, planId, stepId, rules, subject, covers }: StoredApproval) {
    if (covers !== undefined || rules.some((rule) => rule.mayChangeUncounted === true))
      return false;
    const target = this.#parts.tools.target(subject.dataSource);
    if (target === undefined || !("dialect" in target)) return false;
    const step = (await this.#parts.engine.findStep({ orgId, planId, stepId }))?.prepared;
    return step !== undefined && kindsOf(step).some((kind) => changesRows.has(kind));
  }

  async #of(approval: StoredApproval, ctx: QueryRuntimeContext): Promise<ApprovalPreview> {
    const status = shownStatus(approval, this.#parts.clock.nowMs());
    if (status !== "pending") {
      return without(`The approval is ${status}: only a write that waits for it is previewed`);
    }
    if (approval.covers !== undefined) {
      return without(
        "The approval is for the whole plan: those of its waiting steps have previews",
      );
    }
    const stranger = whyNotApprover(approval, approverOf(ctx));
    if (stranger !== undefined) return without(`Only who can decide sees a preview. ${stranger}`);
    const leave = this.#running.enter(approval.orgId);
    if (leave === undefined) {
      return without(
        "Your organization has other previews running: read the approval again in a moment",
      );
    }
    try {
      const write = await this.#waiting(approval, ctx);
      return typeof write === "string" ? without(write) : await this.#shown(approval, write, ctx);
    } catch (error) {
      return without(reasonOf(error));
    } finally {
      leave();
    }
  }

  /** @returns the reason when there is nothing to preview. */
  async #waiting(
    { orgId, planId, stepId, subject }: StoredApproval,
    ctx: QueryRuntimeContext,
  ): Promise<WaitingWrite | string> {
    const { engine, tools, access } = this.#parts;
    const target = tools.target(subject.dataSource);
    if (target === undefined) return `Data source ${subject.dataSource} is no longer configured`;
    if (!("dialect" in target)) return `${subject.toolName} takes no SQL, so it has no preview`;
    const closed = access.refusal(ctx, subject.dataSource);
    if (closed !== undefined) return closed;
    const stored = await engine.findStep({ orgId, planId, stepId });
    if (stored?.outputs === undefined) return CHANGED;
    const { prepared: step, outputs, sources } = stored;
    const refusal = await this.#parts.outputs.refusal(ctx, sources.slice(1));
    if (refusal !== undefined) return refusal.message;
    if (isReadIntent(step.intent)) return "The statement only reads, so it changes nothing";
    return { step, target, binds: bindOutputs(step.statement, outputs, target.dialect) };
  }

  async #shown(
    approval: StoredApproval,
    { step, target, binds }: WaitingWrite,
    ctx: QueryRuntimeContext,
  ): Promise<ApprovalPreview> {
    const { policy } = this.#parts;
    const { statementClass: intent, statement, dataSource } = step;
    // The database is not asked about what the caller may not read: its answers tell of the data.
    const named = await namedBy(step, ctx.orgId, this.#parts);
    const may = (touched: TouchedData) => shownColumns(policy, ctx, dataSource, touched);
    if (named !== undefined && (await may(named)) === undefined) return without(MAY_NOT_READ);
    const asked = { sql: statement.sql, intent, caller: ctx, ...LIMITS };
    const { touched, estimate } = await target.describe(
      { ...asked, parameterCount: binds.length },
      ctx.signal,
    );
    const { planId, stepId, policyVersion, subject } = approval;
    const digest = digestOf(
      { ref: { planId, stepId }, step, binds, migration: undefined },
      { policyVersion },
      touched,
    );
    if (digest !== approval.digest) return without(CHANGED);
    const tables = await may(touched);
    if (tables === undefined) return without(MAY_NOT_READ);
    const known = {
      notes: varyingNotes(touched, target.dialect === "postgres" ? binds : []),
      ...(estimate === undefined ? {} : { estimate }),
    };
    try {
      const write = await target.preview({ ...asked, binds, tables }, ctx.signal);
      return { ...known, write: withLimit(write, subject) };
    } catch (error) {
      return { ...known, ...without(reasonOf(error)) };
    }
  }
}

function shownTo(
  { approvalId, digest }: StoredApproval,
  { orgId, userId = "", keyId = "" }: QueryRuntimeContext,
): string {
  return JSON.stringify([orgId, approvalId, digest, userId, keyId]);
}

/** Says when a run may differ from what is known now. */
function varyingNotes(
  { varying = [] }: TouchedData,
  binds: readonly SqlValue[],
): readonly string[] {
  const texts = binds.map((bind) => (typeof bind === "object" ? bind?.text : bind));
  const times = texts.flatMap((text) =>
    typeof text === "string" && text.length <= TIME_LENGTH_MAX ? timesIn(text) : [],
  );
  const names = [...new Set([...varying, ...times])];
  if (names.length === 0) return [];
  const others = names.length - NAMED_MAX;
  const named = names.slice(0, NAMED_MAX).join(", ") + (others > 0 ? ` and ${others} more` : "");
  return [
    `Each run may change other rows or values: the result of ${named} may differ from run to run`,
  ];
}

/** Says when the write would fail because it changes too many rows. */
function withLimit(
  write: StatementPreview,
  { rowsChangedMax = Infinity }: ApprovalSubject,
): StatementPreview {
  const { rowsChanged } = write;
  if (rowsChanged <= rowsChangedMax) return write;
  const note =
    `The statement would fail: it changes ${String(rowsChanged)} rows now, and may change ` +
    `${String(rowsChangedMax)} at most`;
  return { ...write, notes: [note, ...write.notes] };
}

const CHANGED =
  "What would run is no longer what this approval is for: the next execution of the step requests another one";
const MAY_NOT_READ =
  "Policies do not let you read all that the statement reads, and a preview would tell of it: ask somebody who has the right read_select on these tables and columns";

function without(unavailable: string): ApprovalPreview {
  return { unavailable };
}

/** @throws the error itself when the caller has left, or when it is a defect. */
function reasonOf(error: unknown): string {
  if (error instanceof StatementError && error.reason !== "aborted") return error.message;
  if (error instanceof AppError) return error.message;
  throw error;
}
