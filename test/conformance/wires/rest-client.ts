import {
  Refusal,
  type Client,
  type EventView,
  type Execution,
  type ForkInput,
  type Identity,
  type ListQuery,
  type Page,
  type PageInput,
  type PlanCheck,
  type PlanInput,
  type PlanView,
  type Revised,
  type StepChanges,
  type StepsInput,
  type Submitted,
} from "../client.js";
import type { Catalog } from "../catalog.js";
import { BillingCalls } from "./billing-calls.js";
import { MemoryCalls } from "./memory-calls.js";
import { overRest } from "./operation-calls.js";

/** How long a call may take, in ms. */
const CALL_MS_MAX = 120_000;

/** A typical REST client: fetch. */
export class RestClient implements Client {
  readonly wire = "rest";
  readonly billing: BillingCalls;
  readonly memory: MemoryCalls;
  readonly catalog: Catalog;
  readonly #url: string;
  readonly #identity: Identity;

  constructor(url: string, identity: Identity) {
    this.#url = url;
    this.#identity = identity;
    const ask = overRest((method, path, body) => this.#data(method, path, body));
    this.billing = new BillingCalls(ask, (events) => {
      const batch = events.map((event) => ({ specversion: "1.0", type: "tool-call", ...event }));
      return this.#data("POST", "/billing/events", batch);
    });
    this.memory = new MemoryCalls(ask);
    this.catalog = {
      list: () => this.#data("GET", "/api/catalog"),
      search: (query) => this.#data("POST", "/api/catalog/search", { query }),
      describe: (table, budget) =>
        this.#data("POST", "/api/catalog/describe", { table, token_budget: budget }),
    };
  }

  as(identity: Identity): Client {
    return new RestClient(this.#url, { ...this.#identity, ...identity });
  }

  submit(plan: PlanInput, idempotencyKey?: string): Promise<Submitted> {
    return this.#data("POST", "/api/plans", plan, keyHeader(idempotencyKey));
  }

  getPlan(planId: string): Promise<PlanView> {
    return this.#data("GET", `/api/plans/${planId}`);
  }

  async execute(planId: string, stepId: string, page: PageInput = {}): Promise<Execution> {
    const query = new URLSearchParams(
      Object.entries(page).map(([name, value]): [string, string] => [name, String(value)]),
    );
    const path = `/api/plans/${planId}/steps/${stepId}/execute?${query.toString()}`;
    const response = await this.#fetch("POST", path);
    const status = String(response.status);
    if (!response.ok) {
      const { code, error } = (await response.json()) as ErrorBody;
      return { success: false, status, error_code: code, error_message: error, replayed: false };
    }
    const { data } = (await response.json()) as { data: ExecutionData };
    const { step_result, llm_context_update, replayed } = data;
    return {
      success: step_result.status === "completed",
      status,
      step_result,
      llm_context_update,
      error_code: step_result.error?.code ?? "",
      error_message: step_result.error?.message ?? "",
      replayed,
    };
  }

  cancel(planId: string): Promise<Submitted> {
    return this.#data("DELETE", `/api/plans/${planId}`);
  }

  retry(planId: string): Promise<Submitted> {
    return this.#data("POST", `/api/plans/${planId}/retry`);
  }

  finish(planId: string): Promise<Submitted> {
    return this.#data("POST", `/api/plans/${planId}/finish`);
  }

  check(plan: PlanInput): Promise<PlanCheck> {
    return this.#data("POST", "/api/plans?dry_run=true", plan);
  }

  append(planId: string, steps: StepsInput, idempotencyKey?: string): Promise<Revised> {
    return this.#data("POST", `/api/plans/${planId}/steps`, steps, keyHeader(idempotencyKey));
  }

  revise(
    planId: string,
    stepId: string,
    changes: StepChanges,
    idempotencyKey?: string,
  ): Promise<Revised> {
    const path = `/api/plans/${planId}/steps/${stepId}`;
    return this.#data("PATCH", path, changes, keyHeader(idempotencyKey));
  }

  fork(planId: string, fork: ForkInput, idempotencyKey?: string): Promise<Revised> {
    return this.#data("POST", `/api/plans/${planId}/fork`, fork, keyHeader(idempotencyKey));
  }

  list(query: ListQuery): Promise<Page> {
    const entries = Object.entries(query).map(([name, value]): [string, string] => [
      name,
      String(value),
    ]);
    return this.#data("GET", `/api/plans?${new URLSearchParams(entries).toString()}`);
  }

  async *events(planId: string, afterSequence?: number): AsyncGenerator<EventView, void> {
    const resume: Identity =
      afterSequence === undefined ? {} : { "last-event-id": String(afterSequence) };
    const response = await this.#fetch("GET", `/api/plans/${planId}/events`, undefined, resume);
    if (!response.ok) throw await refusalOf(response);
    let text = "";
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        const data = /^data: ?(.*)$/m.exec(block)?.[1];
        if (data !== undefined) yield JSON.parse(data) as EventView;
      }
    }
  }

  async #data<Data>(method: string, path: string, body?: object, extra?: Identity): Promise<Data> {
    const response = await this.#fetch(method, path, body, extra);
    if (!response.ok) throw await refusalOf(response);
    const { data } = (await response.json()) as { data: Data };
    return data;
  }

  #fetch(method: string, path: string, body?: object, extra: Identity = {}): Promise<Response> {
    return fetch(this.#url + path, {
      method,
      headers: {
        ...this.#identity,
        ...extra,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      signal: AbortSignal.timeout(CALL_MS_MAX),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }
}

function keyHeader(idempotencyKey: string | undefined): Identity {
  return idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey };
}

type ExecutionData = Required<Pick<Execution, "step_result" | "llm_context_update" | "replayed">>;

interface ErrorBody {
  readonly error: string;
  readonly code: string;
  readonly details?: Refusal["details"];
}

async function refusalOf(response: Response): Promise<Refusal> {
  const { error, code, details = [] } = (await response.json()) as ErrorBody;
  const retryAfterS = Number(response.headers.get("retry-after"));
  return new Refusal({
    status: String(response.status),
    code,
    message: error,
    details,
    retryAfterS,
  });
}
