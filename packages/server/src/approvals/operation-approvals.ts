import { personOf, type Caller } from "@steward/kernel/caller.js";
import { canonicalJson, type JsonValue } from "@steward/kernel/canonical-json.js";
import { isoTime, type Clock } from "@steward/kernel/clock.js";
import { AppError } from "@steward/kernel/errors.js";
import type { Ids } from "@steward/kernel/ids.js";
import {
  liftedPolicy,
  type ApprovalRule,
  type OperationApprovalRequired,
} from "../governance/index.js";
import { OPERATION_PLAN_ID, shownStatus, type ApprovalSubject } from "./approval.js";
import {
  areMet,
  countingDecisions,
  decideApproval,
  denialOf,
  type WantedDecision,
} from "./decide.js";
import { operationDigest } from "./digest.js";
import { idsByParameter, movedNames, type ResolvedName, type ShownName } from "./resolved-names.js";
import {
  OPERATION_REQUEST_BYTES_MAX,
  OPERATIONS_WAITING_MAX,
  OPERATIONS_WAITING_OF_REQUESTER_MAX,
} from "./limits.js";
import { partyOf } from "./party.js";
import type { ApprovalIndex, StoredApproval } from "./ports.js";
import type { RecordedOperation } from "../kernel/recorded-operation.js";

/** An operation that a caller asks for, with its parameters. */
export interface ApprovableOperation {
  /** The operation's id in REST, or the tool's name over MCP. */
  readonly operation: string;
  readonly request: JsonValue;
}

/** An operation whose parameters' names have been resolved. */
export interface ResolvedOperation extends ApprovableOperation {
  readonly resolved: readonly ShownName[];
  /** What the operation would change now, for the approvers; computed only for a new request. */
  readonly wouldChange?: (() => Promise<JsonValue>) | undefined;
}

/** An approval that was used up for an operation which is about to run. */
export interface UsedApproval {
  /** What it lifts, for {@link Caller.approvedUnder}. */
  readonly lifts: ReadonlySet<string>;
  /** What persons have approved of the names in the parameters: the operation has to act on these ids. */
  readonly resolved: readonly ResolvedName[];
  /** Makes it valid again, because the operation was refused before it had any effect. */
  readonly giveBack: () => Promise<void>;
}

/** Dependencies of the approvals of operations. */
export interface OperationApprovalParts {
  readonly index: Pick<ApprovalIndex, "ofOperation" | "put">;
  readonly clock: Clock;
  readonly ids: Ids;
  /** How long a request and an approval are valid, in ms. */
  readonly validMs: number;
  /** Runs a change so that it is durable together with its record in the audit log. */
  readonly record: <T>(
    caller: Caller,
    change: ApprovableOperation & {
      readonly kind: string;
      readonly time: "withEffect";
      readonly subject: string;
    },
    work: (recorded: RecordedOperation | undefined) => Promise<T>,
  ) => Promise<T>;
}

/**
 * Approvals of operations other than statements, such as a change of policies or keys. The requester
 * repeats the same call after the decision. The approval is used up before the operation runs, so that
 * it runs once at most. It covers what the names in the parameters stand for, so that a branch which is moved after the
 * decision needs another one. There is no log as with plans: the row in the index is the truth, and each change
 * of it succeeds only if the row is still what the change was decided on.
 */
export class OperationApprovals {
  readonly #parts: OperationApprovalParts;

  constructor(parts: OperationApprovalParts) {
    this.#parts = parts;
  }

