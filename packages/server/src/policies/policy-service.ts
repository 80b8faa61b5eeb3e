import { setImmediate } from "node:timers/promises";
import type { Caller } from "@steward/kernel/caller.js";
import type { Clock } from "@steward/kernel/clock.js";
import type { OperationCaller } from "../kernel/recorded-operation.js";
import { AppError } from "@steward/kernel/errors.js";
import type { Explained } from "./authorizer.js";
import type { OrganizationPolicySource } from "./organization-policies.js";
import { type Answering, answerOf, type Question, type Verdict, verdictOf } from "./questions.js";
import type { OrganizationPolicies, PolicyChecker, PolicyProblem, PolicyStore } from "./ports.js";

/** Dependencies of the service. */
export interface PolicyServiceParts {
  readonly store: PolicyStore;
  readonly checker: PolicyChecker;
  readonly source: Pick<OrganizationPolicySource, "changed">;
  readonly authorizer: Answering;
  /** Decides by the shipped policies and a checked draft. */
  readonly authorizerOfDraft: (text: string) => Answering;
  readonly clock: Clock;
  /** The shipped policies, as text. */
  readonly shipped: string;
}

/** The policies in force for an organization. */
export interface ShownPolicies {
  readonly shipped: string;
  /** Absent: the organization has no policies of its own. */
  readonly own?: OrganizationPolicies;
}

/** A question with its expected answer. */
export interface PolicyCase {
  readonly question: Question;
  readonly expect: Verdict;
}

export interface CaseResult {
  readonly passed: boolean;
  readonly answer: Explained;
}

/** Shows, checks, changes and explains the policies of the caller's organization. */
export class PolicyService {
  readonly #parts: PolicyServiceParts;

  constructor(parts: PolicyServiceParts) {
    this.#parts = parts;
  }

  /** @throws AppError `STORE_UNAVAILABLE`. */
  async show({ orgId }: Caller): Promise<ShownPolicies> {
    const { store, shipped } = this.#parts;
    const own = await store.latest(orgId);
    return { shipped, ...(own && { own }) };
  }

  /** The problems of a text; empty when it can be put into force. @throws AppError `OVERLOADED`. */
  check(text: string): Promise<readonly PolicyProblem[]> {
    return this.#parts.checker.check(text);
  }

  /**
   * Puts a version into force, on every node within a second.
   * @param present the version that the caller has read; 0 when there was none.
   * @throws AppError `INVALID_ARGUMENT` with each problem's position; `STATE_CONFLICT` when there
   * is a newer version.
   */
  async put(caller: OperationCaller, text: string, present: number): Promise<OrganizationPolicies> {
    const { store, source, clock } = this.#parts;
    refuseProblems(await this.check(text));
    const { orgId, userId, agentId, keyId, operation } = caller;
    const policies: OrganizationPolicies = {
      ...{ orgId, text, version: present + 1 },
      changedBy: userId ?? agentId ?? keyId ?? "",
      changedAtMs: clock.nowMs(),
    };
    operation?.tell({ detail: { version: policies.version } });
    if (!(await store.put(policies, operation))) {
      throw new AppError(
        "STATE_CONFLICT",
        `version: another version than ${String(present)} is in force; read the policies again, and apply your changes to them`,
      );
    }
    source.changed(orgId);
    return policies;
  }

  /**
   * The answer of the policies in force to a question, with its reasons. @throws AppError
   * `INVALID_ARGUMENT`.
   */
  explain(caller: Caller, question: Question): Promise<Explained> {
    return answerOf(this.#parts.authorizer, caller, question);
  }

  /**
   * Tests cases, in their order.
   * @param draft An organization's own policies to use instead of those in force; they are not
   * stored.
   * @throws AppError `INVALID_ARGUMENT` with each mistake of the draft, or for an invalid question.
   */
  async test(
    caller: Caller,
    cases: readonly PolicyCase[],
    draft?: string,
  ): Promise<readonly CaseResult[]> {
    if (draft !== undefined) refuseProblems(await this.check(draft));
    const { authorizer, authorizerOfDraft } = this.#parts;
    const asked = draft === undefined ? authorizer : authorizerOfDraft(draft);
    const results: CaseResult[] = [];
    for (const [index, { question, expect }] of cases.entries()) {
      // A denied question takes a millisecond, so the event loop gets a turn in between.
      await setImmediate();
      try {
        const answer = await answerOf(asked, caller, question);
        results.push({ passed: verdictOf(answer) === expect, answer });
      } catch (error) {
        throw ofCase(error, index);
      }
    }
    return results;
  }
}

function refuseProblems(problems: readonly PolicyProblem[]): void {
  const [first] = problems;
  if (first === undefined) return;
  const details = problems.map(({ line, column, message }) => ({
    field: `text:${String(line)}:${String(column)}`,
    reason: message,
  }));
  throw new AppError(
    "INVALID_ARGUMENT",
    `text: line ${String(first.line)}, column ${String(first.column)}: ${first.message}`,
    { details },
  );
}

/** Adds the position of a test case to the error about its question. */
function ofCase(error: unknown, index: number): unknown {
  if (!(error instanceof AppError) || error.code !== "INVALID_ARGUMENT") return error;
  const place = `cases[${String(index)}]`;
  const details = error.details.map(({ field, reason }) => ({
    field: `${place}.${field}`,
    reason,
  }));
  return new AppError(error.code, `${place}.${error.message}`, { details, cause: error });
}
