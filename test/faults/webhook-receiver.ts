import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { expect, vi } from "vitest";
import type { StoreView } from "./store-view.js";

/** How long deliveries may take after the last kill, in ms: a lease, and the pauses between attempts. */
const CATCH_UP_MS = 120_000;
const SECRET = `whsec_${Buffer.alloc(32, "s").toString("base64")}`;

/** A receiver of webhooks, which answers every fifth message with an error. */
export class WebhookReceiver implements AsyncDisposable {
  /** Ids of the accepted messages. */
  readonly #accepted = new Set<string>();
  #requests = 0;
  readonly #server = createServer((request, answer) => {
    this.#requests += 1;
    const isAccepted = this.#requests % 5 !== 0;
    if (isAccepted) this.#accepted.add(String(request.headers["webhook-id"]));
    request.resume().on("end", () => answer.writeHead(isAccepted ? 204 : 500).end());
  });

  /** @param toolsFile the tools file to write, which names this receiver. */
  static async listen(toolsFile: string): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    await new Promise<void>((resolve) => receiver.#server.listen(0, "127.0.0.1", resolve));
    const address = receiver.#server.address();
    if (address === null || typeof address === "string") throw new Error("it does not listen");
    const url = `http://127.0.0.1:${String(address.port)}/`;
    const webhook = { name: "ops", url, secrets: [SECRET], events: ["plan.completed"] };
    writeFileSync(toolsFile, JSON.stringify({ webhooks: [webhook] }));
    return receiver;
  }

  /** Every plan that was completed was told of, and no message tells of another one. */
  async expectTruth(view: StoreView): Promise<void> {
    const events = await view.all(
      "SELECT plan_id, sequence FROM plan_events WHERE event_type = 'PlanCompleted'",
    );
    const ids = events.map((row) => `msg_${String(row["plan_id"])}_${String(row["sequence"])}`);
    expect(ids.length).toBeGreaterThan(0);
    await vi.waitFor(() => expect(new Set(this.#accepted)).toEqual(new Set(ids)), {
      timeout: CATCH_UP_MS,
      interval: 200,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