  /**
   * Uses up the approval of this operation, and requests one where there is none.
   * @param needs what policies have demanded of the operation so far.
   * @throws AppError `APPROVAL_REQUIRED` while persons have to decide, with the approval's id;
   * `APPROVAL_DENIED`; `POLICY_DENIED` for a caller who is no person and acts for none; `LIMIT_EXCEEDED`
   * for a request that is too large to be read; `QUOTA_EXCEEDED` when too many wait.
   */
  async use(
    caller: Caller,
    asked: ResolvedOperation,
    needs: readonly [OperationApprovalRequired, ...OperationApprovalRequired[]],
  ): Promise<UsedApproval> {
    const { index, clock } = this.#parts;
    const demanded = merged(needs);
    const digests = digestsOf(caller, asked, demanded.policyVersion);
    const nowMs = clock.nowMs();
    const ofRequest = (await index.ofOperation(caller.orgId, digests.request)).filter(({ rules }) =>
      demanded.rules.every(({ policyId }) => rules.some((rule) => rule.policyId === policyId)),
    );
    const found = ofRequest.filter(({ digest }) => digest === digests.approved);
    const one = (status: string): StoredApproval | undefined =>
      found.find((approval) => shownStatus(approval, nowMs) === status);
    const approved = one("approved");
    if (approved !== undefined && isMet(approved)) {
      const used: StoredApproval = { ...approved, status: "used" };
      if (await this.#change(caller, asked, "approval.use", approved, used)) {
        const giveBack = async (): Promise<void> => {
          await this.#change(caller, asked, "approval.give_back", used, approved);
        };
        return { lifts: liftedBy(approved), resolved: asked.resolved, giveBack };
      }
    }
    const denied = found.find(
      ({ status, expiresAtMs }) => status === "denied" && expiresAtMs >= nowMs,
    );
    if (denied !== undefined) {
      const until = isoTime(denied.expiresAtMs);
      throw new AppError(
        "APPROVAL_DENIED",
        `${asked.operation}: ${denialOf(denied)}. The same call can request another approval from ${until} on`,
      );
    }
    const waiting = one("pending") ?? (await this.#request(caller, asked, demanded, digests));
    const isOpen = (approval: StoredApproval): boolean =>
      ["pending", "approved"].includes(shownStatus(approval, nowMs));
    const outdated = ofRequest.find((each) => each.digest !== digests.approved && isOpen(each));
    throw new AppError(
      "APPROVAL_REQUIRED",
      `${asked.operation} needs the approval of ${approversOf(waiting.rules)}: approval ${waiting.approvalId} ` +
        `waits until ${isoTime(waiting.expiresAtMs)}. Repeat the same call when it is approved; it then runs once` +
        outdatedText(outdated, asked.resolved),
      { details: needs.flatMap(({ details }) => details) },
    );
  }

  /**
   * Records a decision. @throws AppError `POLICY_DENIED`, `APPROVAL_CONFLICT`.
   * @param caller who decides, as `wanted` says.
   */
  async decide(caller: Caller, approval: StoredApproval, wanted: WantedDecision): Promise<void> {
    const result = decideApproval(approval, wanted, this.#parts.clock.nowMs());
    if (result.kind === "refused") throw new AppError(result.code, result.message);
    if (result.kind === "repeated") return;
    const { decision, digest, reason = "" } = wanted;
    const asked = {
      operation: decision === "approve" ? "grantApproval" : "denyApproval",
      request: { approval_id: approval.approvalId, digest, reason },
    };
    const next = { ...approval, ...result.approval };
    if (await this.#change(caller, asked, "approval.decide", approval, next)) return;
    throw new AppError(
      "APPROVAL_CONFLICT",
      `Approval ${approval.approvalId} has just been used or decided by somebody else: read it again`,
    );
  }

  async #request(
    caller: Caller,
    asked: ResolvedOperation,
    { actions, rules, policyVersion }: Demand,
    digests: OperationDigests,
  ): Promise<StoredApproval> {
    const { ids, clock, validMs } = this.#parts;
    const nowMs = clock.nowMs();
    const approval: StoredApproval = {
      ...{ approvalId: ids.uuid(), digest: digests.approved, status: "pending", rules },
      policyVersion,
      ...{ requester: partyOf(caller), decisions: [] },
      ...{ requestedAtMs: nowMs, expiresAtMs: nowMs + validMs },
      ...{ orgId: caller.orgId, planId: OPERATION_PLAN_ID, stepId: digests.request },
      sessionId: caller.sessionId ?? "",
      subject: subjectOf(asked, actions, await asked.wouldChange?.()),
    };
    if (await this.#change(caller, asked, "approval.request", undefined, approval)) return approval;
    throw new AppError(
      "QUOTA_EXCEEDED",
      `At most ${String(OPERATIONS_WAITING_MAX)} operations of an organization, and ${String(OPERATIONS_WAITING_OF_REQUESTER_MAX)} of one requester, wait for approvals, and as many wait: they have to be decided about first (steward approvals list --status pending)`,
    );
  }

  /** @returns whether the row was what the change was decided on. */
  #change(
    caller: Caller,
    { operation, request }: ApprovableOperation,
    kind: string,
    former: StoredApproval | undefined,
    next: StoredApproval,
  ): Promise<boolean> {
    const change = {
      kind,
      time: "withEffect",
      operation,
      request,
      subject: next.approvalId,
    } as const;
    // A change that came too late is no effect, and its record would tell of one.
    const late = new LateChange();
    return this.#parts
      .record(caller, change, async (recorded) => {
        if (!(await this.#parts.index.put(next, former, recorded))) throw late;
        return true;
      })
      .catch((error: unknown) => {
        if (error === late) return false;
        throw error;
      });
  }
}

class LateChange extends Error {}

/** The demands of all policies that were asked so far. */
interface Demand {
  readonly actions: readonly string[];
  readonly rules: readonly ApprovalRule[];
  readonly policyVersion: string;
}

function merged(
  needs: readonly [OperationApprovalRequired, ...OperationApprovalRequired[]],
): Demand {
  const rules = new Map(
    needs.flatMap(({ needed }) => needed.rules.map((rule) => [rule.policyId, rule] as const)),
  );
  return {
    actions: [...new Set(needs.map(({ action }) => action))],
    rules: [...rules.values()],
    policyVersion: needs[0].needed.policyVersion,
  };
}

function liftedBy({ subject, rules }: StoredApproval): ReadonlySet<string> {
  const actions = subject.intent.split(" ");
  return new Set(
    actions.flatMap((action) => rules.map(({ policyId }) => liftedPolicy(action, policyId))),
  );
}

function isMet(approval: StoredApproval): boolean {
  return areMet(approval.rules, countingDecisions(approval, approval.decisions));
}

/** The digests of an operation: two operations with the same request may be about different things. */
interface OperationDigests {
  /** Of the request, which has names in it. */
  readonly request: string;
  /** Of what is approved: the request, and what its names stand for. */
  readonly approved: string;
}

/** @throws AppError `POLICY_DENIED` when nobody could be excluded from the approvers. */
function digestsOf(
  { userId, agentId, sessionId = "" }: Caller,
  { operation, request, resolved }: ResolvedOperation,
  policyVersion: string,
): OperationDigests {
  if (userId === undefined) {
    throw new AppError(
      "POLICY_DENIED",
      `${operation} needs an approval, which only a person with a name can request: sign in, use an API key that was created with your user_id, or send x-user-id where headers are believed`,
    );
  }
  const bytes = Buffer.byteLength(canonicalJson(request));
  if (bytes > OPERATION_REQUEST_BYTES_MAX) {
    throw new AppError(
      "LIMIT_EXCEEDED",
      `${operation} needs an approval, and its parameters have ${String(bytes)} bytes: at most ${String(OPERATION_REQUEST_BYTES_MAX)} can be shown to a person`,
    );
  }
  const user = personOf(userId);
  const content = { operation, request, user, agentId, sessionId, policyVersion };
  return {
    request: operationDigest(content),
    approved: operationDigest({ ...content, resolved: idsByParameter(resolved) }),
  };
}

/**
 * What an approver reads: JSON of the parameters, of what their names stand for, and of what would change, with each
 * text of several lines as a list of its lines.
 */
function subjectOf(
  { operation, request, resolved }: ResolvedOperation,
  actions: readonly string[],
  wouldChange: JsonValue | undefined,
): ApprovalSubject {
  const shown = Object.fromEntries(resolved.map(({ parameter, shown }) => [parameter, shown]));
  const statement = {
    ...(request as Readonly<Record<string, JsonValue>>),
    ...(resolved.length === 0 ? {} : { resolved: shown }),
    ...(wouldChange === undefined ? {} : { would_change: wouldChange }),
  };
  return {
    ...{ toolName: operation, dataSource: "", intent: actions.join(" "), queryTemplate: "" },
    statement: JSON.stringify(inLines(statement), null, 2),
    ...{ values: [], valuesLeftOut: 0, revision: 0 },
    ...(resolved.length === 0 ? {} : { resolved: resolved.map(withoutShown) }),
  };
}

function withoutShown({ shown: _shown, ...name }: ShownName): ResolvedName {
  return name;
}

/** Why an approval that is still open is of no use for this call; empty when there is none. */
function outdatedText(
  outdated: StoredApproval | undefined,
  resolved: readonly ResolvedName[],
): string {
  const moved = outdated && movedNames(outdated.subject.resolved ?? [], resolved);
  if (moved === undefined) return "";
  return `. Approval ${outdated?.approvalId ?? ""} does not cover this call, so that a new one is needed: ${moved}`;
}

function inLines(value: JsonValue): JsonValue {
  if (typeof value === "string") return value.includes("\n") ? value.split("\n") : value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(inLines);
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, inLines(each ?? null)]),
  );
}

/** As in "approver and data owner". */
function approversOf(rules: readonly ApprovalRule[]): string {
  return [...new Set(rules.map(({ role }) => role))].join(" and ");
}
