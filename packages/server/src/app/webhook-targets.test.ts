import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { anonymousCaller } from "@steward/kernel/caller.js";
import { systemClock } from "@steward/kernel/clock.js";
import { systemIds } from "@steward/kernel/ids.js";
import { silentLog } from "@steward/kernel/log.js";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HttpWebhookSender } from "../adapters/http-webhook-sender.js";
import { silentTelemetry } from "../kernel/telemetry.js";
import { openSqliteStore } from "../storage/sqlite/store.js";
import type { Store } from "../storage/store.js";
import { WEBHOOK_ATTEMPTS_MAX } from "../webhooks/limits.js";
import {
  WebhookDelivery,
  WebhookOutbox,
  WebhookService,
  type WebhookTarget,
} from "../webhooks/index.js";
import { NEW_SECRET, OLD_SECRET } from "./testing/webhook-receiver.js";

const ORG = "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11";
const OK = "HTTP/1.1 200 OK\r\n";

/** What targets do once they have read the beginning of a request, and what a test of them says. */
const HOSTILE: Readonly<
  Record<string, readonly [does: (socket: Socket) => void, error: string | RegExp | undefined]>
> = {
  hangs: [() => undefined, "no answer within 400 ms"],
  "answers 500": [write("HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n"), "the target answered 500"],
  "redirects to another host": [
    write("HTTP/1.1 308 No\r\nlocation: http://127.0.0.1:9/\r\ncontent-length: 0\r\n\r\n"),
    "the target answered 308",
  ],
  "closes the socket": [(socket) => socket.end(), "no connection (UND_ERR_SOCKET)"],
  "resets the socket": [(socket) => socket.resetAndDestroy(), "no connection (ECONNRESET)"],
  "speaks another protocol": [write("220 mail.example.com ESMTP\r\n"), /^no connection \(HPE_/],
  "sends endless headers": [
    endless(OK, `x: ${"y".repeat(1000)}\r\n`),
    /^no connection \((HPE|UND)_/,
  ],
  "sends headers, one by one, for ever": [dripping(OK, "a: b\r\n"), "no answer within 400 ms"],
  // The status is all that counts: the body is not read.
  "sends an endless body": [
    endless(`${OK}transfer-encoding: chunked\r\n\r\n`, `3e8\r\n${"y".repeat(1000)}\r\n`),
    undefined,
  ],
  "promises a body that never comes": [write(`${OK}content-length: 99\r\n\r\n`), undefined],
};

describe("a webhook target that", () => {
  const directory = mkdtempSync(join(tmpdir(), "steward-webhook-targets-"));
  const servers: Server[] = [];
  const targets: WebhookTarget[] = [];
  const received = new Map<string, string[]>();
  let store: Store;
  let isMended = false;
  beforeAll(async () => {
    store = openSqliteStore(join(directory, "store.db"), systemClock, silentTelemetry);
    for (const [name, [does]] of Object.entries(HOSTILE)) {
      const target = name.replace(/\W+/g, "-");
      const { server, url } = await listen((socket, request) => {
        received.set(target, [...(received.get(target) ?? []), request]);
        if (isMended) write(`${OK}content-length: 0\r\n\r\n`)(socket);
        else does(socket);
      });
      servers.push(server);
      const secrets = [NEW_SECRET, OLD_SECRET];
      targets.push({ name: target, url, secrets, events: ["plan.failed"] });
    }
  });
  afterAll(async () => {
    for (const server of servers) server.close();
    await store[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true });
  });

  const parts = () => ({
    ...{ targets, store: store.webhooks, sender: new HttpWebhookSender(), timeoutMs: 400 },
    ...{ clock: systemClock, ids: systemIds(systemClock), log: silentLog },
    telemetry: silentTelemetry,
    outbox: new WebhookOutbox(targets),
    // The shortest pauses.
    random: () => 0,
  });
  const caller = { ...anonymousCaller(), orgId: ORG };

  it.each(Object.entries(HOSTILE))("%s has a test say so", async (name, [, error]) => {
    const target = name.replace(/\W+/g, "-");
    const service = new WebhookService(parts());
    const tested = await service.test(caller, target, new AbortController().signal);
    if (error === undefined) expect(tested.kind).toBe("accepted");
    else if (typeof error === "string") expect(tested).toMatchObject({ error });
    else expect("error" in tested && tested.error).toMatch(error);
  });

  it("misbehaves costs no message: it is dead in the end, and sent again when it is asked for", async () => {
    const outbox = new WebhookOutbox(targets);
    await using _delivery = new WebhookDelivery({ ...parts(), outbox });
    const service = new WebhookService({ ...parts(), outbox });
    const payloadJson = JSON.stringify({ reason: "é" });
    const timestamp = "2026-11-23T16:38:12.345Z";
    const event = { planId: "p", sequence: 1, eventType: "PlanFailed", payloadJson, timestamp };
    const deliveries = outbox.deliveriesOf(ORG, () => [event]);
    await store.webhooks.add(deliveries);
    const list = (status?: "dead") => service.list(caller, { status }, { limit: 100 });
    const bad = Object.values(HOSTILE).filter(([, error]) => error !== undefined).length;
    await expect
      .poll(async () => {
        outbox.announce(deliveries);
        return (await list("dead")).deliveries.length;
      })
      .toBe(bad);
    for (const { attempts, error } of (await list()).deliveries) {
      expect(attempts).toBe(WEBHOOK_ATTEMPTS_MAX);
      expect(error).toBeDefined();
    }
    isMended = true;
    expect(await service.retry(caller, { target: "hangs" })).toBe(1);
    expect(await service.retry(caller, {})).toBeGreaterThanOrEqual(bad - 2);
    await expect.poll(async () => (await list()).deliveries).toEqual([]);
    for (const { name } of targets) {
      // A client that was written by others accepts what the target got last, by either secret.
      const [head = "", body = ""] = (received.get(name)?.at(-1) ?? "").split("\r\n\r\n");
      const headers = Object.fromEntries(
        head
          .split("\r\n")
          .slice(1)
          .map((line) => line.split(": ", 2) as [string, string]),
      );
      for (const secret of [NEW_SECRET, OLD_SECRET]) {
        expect(new Webhook(secret).verify(body, headers)).toMatchObject({
          type: "plan.failed",
          data: { org_id: ORG, plan_id: "p", reason: "é" },
        });
      }
    }
  });

  it("is unknown, or already being tested, is refused", async () => {
    const service = new WebhookService(parts());
    const { signal } = new AbortController();
    await expect(service.test(caller, "nobody", signal)).rejects.toMatchObject({
      code: "NOT_FOUND",
      message: expect.stringContaining("the tools file names hangs, answers-500") as string,
    });
    const [first, second] = await Promise.allSettled([
      service.test(caller, "hangs", signal),
      service.test(caller, "hangs", signal),
    ]);
    expect(first.status).toBe("fulfilled");
    expect(second).toMatchObject({ reason: { code: "QUOTA_EXCEEDED" } });
    await expect(service.retry(caller, { messageId: "msg_none_1" })).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
    await expect(service.list(caller, {}, { limit: 5, cursor: "x" })).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
    });
  });
});

