import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { ApiDescription } from "./api-description.js";

/** The key that the server takes. */
export const GOOD_KEY = "sk_test_4eC39HqLyjWDarjtT1zdp7dc";

/** A fault of one request. */
export type Fault =
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly error: object;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly kind: "silence" }
  | { readonly kind: "hang up" }
  | { readonly kind: "garbage" };

/** A request as it arrived. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly idempotencyKey: string | undefined;
}

interface Answer {
  readonly status: number;
  readonly body: object;
}

/**
 * A server with the used parts of Stripe's API. It stores customers, payment methods and the
 * answers to idempotent requests. Given a description of the API, it checks every exchange against
 * it.
 */
export class StripeServer implements AsyncDisposable {
  readonly seen: SeenRequest[] = [];
  readonly violations: string[] = [];
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  readonly #description: ApiDescription | undefined;
  /** The metadata of each customer. */
  readonly #customers = new Map<string, Readonly<Record<string, string>>>();
  readonly #methods = new Map<string, Record<string, unknown>>();
  readonly #answered = new Map<string, { readonly request: string; readonly answer: Answer }>();
  readonly #faults: Fault[] = [];
  #intents = 0;

  private constructor(description: ApiDescription | undefined) {
    this.#description = description;
  }

  static async start(description?: ApiDescription): Promise<StripeServer> {
    const server = new StripeServer(description);
    server.#server.listen(0, "127.0.0.1");
    await once(server.#server, "listening");
    return server;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${String(port)}`;
  }

  addCustomer(id: string, metadata: Readonly<Record<string, string>> = {}): void {
    this.#customers.set(id, metadata);
  }

  addCard(id: string, customer: string | null, created = 1_700_000_000): void {
    this.#methods.set(id, { ...METHOD, id, customer, created, type: "card", card: CARD });
  }

  addBankAccount(id: string, customer: string): void {
    const sepa_debit = {
      bank_code: "37040044",
      branch_code: "",
      country: "DE",
      fingerprint: "f",
      generated_from: null,
      last4: "3000",
    };
    this.#methods.set(id, { ...METHOD, id, customer, type: "sepa_debit", sepa_debit });
  }

  /** Makes the next requests fail, with one fault each. */
  fail(...faults: readonly Fault[]): void {
    this.#faults.push(...faults);
  }

  /** Forgets the faults that no request has met. */
  clearFaults(): void {
    this.#faults.length = 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "", this.url);
    const method = request.method ?? "";
    const sent = method === "GET" ? url.searchParams : new URLSearchParams(await text(request));
    const key = request.headers["idempotency-key"];
    const seen: SeenRequest = {
      method,
      path: url.pathname,
      parameters: Object.fromEntries(sent),
      idempotencyKey: typeof key === "string" ? key : undefined,
    };
    this.seen.push(seen);
    const fault = this.#faults.shift();
    switch (fault?.kind) {
      case "silence":
        return;
      case "hang up":
        request.socket.destroy();
        return;
      case "garbage":
        response.writeHead(200, { "content-type": "application/json" }).end("<html>");
        return;
      case "answer":
        this.#send(
          response,
          seen,
          { status: fault.status, body: { error: fault.error } },
          fault.headers,
        );
        return;
      case undefined:
        this.#send(response, seen, this.#answerOnce(seen, request.headers.authorization ?? ""));
    }
  }

  #send(
    response: ServerResponse,
    seen: SeenRequest,
    { status, body }: Answer,
    headers: Readonly<Record<string, string>> = {},
  ): void {
    this.violations.push(...(this.#description?.violations({ ...seen, status, body }) ?? []));
    response.writeHead(status, {
      "content-type": "application/json",
      "request-id": "req_test",
      ...headers,
    });
    response.end(JSON.stringify(body));
  }

  #answerOnce(seen: SeenRequest, authorization: string): Answer {
    if (authorization !== `Bearer ${GOOD_KEY}`) {
      const shown = authorization.replace("Bearer ", "");
      return refusal(401, { message: `Invalid API Key provided: ${shown}` });
    }
    const request = JSON.stringify([seen.method, seen.path, seen.parameters]);
    const earlier = this.#answered.get(seen.idempotencyKey ?? "");
    if (earlier !== undefined && earlier.request !== request) {
      const message = "Keys for idempotent requests can only be used with the same parameters.";
      return { status: 400, body: { error: { type: "idempotency_error", message } } };
    }
    const answer = earlier?.answer ?? this.#answer(seen);
    if (seen.idempotencyKey !== undefined)
      this.#answered.set(seen.idempotencyKey, { request, answer });
    return answer;
  }

  #answer({ method, path, parameters }: SeenRequest): Answer {
    const [, , resource = "", id = "", verb = ""] = path.split("/");
    if (method === "POST" && path === "/v1/setup_intents") {
      return this.#createIntent(parameters["customer"] ?? "");
    }
    if (method === "POST" && path === "/v1/checkout/sessions") return this.#createPage(parameters);
    if (method === "GET" && resource === "customers" && verb === "payment_methods") {
      return this.#list(id, path, parameters);
    }
    if (resource === "customers") return this.#customer(id, parameters);
    const found = this.#methods.get(id);
    if (found === undefined) return missing("payment_method", `No such PaymentMethod: '${id}'`);
    if (method === "POST" && verb === "detach") found["customer"] = null;
    return { status: 200, body: found };
  }

  /** @param id empty: of a customer that is to be made. */
  #customer(id: string, parameters: Readonly<Record<string, string>>): Answer {
    const name = id === "" ? `cus_new${String(this.#customers.size)}` : id;
    if (id === "") {
      const organization = parameters["metadata[steward_org_id]"] ?? "";
      this.addCustomer(name, { steward_org_id: organization });
    }
    const metadata = this.#customers.get(name);
    if (metadata === undefined) return missing("id", `No such customer: '${id}'`);
    return { status: 200, body: { ...CUSTOMER, id: name, metadata } };
  }

  #createIntent(customer: string): Answer {
    if (!this.#customers.has(customer))
      return missing("customer", `No such customer: '${customer}'`);
    this.#intents += 1;
    const id = `seti_${String(this.#intents)}`;
    return {
      status: 200,
      body: { ...INTENT, id, customer, client_secret: `${id}_secret_${String(this.#intents)}` },
    };
  }

  /** A page of Checkout. Here it is an address that leads back at once. */
  #createPage({ customer = "", success_url: back = "" }: SeenRequest["parameters"]): Answer {
    if (!this.#customers.has(customer))
      return missing("customer", `No such customer: '${customer}'`);
    this.#intents += 1;
    const id = `cs_test_${String(this.#intents)}`;
    const url = `${this.url}/c/pay/${id}?back=${encodeURIComponent(back)}`;
    return { status: 200, body: { object: "checkout.session", id, mode: "setup", customer, url } };
  }

  #list(customer: string, url: string, parameters: Readonly<Record<string, string>>): Answer {
    if (!this.#customers.has(customer))
      return missing("customer", `No such customer: '${customer}'`);
    const all = [...this.#methods.values()]
      .filter((method) => method["customer"] === customer)
      .sort((a, b) => Number(b["created"]) - Number(a["created"]));
    const after = all.findIndex((method) => method["id"] === parameters["starting_after"]);
    const rest = all.slice(after + 1);
    const limit = Number(parameters["limit"] ?? 10);
    const data = rest.slice(0, limit);
    return {
      status: 200,
      body: { object: "list", url, data, has_more: rest.length > data.length },
    };
  }
}

function missing(param: string, message: string): Answer {
  return refusal(404, { code: "resource_missing", param, message });
}

function refusal(status: number, error: object): Answer {
  return { status, body: { error: { type: "invalid_request_error", ...error } } };
}

const CARD = {
  brand: "visa",
  checks: null,
  country: "US",
  display_brand: "visa",
  exp_month: 8,
  exp_year: 2030,
  funding: "credit",
  generated_from: null,
  last4: "4242",
  networks: null,
  three_d_secure_usage: null,
  wallet: null,
};

const CUSTOMER = {
  object: "customer",
  address: null,
  balance: 0,
  created: 1_700_000_000,
  default_source: null,
  delinquent: false,
  description: null,
  email: null,
  invoice_prefix: "0759376C",
  invoice_settings: {
    custom_fields: null,
    default_payment_method: null,
    footer: null,
    rendering_options: null,
  },
  livemode: false,
  name: null,
  phone: null,
  preferred_locales: [],
  shipping: null,
};

const METHOD = {
  object: "payment_method",
  billing_details: { address: null, email: null, name: null, phone: null },
  created: 1_700_000_000,
  livemode: false,
  metadata: {},
};

const INTENT = {
  object: "setup_intent",
  application: null,
  automatic_payment_methods: null,
  cancellation_reason: null,
  created: 1_700_000_000,
  description: null,
  flow_directions: null,
  last_setup_error: null,
  latest_attempt: null,
  livemode: false,
  mandate: null,
  metadata: {},
  next_action: null,
  on_behalf_of: null,
  payment_method: null,
  payment_method_options: {},
  payment_method_types: ["card"],
  single_use_mandate: null,
  status: "requires_payment_method",
  usage: "off_session",
};
