import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { FairSemaphore } from "@steward/kernel/concurrency/fair-semaphore.js";
import { AppError } from "@steward/kernel/errors.js";
import { ADMIN, NOBODY } from "@steward/kernel/testing/nobody.js";
import { silentLog } from "@steward/kernel/log.js";
import { ApiKeyService } from "./api-key-service.js";
import { ApiKeyVerifier } from "./api-key-verifier.js";
import { hashOf, keyClaim, parseKeyText } from "./api-key.js";
import type { ApiKey, ApiKeyStore } from "./ports.js";
import { networkOf } from "./client-network.js";
import { FailedAttempts } from "./failed-attempts.js";
import { cachedVerification } from "./cached-verification.js";
import { ROLES } from "./roles.js";
import { recordingLog, type LoggedLine } from "../transport/testing/recording-log.js";

const DRAFT = { environment: "test", name: "k", roles: [], permissions: [], scopes: [] } as const;
const refused = { code: "UNAUTHENTICATED" };

/** One process with its key cache, whose time the test controls. */
function room() {
  let nowMs = 1_000_000;
  let reads = 0;
  const lines: LoggedLine[] = [];
  const keys = new Map<string, ApiKey>();
  const change = (keyId: string, part: Partial<ApiKey>): Promise<boolean> => {
    const key = keys.get(keyId);
    if (key !== undefined) keys.set(keyId, { ...key, ...part });
    return Promise.resolve(key !== undefined);
  };
  const store: ApiKeyStore = {
    add: (key) => Promise.resolve(void keys.set(key.keyId, key)),
    find: (keyId) => {
      reads += 1;
      return Promise.resolve(keys.get(keyId));
    },
    list: () => Promise.resolve([...keys.values()]),
    rotate: ({ keyId }, secretHash, untilMs) =>
      change(keyId, {
        secretHash,
        previous: { secretHash: keys.get(keyId)?.secretHash ?? "", untilMs },
      }),
    revoke: (_orgId, keyId, revokedAtMs) => change(keyId, { revokedAtMs }),
    recordUses: () => Promise.resolve(),
  };
  const clock = { nowMs: () => nowMs };
  const verifier = new ApiKeyVerifier({ store, clock, log: silentLog });
  const attempts = new FailedAttempts(clock, recordingLog(lines));
  const remember = cachedVerification((text) => verifier.verify(text), {
    ...{ clock, attempts, claimOf: keyClaim },
  });
  return {
    service: new ApiKeyService(store, clock, () =>
      Promise.resolve(new Set([...ROLES, "contractor", "night shift"])),
    ),
    verify: (text: string) => verifier.verify(text),
    remembering: (text: string, peer = "10.0.0.1") => remember(text, peer),
    wait: (ms: number) => (nowMs += ms),
    reads: () => reads,
    keys,
    lines,
  };
}

