import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { WebhookTarget } from "../../webhooks/index.js";

/** The secrets of a target: the one in use, and the one before. */
export const NEW_SECRET: string = `whsec_${Buffer.alloc(32, "n").toString("base64")}`;
export const OLD_SECRET: string = `whsec_${Buffer.alloc(24, "o").toString("base64")}`;
/** A message that a receiver got. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A receiver whose paths answer in different ways. */
export class Receiver implements AsyncDisposable {
  readonly received: Received[] = [];
  readonly #answers: Readonly<Record<string, (answer: ServerResponse, times: number) => void>> = {
    "/good": (answer) => answer.writeHead(204).end(),
    "/flaky": (answer, times) => answer.writeHead(times === 1 ? 500 : 200).end("x".repeat(100_000)),
    "/gone": (answer) => answer.writeHead(410).end(),
    "/moved": (answer) => answer.writeHead(307, { location: "/good" }).end(),
    "/hanging": () => undefined,
  };
  readonly #server = createServer((request, answer) => {
    const { url: path = "", headers } = request;
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => {
      body += text;
    });
    request.on("end", () => {
      this.received.push({ path, headers, body });
      this.#answers[path]?.(answer, this.at(path).length);
    });
  });

  static async listen(): Promise<Receiver> {
    const receiver = new Receiver();
    await new Promise<void>((resolve) => receiver.#server.listen(0, "127.0.0.1", resolve));
    return receiver;
  }

  target(name: string, over: Partial<WebhookTarget> = {}): WebhookTarget {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("it does not listen");
    const url = `http://127.0.0.1:${String(address.port)}/${name}`;
    return { name, url, secrets: [NEW_SECRET, OLD_SECRET], events: ["plan.completed"], ...over };
  }

  at(path: string): readonly Received[] {
    return this.received.filter((each) => each.path === path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
