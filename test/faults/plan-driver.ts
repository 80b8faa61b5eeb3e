import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";

/** The address of a server; with several servers, one for each request. */
export type Address = string | (() => string);

/** Results acknowledged to a client, which must stay true. */
export interface Acknowledged {
  readonly planId: string;
  /** `tool_output_json` of every answered step, by step id. */
  readonly outputs: ReadonlyMap<string, string>;
  /** Steps that failed before they were revised. */
  readonly failures: number;
  /** Ids of the steps that ran in this plan; a fork takes the results of the others over. */
  readonly ran: readonly string[];
  /**
   * The acknowledged changes of the plan, in order: the type of the event, and the step or, for a fork, the plan that
   * was forked.
   */
  readonly changes: readonly string[];
}

/** The answer to executing a step. */
export interface StepResultAnswer {
  readonly data: {
    readonly step_result: {
      readonly status: string;
      readonly error?: { readonly message: string };
    };
    readonly llm_context_update: { readonly tool_output_json: string };
  };
}

/** Steps of every driven plan: reads and writes that depend on each other. */
export const STEPS: readonly { readonly id: string; readonly write: boolean }[] = [
  { id: "count", write: false },
  { id: "insert", write: true },
  { id: "read", write: false },
  { id: "update", write: true },
  { id: "total", write: false },
];

/** What a plan has that is driven as it was submitted. */
export const UNCHANGED: Pick<Acknowledged, "failures" | "ran" | "changes"> = {
  failures: 0,
  ran: STEPS.map(({ id }) => id),
  changes: [],
};

/** How long a client retries before it gives up on a server that should be running, in ms. */
const PATIENCE_MS = 120_000;

/**
 * A client that drives one plan to its end through all failures of the server: it repeats every
 * request until it is answered, and records the answers.
 * @param onFailure called with the error of a failed step, which is then retried; without it, no
 * step may fail.
 */
export async function drivePlan(
  url: Address,
  onFailure?: (message: string) => void,
): Promise<Acknowledged> {
  const planId = await submit(url);
  const outputs = new Map<string, string>();
  for (const { id } of STEPS) outputs.set(id, await execute(url, planId, id, onFailure));
  return { planId, outputs, ...UNCHANGED };
}

/** Executes a step that has to fail, until it has. */
export async function executeFailing(url: Address, planId: string, stepId: string): Promise<void> {
  const answer = await insist(url, `/api/plans/${planId}/steps/${stepId}/execute`);
  const { status } = (answer as StepResultAnswer).data.step_result;
  if (status !== "failed") throw new Error(`step ${stepId} of ${planId} is ${status}`);
}

/** Executes a step until there is a result. */
export async function execute(
  url: Address,
  planId: string,
  stepId: string,
  onFailure?: (message: string) => void,
): Promise<string> {
  for (;;) {
    const answer = await insist(url, `/api/plans/${planId}/steps/${stepId}/execute`);
    const { data } = answer as StepResultAnswer;
    const { status, error } = data.step_result;
    if (status === "completed") return data.llm_context_update.tool_output_json;
    if (onFailure === undefined || error === undefined) {
      throw new Error(`step ${stepId} of ${planId}: ${JSON.stringify(data.step_result)}`);
    }
    onFailure(error.message);
    await insist(url, `/api/plans/${planId}/retry`);
  }
}

async function submit(url: Address): Promise<string> {
  const key = randomUUID();
  const answer = await insist(url, "/api/plans", planBody(key), { "idempotency-key": key });
  return (answer as { data: { plan_id: string } }).data.plan_id;
}

/**
 * Repeats a request until it is answered, as long as a retry can help. @returns the answer's body.
 * @throws Error when it is refused permanently.
 */
export async function insist(
  url: Address,
  path: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
  method: "GET" | "POST" | "PATCH" | "PUT" = "POST",
): Promise<unknown> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  for (;;) {
    const response = await fetch((typeof url === "string" ? url : url()) + path, {
      method,
      headers: {
        ...headers,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
      .then(async (answered) => ({ status: answered.status, text: await answered.text() }))
      .catch(() => undefined);
    if (response !== undefined && response.status < 300) return JSON.parse(response.text);
    const worthRepeating = response === undefined || response.status === 503;
    if (!worthRepeating || performance.now() > giveUpAt) {
      throw new Error(`${path}: ${response === undefined ? "no answer" : response.text}`);
    }
    await delay(20);
  }
}

/** The plan that clients drive. */
export function planBody(tag: string) {
  const step = (id: string, intent: string, query: string, depends_on: readonly string[]) => ({
    id,
    name: id,
    tool_name: "sql",
    intent,
    query_template: query,
    depends_on,
    schema_table_hints: ["ledger"],
  });
  return {
    session_id: "faults",
    name: "a plan under fire",
    description: "",
    steps: [
      step("count", "read_select", "SELECT count(*) AS n FROM ledger", []),
      step(
        "insert",
        "write_insert",
        `INSERT INTO ledger (tag, seen, hits) VALUES ('${tag}', {{step.count.output[0].n}}, 0) RETURNING id, tag`,
        ["count"],
      ),
      step(
        "read",
        "read_select",
        "SELECT id, tag FROM ledger WHERE id = {{step.insert.output[0].id}}",
        ["insert"],
      ),
      step(
        "update",
        "write_update",
        "UPDATE ledger SET hits = hits + 1 WHERE tag = {{step.read.output[0].tag}}",
        ["read"],
      ),
      step("total", "read_select", `SELECT hits FROM ledger WHERE tag = '${tag}'`, ["update"]),
    ],
  };
}