describe("an API key", () => {
  it("has a secret of 256 bits, of which only the SHA-256 is kept", async () => {
    const { service, keys } = room();
    const { key, text } = await service.create(ADMIN, DRAFT);
    expect(text).toMatch(/^stw_test_[0-9a-f]{24}_[0-9a-f]{64}$/);
    const { keyId, secret } = parseKeyText(text);
    expect(keys.get(keyId)).toEqual(key);
    expect(key.secretHash).toBe(hashOf(secret));
    expect(JSON.stringify(key)).not.toContain(secret);
  });

  it("says who asks: a program, or an agent and the person it acts for", async () => {
    const { service, verify } = room();
    const program = await service.create(ADMIN, { ...DRAFT, scopes: ["plans:read"] });
    expect((await verify(program.text)).principal).toEqual({
      orgId: ADMIN.orgId,
      kind: "apiKey",
      authenticatedBy: "apikey",
      keyId: program.key.keyId,
      roles: [],
      permissions: [],
      scopes: ["plans:read"],
    });
    const agent = await service.create(ADMIN, { ...DRAFT, agentId: "bot", userId: "ada" });
    const who = { kind: "agent", agentId: "bot", userId: "ada" };
    expect((await verify(agent.text)).principal).toMatchObject(who);
  });

  it.each([
    ["another secret", (text: string) => text.replace(/.$/, (last) => (last === "0" ? "1" : "0"))],
    ["another id", (text: string) => text.replace(/[0-9a-f]{24}/, "0".repeat(24))],
    ["a shorter text", (text: string) => text.slice(0, -1)],
    ["no key", () => "stw_"],
  ])("is refused with %s", async (_name, spoil) => {
    const { service, verify } = room();
    const { text } = await service.create(ADMIN, DRAFT);
    await expect(verify(spoil(text))).rejects.toMatchObject(refused);
  });

  it("is refused once it has expired, to the millisecond, cachedVerification or not", async () => {
    const { service, remembering, wait } = room();
    const { text } = await service.create(ADMIN, { ...DRAFT, expiresAtMs: 1_000_100 });
    await remembering(text);
    wait(99);
    await remembering(text);
    wait(1);
    await expect(remembering(text)).rejects.toMatchObject(refused);
  });

  it("has two good secrets while one replaces the other, for as long as was said", async () => {
    const { service, verify, wait } = room();
    const old = await service.create(ADMIN, DRAFT);
    const next = await service.rotate(ADMIN, old.key.keyId, 60_000);
    expect(next.key.keyId).toBe(old.key.keyId);
    await verify(next.text);
    expect((await verify(old.text)).untilMs).toBeLessThanOrEqual(1_060_000);
    wait(60_000);
    await verify(next.text);
    await expect(verify(old.text)).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining("rotated") as string,
    });
  });

  it("is read from the store twice a second at most, and a revocation is seen by then", async () => {
    const { service, remembering, reads, wait } = room();
    const { key, text } = await service.create(ADMIN, DRAFT);
    await Promise.all([remembering(text), remembering(text), remembering(text)]);
    expect(reads()).toBe(1);
    await service.revoke(ADMIN, key.keyId);
    wait(500);
    await expect(remembering(text)).rejects.toMatchObject(refused);
  });

  it("is never made with more rights than the caller has", async () => {
    const { service } = room();
    const denied = { code: "POLICY_DENIED" };
    const operator = { ...DRAFT, roles: ["Operator"] };
    await expect(service.create(ADMIN, operator)).rejects.toMatchObject(denied);
    await service.create({ ...NOBODY, permissions: ["manage:keys"] }, DRAFT);
  });

  it.each([
    ["name", { name: " " }],
    ["name", { name: "x".repeat(256) }],
    ["agent_id", { agentId: "a\nb" }],
    ["user_id", { userId: "a\nb" }],
    ["roles", { roles: [""] }],
    ["roles", { roles: ["\u0430dmin"] }],
    ["permissions", { permissions: ["a,b"] }],
    ["scopes", { scopes: Array.from({ length: 65 }, () => "a") }],
    ["expires_at", { expiresAtMs: 1 }],
  ])("is refused with a wrong %s", async (field, part) => {
    const { service } = room();
    await expect(service.create(ADMIN, { ...DRAFT, ...part })).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      details: [{ field }],
    });
  });
});

describe("a role", () => {
  it("is one that a policy names, in any case", async () => {
    const { service } = room();
    const roles = ["Auditor", "contractor", "Night Shift"];
    expect((await service.create(ADMIN, { ...DRAFT, roles })).key.roles).toEqual(roles);
  });

  it("that no policy names is refused, with the role that was meant", async () => {
    const { service } = room();
    for (const [role, message] of [
      ["admim", "admim is not a role (did you mean admin?)"],
      ["Auditer", "Auditer is not a role (did you mean auditor?)"],
      ["contracter", "contracter is not a role (did you mean contractor?)"],
      ["zz", "zz is not a role: use one of operator, admin"],
    ] as const) {
      await expect(
        service.create(ADMIN, { ...DRAFT, roles: ["agent", role] }),
      ).rejects.toMatchObject({
        ...{ code: "INVALID_ARGUMENT", details: [{ field: "roles" }] },
        message: expect.stringContaining(message) as string,
      });
    }
  });
});

