import { setImmediate } from "node:timers/promises";
import type { Caller } from "@steward/kernel/caller.js";
import type { Clock } from "@steward/kernel/clock.js";
import { AppError } from "@steward/kernel/errors.js";
import type { Explained } from "./authorizer.js";
import type { OrganizationPolicySource } from "./organization-policies.js";
import { type Answering, answerOf, type Question, type Verdict, verdictOf } from "./questions.js";
import type { OrganizationPolicies, PolicyChecker, PolicyProblem, PolicyStore } from "./ports.js";

/** What the room is made of. */
export interface PolicyServiceParts {
  readonly store: PolicyStore;
  readonly checker: PolicyChecker;
  readonly source: Pick<OrganizationPolicySource, "changed">;
  readonly authorizer: Answering;
  /** Decides by the shipped policies and a text that was checked. */
  readonly authorizerOfDraft: (text: string) => Answering;
  readonly clock: Clock;
  /** The shipped policies, as text. */
  readonly shipped: string;
}

/** The policies that count for an organization. */
export interface ShownPolicies {
  readonly shipped: string;
  /** Absent: the organization has put none. */
  readonly own?: OrganizationPolicies;
}

/** A question with the answer that it must have. */
export interface PolicyCase {
  readonly question: Question;
  readonly expect: Verdict;
}

/** How a case came out. */
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

  /** What is wrong with a text; empty when it may be put. @throws AppError `OVERLOADED`. */
  check(text: string): Promise<readonly PolicyProblem[]> {
    return this.#parts.checker.check(text);
  }

  /**
   * Puts a version in force, on every node within a second.
   * @param present the version that the caller has seen; 0 when there was none.
   * @throws AppError `INVALID_ARGUMENT` with each problem's place; `STATE_CONFLICT` when there is a newer version.
   */
  async put(caller: Caller, text: string, present: number): Promise<OrganizationPolicies> {
    const { store, source, clock } = this.#parts;
    refuseProblems(await this.check(text));
    const { orgId, userId, agentId, keyId } = caller;
    const policies: OrganizationPolicies = {
      ...{ orgId, text, version: present + 1 },
      changedBy: userId ?? agentId ?? keyId ?? "",
      changedAtMs: clock.nowMs(),
    };
    if (!(await store.put(policies))) {
      throw new AppError(
        "STATE_CONFLICT",
        `version: ${String(present)} is not the version in force; read the policies again, and apply your changes to them`,
      );
    }
    source.changed(orgId);
    return policies;
  }

  /** What the policies in force say to a question, and why. @throws AppError `INVALID_ARGUMENT`. */
  explain(caller: Caller, question: Question): Promise<Explained> {
    return answerOf(this.#parts.authorizer, caller, question);
  }

  /**
   * Tries cases, in their order.
   * @param draft An organization's own policies instead of those in force; nothing of them is kept.
   * @throws AppError `INVALID_ARGUMENT` with each mistake of the draft, or for a question that cannot be asked.
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
      // A question that is denied takes a millisecond: others have their turn in between.
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

/** A question that cannot be asked, with the place of its case. */
function ofCase(error: unknown, index: number): unknown {
  if (!(error instanceof AppError) || error.code !== "INVALID_ARGUMENT") return error;
  const place = `cases[${String(index)}]`;
  const details = error.details.map(({ field, reason }) => ({
    field: `${place}.${field}`,
    reason,
  }));
  return new AppError(error.code, `${place}.${error.message}`, { details, cause: error });
}
