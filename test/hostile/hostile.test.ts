import { readFileSync } from "node:fs";
import { Client, credentials, status } from "@grpc/grpc-js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Attacker } from "./attacker.js";
import {
  type Ending,
  endingOf,
  HOSTILE_CONNECTIONS,
  type HostileConnection,
} from "./hostile-connections.js";
import { hostileRequests } from "./hostile-requests.js";
import { Target } from "./target.js";

/**
 * Requests that cost more than their sender pays, one after the other against one real server. What they cost others in
 * time is measured by bench/hostile: here it is asked whether the server ends them, says why, and goes on.
 */
let target: Target;
let attacker: Attacker;
let neighbour: Attacker;
let pid: number;
/** Begins before the requests and lasts while they are sent: the longest limit of a connection is a minute. */
let endings: readonly Promise<NamedEnding>[];

type NamedEnding = Ending & Pick<HostileConnection, "name" | "ends">;

/** More than the server needs at any of these, in MiB: it has some 200 when it has done nothing. */
const RESIDENT_MEBIBYTES_MAX = 1200;
const QUADS = 10_000;

beforeAll(async () => {
  target = await Target.start();
  attacker = new Attacker(target.url, "11111111-1111-4111-8111-111111111111");
  neighbour = new Attacker(target.url, "22222222-2222-4222-8222-222222222222");
  pid = target.server.pid;
  endings = HOSTILE_CONNECTIONS.map(async (hostile) => {
    const { name, ends } = hostile;
    return { name, ends, ...(await endingOf(target.url, hostile)) };
  });
});
afterAll(() => target[Symbol.asyncDispose]());

/** The server is the same process, serves others and has not grown out of bounds. */
async function expectUnharmed(): Promise<void> {
  expect(await neighbour.run("SELECT 1")).toMatchObject({ status: 200, error: "" });
  expect(target.server.pid).toBe(pid);
  const text = readFileSync(`/proc/${pid}/status`, "utf8");
  const mebibytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1]) / 1024;
  expect(mebibytes).toBeLessThan(RESIDENT_MEBIBYTES_MAX);
}

describe("a hostile request", () => {
  const requests = hostileRequests(QUADS).filter(({ isLong = false }) => !isLong);
  it.each(requests)(
    "is served or refused with its reason, once, and harms nobody: $name",
    async ({ prepare, send, refusal }) => {
      await prepare?.(attacker);
      const { status: answered, code, error, attempts = 1 } = await send(attacker);
      expect({ answered, code, error }).toEqual({
        answered: expect.toSatisfy((given: number) => given < 500) as unknown,
        code: refusal?.code ?? "",
        error: refusal === undefined ? "" : (expect.stringMatching(refusal.error) as unknown),
      });
      expect(attempts).toBeLessThanOrEqual(1);
      await expectUnharmed();
    },
    60_000,
  );

  it("is refused before it is read when its body is too large", async () => {
    const answer = await attacker.send("POST", "/api/plans", { name: "x".repeat(5 * 1024 * 1024) });
    expect(answer).toMatchObject({ status: 413, code: "LIMIT_EXCEEDED" });
    await expectUnharmed();
  });

  it("is refused when it is one of 300 health watches on one connection", async () => {
    const client = new Client(new URL(target.url).host, credentials.createInsecure());
    const bytes = (message: Buffer): Buffer => message;
    const codes: number[] = [];
    let open = 0;
    const watches = Array.from({ length: 300 }, () =>
      client
        .makeServerStreamRequest("/grpc.health.v1.Health/Watch", bytes, bytes, Buffer.alloc(0))
        .on("data", () => (open += 1))
        .on("error", ({ code }: { readonly code: number }) => codes.push(code)),
    );
    await expect.poll(() => open + codes.length, { timeout: 10_000 }).toBe(300);
    expect(new Set(codes)).toEqual(new Set([status.RESOURCE_EXHAUSTED]));
    expect(open).toBe(20);
    for (const watch of watches) watch.cancel();
    client.close();
    await expectUnharmed();
  });
});

describe("a hostile connection", () => {
  it.each(HOSTILE_CONNECTIONS.map(({ name }, index) => ({ name, index })))(
    "ends by a limit, and requests beside it are served: $name",
    async ({ index }) => {
      const ending = await endings[index];
      const isEnded = ending?.ends === "stream" ? ending.isAnswered : ending?.isClosed;
      expect({ ending, isEnded }).toEqual({ ending, isEnded: true });
      await expectUnharmed();
    },
    200_000,
  );
});