describe("wrong credentials", () => {
  const wrong = (n: number) => `stw_live_${String(n).padStart(24, "0")}_${"0".repeat(64)}`;

  it("are answered with the time to wait after twenty in a minute, and logged without them", async () => {
    const { remembering, wait, lines } = room();
    for (let n = 0; n < 20; n += 1) {
      await expect(remembering(wrong(n))).rejects.toMatchObject(refused);
    }
    wait(10_000);
    await expect(remembering(wrong(20))).rejects.toMatchObject({
      ...{ code: "QUOTA_EXCEEDED", retryAfterMs: 50_000 },
      message: expect.stringContaining("This one is wrong too: The API key is unknown") as string,
    });
    expect(lines).toHaveLength(20);
    expect(JSON.stringify(lines)).not.toContain("0".repeat(64));
    await expect(remembering(wrong(20), "10.0.0.2")).rejects.toMatchObject(refused);
    wait(50_000);
    await expect(remembering(wrong(21))).rejects.toMatchObject(refused);
  });

  it("of one key are counted together, wherever they come from", async () => {
    const { service, remembering } = room();
    const { text } = await service.create(ADMIN, DRAFT);
    const guess = (n: number) =>
      remembering(`${text.slice(0, -4)}${String(n).padStart(4, "0")}`, `10.0.1.${String(n)}`);
    for (let n = 0; n < 20; n += 1) await expect(guess(n)).rejects.toMatchObject(refused);
    await expect(guess(20)).rejects.toMatchObject({ code: "QUOTA_EXCEEDED" });
  });

  it("lock out nobody: a right credential passes, seen before or not", async () => {
    const { service, remembering } = room();
    const seen = await service.create(ADMIN, DRAFT);
    const unseen = await service.create(ADMIN, DRAFT);
    await remembering(seen.text);
    const guesses = Array.from({ length: 100 }, (_, n) => [
      remembering(wrong(n)),
      remembering(`${unseen.text.slice(0, -4)}${String(n).padStart(4, "0")}`),
    ]).flat();
    const answers = await Promise.allSettled([
      ...guesses,
      remembering(seen.text),
      remembering(unseen.text),
    ]);
    expect(answers.slice(0, -2).every(({ status }) => status === "rejected")).toBe(true);
    expect(answers.slice(-2).map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]);
  });

  it("from one address leave lookups to others, and never more run at a time than a limit", async () => {
    let running = 0;
    let most = 0;
    const order: string[] = [];
    const lookups = new FairSemaphore({ slotsMax: 4, waitingMax: 1000, waitMs: 60_000, name: "c" });
    const attempts = new FailedAttempts({ nowMs: () => 0 }, silentLog);
    const verify = cachedVerification(
      async (text) => {
        running += 1;
        most = Math.max(most, running);
        await setImmediate();
        running -= 1;
        order.push(text);
        if (text !== "right") throw new AppError("UNAUTHENTICATED", "wrong");
        return { principal: ADMIN, untilMs: 1 };
      },
      { clock: { nowMs: () => 0 }, attempts, lookups },
    );
    const guesses = Array.from({ length: 200 }, (_, n) => verify(`wrong ${String(n)}`, "10.0.0.1"));
    const answers = Promise.allSettled(guesses);
    await verify("right", "10.0.0.2");
    expect(order.indexOf("right")).toBeLessThan(8);
    await answers;
    expect(most).toBeLessThanOrEqual(4);
  });

  it("are counted by IPv4 address and by the first half of an IPv6 address", () => {
    expect(networkOf("::ffff:10.0.0.1")).toBe("10.0.0.1");
    expect(networkOf("2001:db8::1")).toBe("2001:db8:0:0");
    expect(networkOf("2001:db8:1:2:3:4:5:6")).toBe("2001:db8:1:2");
    expect(networkOf("::1")).toBe("0:0:0:0");
  });
});
