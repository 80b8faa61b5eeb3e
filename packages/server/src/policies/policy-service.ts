import { type Action, ACTIONS } from "../identity/index.js";
import {
  accessOf,
  INTENTS,
  type Intent,
  recordedData,
  type TouchedData,
} from "../governance/index.js";
import type { Caller } from "../kernel/caller.js";
import type { Clock } from "../kernel/clock.js";
import { AppError, invalidField } from "../kernel/errors.js";
import { nearMiss } from "../kernel/near-miss.js";
import type { Authorizer, Explained } from "./authorizer.js";
import type { OrganizationPolicySource } from "./organization-policies.js";
import { RECORD_ACTION } from "./remembering.js";
import type { OrganizationPolicies, PolicyChecker, PolicyProblem, PolicyStore } from "./ports.js";

/** What the room is made of. */
export interface PolicyServiceParts {
  readonly store: PolicyStore;
  readonly checker: PolicyChecker;
  readonly source: Pick<OrganizationPolicySource, "changed">;
  readonly authorizer: Pick<Authorizer, "explain" | "explainRecording">;
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

/** A question to the policies: may somebody do this? */
export interface Question {
  readonly roles: readonly string[];
  readonly permissions: readonly string[];
  readonly user?: string;
  readonly agent?: string;
  /** An action, or the intent of a statement. */
  readonly action: string;
  /** Needed for an intent. */
  readonly dataSource?: string;
  /** Tables that the statement is about. */
  readonly tables: readonly string[];
  /** Columns that the statement is about, as in `customers.email`. */
  readonly columns: readonly string[];
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
        `version: ${String(present)} is not the version in force; read the policies again, and put yours on top of them`,
      );
    }
    source.changed(orgId);
    return policies;
  }

  /** What the policies in force say to a question, and why. @throws AppError `INVALID_ARGUMENT`. */
  explain(caller: Caller, question: Question): Promise<Explained> {
    const { roles, permissions, user, agent, action, dataSource } = question;
    const asked: Caller = {
      ...{ orgId: caller.orgId, kind: agent === undefined ? "person" : "agent" },
      ...{ authenticatedBy: "apikey", roles, permissions },
      ...(user === undefined ? {} : { userId: user }),
      ...(agent === undefined ? {} : { agentId: agent }),
    };
    const { authorizer } = this.#parts;
    if (isAction(action)) return authorizer.explain(asked, action);
    const isRecording = action === RECORD_ACTION;
    if (!isRecording && !isIntent(action)) throw unknownAction(action);
    if (dataSource === undefined) {
      throw invalidField(
        "data_source",
        "must name a data source, as the action is about a statement",
      );
    }
    // What is remembered is asked about as of a read.
    const intent = isRecording ? "read_select" : action;
    const touched = touchedBy(question, intent);
    return isRecording
      ? authorizer.explainRecording(asked, { dataSource, intent, touched: recordedData(touched) })
      : authorizer.explain(asked, { dataSource, intent, touched });
  }
}

/** What a statement touches that does to these tables and columns what its intent says. */
function touchedBy({ tables, columns }: Question, intent: Intent): TouchedData {
  const byTable = new Map(tables.map((table) => [table.toLowerCase(), new Set<string>()]));
  for (const column of columns.map((name) => name.toLowerCase())) {
    const at = column.lastIndexOf(".");
    if (at <= 0)
      throw invalidField(
        "columns",
        `${column} must be a table and a column, as in customers.email`,
      );
    const table = column.slice(0, at);
    byTable.set(table, (byTable.get(table) ?? new Set()).add(column.slice(at + 1)));
  }
  const access = accessOf(intent);
  return {
    tables: [...byTable].map(([name, named]) => {
      return { name, accesses: { [access]: [...named] }, columns: [...named] };
    }),
    functions: [],
  };
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

function isIntent(text: string): text is Intent {
  return INTENTS.some((intent) => intent === text);
}

function isAction(text: string): text is Action {
  return ACTIONS.some((action) => action === text);
}

function unknownAction(text: string): AppError {
  const names = [...ACTIONS, ...INTENTS, RECORD_ACTION];
  const near = nearMiss(text, names);
  const meant = near === undefined ? "" : ` (did you mean ${near}?)`;
  return invalidField("action", `${text} is no action${meant}: use one of ${names.join(", ")}`);
}
