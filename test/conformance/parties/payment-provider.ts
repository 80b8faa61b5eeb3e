import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A failure that the provider returns instead of its answer. */
export interface Fault {
  readonly status: number;
  readonly error: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A body outside of the provider's API. */
export interface OddAnswer {
  readonly status: number;
  readonly body: string;
}

/** A minimal payment provider: each customer has one card, derived from the customer's name. */
export class PaymentProvider implements AsyncDisposable {
  /** Method and path of each request. */
  readonly asked: string[] = [];
  readonly keys = new Set<string>();
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  readonly #faults: (Fault | OddAnswer)[] = [];
  readonly #intents = new Map<string, string>();
  #meanwhile: (() => Promise<void>) | undefined;
  readonly #detached = new Set<string>();
  readonly #named = new Map<string, string>();

  static async start(): Promise<PaymentProvider> {
    const provider = new PaymentProvider();
    provider.#server.listen(0, "127.0.0.1");
    await once(provider.#server, "listening");
    return provider;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Number of setup intents: one for each idempotency key. */
  get intents(): number {
    return this.#intents.size;
  }

  /** Makes a customer name an organization in its metadata. */
  name(customer: string, org: string): void {
    this.#named.set(customer, org);
  }

  /** Runs a function between the next request and its answer. */
  meanwhile(happens: () => Promise<void>): void {
    this.#meanwhile = happens;
  }

  /** Answers the next request like this; the SDK is told not to retry. */
  fail(fault: Fault | OddAnswer): void {
    this.#faults.push(fault);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "", this.url);
    this.asked.push(`${request.method} ${pathname}`);
    this.keys.add(request.headers.authorization ?? "");
    const form = new URLSearchParams(await text(request));
    const key = String(request.headers["idempotency-key"]);
    const happens = this.#meanwhile;
    this.#meanwhile = undefined;
    await happens?.();
    const fault = this.#faults.shift();
    const headers = { "content-type": "application/json", "stripe-should-retry": "false" };
    if (fault === undefined) {
      response.writeHead(200, headers).end(JSON.stringify(this.#resource(pathname, form, key)));
    } else if ("body" in fault) {
      response.writeHead(fault.status, headers).end(fault.body);
    } else {
      response.writeHead(fault.status, { ...headers, ...fault.headers });
      response.end(JSON.stringify({ error: fault.error }));
    }
  }

  #resource(pathname: string, form: URLSearchParams, key: string): object {
    const [, , kind, id = "", part] = pathname.split("/");
    if (kind === "setup_intents") {
      const customer = form.get("customer");
      const intent = this.#intents.get(key) ?? `seti_${this.#intents.size + 1}`;
      this.#intents.set(key, intent);
      return { id: intent, object: "setup_intent", client_secret: `${intent}_secret_2`, customer };
    }
    if (kind === "customers" && part === undefined) {
      const name = id === "" ? "cus_made" : id;
      const organization = this.#named.get(id) ?? form.get("metadata[steward_org_id]");
      const metadata = organization === null ? {} : { steward_org_id: organization };
      return { id: name, object: "customer", metadata };
    }
    if (kind === "customers") {
      const methods = [card(`pm_of_${id}`, id)].filter((each) => !this.#detached.has(each.id));
      return { object: "list", data: methods, has_more: false, url: pathname };
    }
    if (part === "detach") this.#detached.add(id);
    return card(id, part === "detach" ? null : id.replace("pm_of_", ""));
  }
}

function card(id: string, customer: string | null) {
  return {
    id,
    object: "payment_method",
    type: "card",
    card: { brand: "visa", last4: "4242", exp_month: 12, exp_year: 2030 },
    created: 1_700_000_000,
    customer,
  };
}
