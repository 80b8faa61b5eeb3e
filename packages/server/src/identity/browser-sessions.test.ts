import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { systemClock } from "@steward/kernel/clock.js";
import { silentLog } from "@steward/kernel/log.js";
import { ADMIN } from "@steward/kernel/testing/nobody.js";
import { silentTelemetry } from "../kernel/telemetry.js";
import { openSqliteStore } from "../storage/sqlite/store.js";
import { ApiKeyService } from "./api-key-service.js";
import { BrowserSessions } from "./browser-sessions.js";
import { OWNER_SESSIONS_MAX, SESSION_IDLE_MS, SESSION_MS_MAX } from "./limits.js";
import { ROLES } from "./roles.js";
import type { Principal } from "./principal.js";

const root = mkdtempSync(join(tmpdir(), "steward-sessions-"));
let files = 0;
afterAll(() => {
  rmSync(root, { recursive: true });
});

const ADA: Principal = {
  orgId: ADMIN.orgId,
  kind: "person",
  authenticatedBy: "jwt",
  userId: "ada",
  roles: ["admin"],
  permissions: [],
};
const refused = (message: RegExp) => ({
  code: "UNAUTHENTICATED",
  message: expect.stringMatching(message) as string,
});

/** Sessions in a store of their own, whose time the test controls. */
function room() {
  files += 1;
  let nowMs = 1_800_000_000_000;
  const clock = { nowMs: () => nowMs };
  const store = openSqliteStore(join(root, `${String(files)}.db`), systemClock, silentTelemetry);
  const sessions = new BrowserSessions({
    ...{ store: store.browserSessions, apiKeys: store.apiKeys, clock, log: silentLog },
  });
  return {
    sessions,
    keys: new ApiKeyService(store.apiKeys, clock, () => Promise.resolve(new Set(ROLES))),
    wait: (ms: number) => (nowMs += ms),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

const DRAFT = { environment: "test", name: "k", roles: ["admin"], permissions: [], scopes: [] };

describe("the session of a person of an OpenID provider", () => {
  it("is the person until it was not used for two hours", async () => {
    await using own = room();
    const { id } = await own.sessions.startForPerson(ADA);
    expect(id).toMatch(/^[\w-]{43}$/);
    own.wait(SESSION_IDLE_MS - 1);
    expect((await own.sessions.verify(id)).principal).toEqual(ADA);
    own.wait(SESSION_IDLE_MS - 1);
    expect((await own.sessions.verify(id)).principal).toEqual(ADA);
    own.wait(SESSION_IDLE_MS);
    await expect(own.sessions.verify(id)).rejects.toMatchObject(refused(/has expired/));
  });

  it("ends after twelve hours, however often it is used", async () => {
    await using own = room();
    const { id } = await own.sessions.startForPerson(ADA);
    const expiresAtMs = await own.sessions.expiry(id);
    for (let hour = 0; hour < 11; hour += 1) {
      own.wait(3_600_000);
      await own.sessions.verify(id);
    }
    own.wait(SESSION_MS_MAX - 11 * 3_600_000);
    await expect(own.sessions.verify(id)).rejects.toMatchObject(refused(/has expired/));
    expect(expiresAtMs).toBe(1_800_000_000_000 + SESSION_MS_MAX);
  });

  it("is refused after its end, and so is what is no session", async () => {
    await using own = room();
    const { id } = await own.sessions.startForPerson(ADA);
    await own.sessions.end(id);
    await own.sessions.end(id);
    for (const each of [id, "x", "' OR 1=1 --", "a".repeat(43)]) {
      await expect(own.sessions.verify(each)).rejects.toMatchObject(
        refused(/unknown or was ended/),
      );
    }
  });

  it("makes the oldest one end when its owner has too many", async () => {
    await using own = room();
    const ids: string[] = [];
    for (let n = 0; n <= OWNER_SESSIONS_MAX; n += 1) {
      ids.push((await own.sessions.startForPerson(ADA)).id);
      own.wait(1);
    }
    const [first = "", second = ""] = ids;
    await expect(own.sessions.verify(first)).rejects.toMatchObject(refused(/unknown/));
    expect((await own.sessions.verify(second)).principal).toEqual(ADA);
  });
});

describe("the session of an API key", () => {
  it("has the rights of the key, and ends when the key is revoked", async () => {
    await using own = room();
    const { key, text } = await own.keys.create(ADMIN, { ...DRAFT, environment: "test" });
    const { id } = await own.sessions.startForKey({ ...ADA, keyId: key.keyId }, text);
    const { principal } = await own.sessions.verify(id);
    expect(principal).toMatchObject({ kind: "apiKey", keyId: key.keyId, roles: ["admin"] });
    await own.keys.revoke(ADMIN, key.keyId);
    await expect(own.sessions.verify(id)).rejects.toMatchObject(refused(/was revoked/));
  });

  it("ends with the secret that was typed in, after the overlap of a rotation", async () => {
    await using own = room();
    const { key, text } = await own.keys.create(ADMIN, { ...DRAFT, environment: "test" });
    const { id } = await own.sessions.startForKey({ ...ADA, keyId: key.keyId }, text);
    await own.keys.rotate(ADMIN, key.keyId, 60_000);
    expect((await own.sessions.verify(id)).principal.keyId).toBe(key.keyId);
    own.wait(60_000);
    await expect(own.sessions.verify(id)).rejects.toMatchObject(refused(/was rotated/));
  });
});