/** A server that reads each request whole, and then does what `onRequest` does. */
async function listen(
  onRequest: (socket: Socket, request: string) => void,
): Promise<{ readonly server: Server; readonly url: string }> {
  const server = createServer((socket) => {
    let request = Buffer.alloc(0);
    socket.on("error", () => undefined);
    socket.on("data", (bytes: Buffer) => {
      request = Buffer.concat([request, bytes]);
      const text = request.toString("utf8");
      const [head = "", ...rest] = text.split("\r\n\r\n");
      const length = /content-length: (\d+)/i.exec(head)?.[1];
      if (rest.length === 0 || Buffer.byteLength(rest.join("")) < Number(length)) return;
      request = Buffer.alloc(0);
      onRequest(socket, text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("it does not listen");
  return { server, url: `http://127.0.0.1:${String(address.port)}/hook` };
}

function write(text: string): (socket: Socket) => void {
  return (socket) => void socket.write(text);
}

/** Writes a piece again and again, as fast as it is read. */
function endless(beginning: string, piece: string): (socket: Socket) => void {
  return (socket) => {
    socket.write(beginning);
    const more = (): void => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on("drain", more);
    more();
  };
}

/** Writes a piece every 50 ms. */
function dripping(beginning: string, piece: string): (socket: Socket) => void {
  return (socket) => {
    socket.write(beginning);
    const timer = setInterval(() => socket.write(piece), 50);
    socket.on("close", () => {
      clearInterval(timer);
    });
  };
}
