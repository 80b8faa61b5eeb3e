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
import { statementRequests } from "./hostile-statements.js";
import { Target } from "./target.js";

/**
 * Expensive requests, one after the other against one real server. bench/hostile measures their
 * effect on others; this test checks that the server stops them, gives the reason, and continues.
 */
let target: Target;
let attacker: Attacker;
let neighbour: Attacker;
let pid: number;
/**
 * Starts before the requests and lasts while they are sent: the longest limit of a connection is a
 * minute.
 */
let endings: readonly Promise<NamedEnding>[];

type NamedEnding = Ending & Pick<HostileConnection, "name" | "ends">;

/**
 * Processor time of one turn of the event loop, in ms. The long run checks 50 ms on a machine of its own;
 * here other tests use the same caches.
 */
const TURN_CPU_MS_MAX = 250;
/** More than the server needs during any of these requests, in MiB; idle, it needs about 200. */
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

/**
 * The server is still the same process, serves other callers, and its memory is within the limit.
 */
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
    await expect.poll(() => open + codes.length).toBe(300);
    expect(new Set(codes)).toEqual(new Set([status.RESOURCE_EXHAUSTED]));
    expect(open).toBe(20);
    for (const watch of watches) watch.cancel();
    client.close();
    await expectUnharmed();
  });
});

describe("a hostile statement", () => {
  it.each(statementRequests().filter(({ isLong = false }) => !isLong))(
    "is answered or refused, and harms nobody: $name",
    async ({ send }) => {
      target.longestTurnsMs();
      const { status: answered, code } = await send(attacker);
      const [turnMs = 0] = target.longestTurnsMs();
      expect({ answered, code, turnMs }).toEqual({
        answered: expect.toSatisfy((given: number) => given < 500) as unknown,
        code: expect.not.stringMatching(/INTERNAL/) as unknown,
        turnMs: expect.toSatisfy((ms: number) => ms < TURN_CPU_MS_MAX) as unknown,
      });
      await expectUnharmed();
    },
    120_000,
  );
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
