/** The part of an answer that the test checks. */
export interface Answer {
  /** HTTP status; for a failed step, that of its error. */
  readonly status: number;
  /** `error` of the body, or the message of the failed step; empty on success. */
  readonly error: string;
  readonly code: string;
}

interface ErrorBody {
  readonly error?: string;
  readonly code?: string;
  readonly data?: unknown;
}

interface ExecutionBody extends ErrorBody {
  readonly data?: {
    readonly step_result: {
      readonly attempt: number;
      readonly error?: { readonly code: string; readonly message: string };
    };
  };
}

/** A client of one organization that sends requests over REST. */
export class Attacker {
  readonly url: string;
  readonly #orgId: string;

  constructor(url: string, orgId: string) {
    this.url = url;
    this.#orgId = orgId;
  }

  /** Sends a request. @param body sent as JSON. */
  async send(method: string, path: string, body?: unknown): Promise<Answer & { data?: unknown }> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        "x-org-id": this.#orgId,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.includes("json") === true;
    const { error = "", code = "", data } = (isJson ? JSON.parse(text) : {}) as ErrorBody;
    return { status: response.status, error, code, data };
  }

  /** Submits and runs a plan of one step. @returns its result, and the number of attempts. */
  async run(sql: string): Promise<Answer & { readonly attempts: number }> {
    const steps = [{ id: "a", tool_name: "sql", query_template: sql }];
    const submitted = await this.send("POST", "/api/plans", { steps });
    if (submitted.status !== 201) return { ...submitted, attempts: 0 };
    const { plan_id } = submitted.data as { plan_id: string };
    const executed = await this.send("POST", `/api/plans/${plan_id}/steps/a/execute`);
    const result = (executed as ExecutionBody).data?.step_result;
    const failure = result?.error;
    return {
      status: executed.status,
      error: failure?.message ?? executed.error,
      code: failure?.code ?? executed.code,
      attempts: result?.attempt ?? 0,
    };
  }

  /** Imports a document into a branch of the state. */
  importState(branch: string, content: string, more: object = {}): Promise<Answer> {
    const order = { branch, format: "n-quads", content, message: "m", ...more };
    return this.send("POST", "/api/state/import", order);
  }
}
