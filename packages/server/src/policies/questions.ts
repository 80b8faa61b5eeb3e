import { type Action, ACTIONS } from "../identity/index.js";
import {
  accessOf,
  INTENTS,
  type Intent,
  isIntent,
  kindsOfClass,
  recordedData,
  type TouchedData,
} from "../governance/index.js";
import type { Caller } from "@steward/kernel/caller.js";
import { type AppError, invalidField } from "@steward/kernel/errors.js";
import { nearMiss } from "../kernel/near-miss.js";
import type { Authorizer, Explained } from "./authorizer.js";
import { RECORD_ACTION } from "./remembering.js";

/** A question to the policies: may this caller do this? */
export interface Question {
  readonly roles: readonly string[];
  readonly permissions: readonly string[];
  readonly user?: string;
  readonly agent?: string;
  /** An action, the intent of a statement, or `memory:record`. */
  readonly action: string;
  /** Required for an intent. */
  readonly dataSource?: string;
  /** Tables of the statement. */
  readonly tables: readonly string[];
  /** Columns of the statement, as in `customers.email`. */
  readonly columns: readonly string[];
}

/** The part of the authorizer that answers questions. */
export type Answering = Pick<Authorizer, "explain" | "explainRecording">;

/** The answer of the policies in one word. */
export type Verdict = "permit" | "deny" | "approval";

/** An answer in one word. */
export function verdictOf({ permitted, refusal }: Explained): Verdict {
  if (permitted) return "permit";
  return refusal?.code === "APPROVAL_REQUIRED" ? "approval" : "deny";
}

/**
 * The answer of the policies of the caller's organization, with its reasons. @throws AppError
 * `INVALID_ARGUMENT`.
 */
export function answerOf(
  authorizer: Answering,
  caller: Caller,
  question: Question,
): Promise<Explained> {
  const { roles, permissions, user, agent, action, dataSource } = question;
  const asked: Caller = {
    ...{ orgId: caller.orgId, kind: agent === undefined ? "person" : "agent" },
    ...{ authenticatedBy: "apikey", roles, permissions },
    ...(user === undefined ? {} : { userId: user }),
    ...(agent === undefined ? {} : { agentId: agent }),
  };
  if (isAction(action)) return authorizer.explain(asked, action);
  const isRecording = action === RECORD_ACTION;
  if (!isRecording && !isIntent(action)) throw unknownAction(action);
  if (dataSource === undefined) {
    throw invalidField(
      "data_source",
      "must name a data source, as the action is about a statement",
    );
  }
  // A question about a memory entry treats its data as read.
  const intent = isRecording ? "read_select" : action;
  const touched = touchedBy(question, intent);
  return isRecording
    ? authorizer.explainRecording(asked, { dataSource, intent, touched: recordedData(touched) })
    : authorizer.explain(asked, { dataSource, intent, kinds: kindsOfClass(intent), touched });
}

/** The touched data of a statement with this intent on these tables and columns. */
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

function isAction(text: string): text is Action {
  return ACTIONS.some((action) => action === text);
}

function unknownAction(text: string): AppError {
  const names = [...ACTIONS, ...INTENTS, RECORD_ACTION];
  const near = nearMiss(text, names);
  const meant = near === undefined ? "" : ` (did you mean ${near}?)`;
  return invalidField("action", `${text} is no action${meant}: use one of ${names.join(", ")}`);
}
