import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ServiceError } from "@grpc/grpc-js";
import { fromBinary } from "@bufbuild/protobuf";
import { anyUnpack } from "@bufbuild/protobuf/wkt";
import { createClient, StewardError } from "@steward/client";
import { silentLog } from "@steward/kernel/log.js";
import { ErrorInfoSchema, StatusSchema } from "@steward/protocol/grpc";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createSampleDatabase } from "../adapters/sample-database/index.js";
import { APPROVALS_PAGE_BYTES_MAX } from "../approvals/limits.js";
import { HandClock } from "../storage/testing/hand-clock.js";
import { BareClient } from "../transport/grpc/testing/bare-client.js";
import { openApp, type App } from "./app.js";

/** What a wire answers to a decision: the code and the words of a refusal, or the new status. */
interface Answer {
  readonly code: string;
  readonly message: string;
}

/** Decides about an approval with a key. */
type Decide = (
  verb: "approve" | "deny",
  asked: {
    readonly approval_id: string;
    readonly digest: string;
    readonly reason?: string;
    readonly rows_changed_max?: number;
  },
  key: string,
) => Promise<Answer>;

const POLICY = `@id("two-eyes") @approval("approver")
  forbid (principal, action == Steward::Action::"write_delete", resource)
  unless { context.approved };`;
const FORGED = "0195a1c4-7d2e-7a10-9c3b-5f0e8d6a4b21";

/** A field that must be there. */
const FAIL = { approval_id: "missing", digest: "missing" };

const directory = mkdtempSync(join(tmpdir(), "steward-approvals-wires-"));
const ORG = "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11";
const clock = new HandClock();
let app: App;
let grpc: BareClient;
let keys: Readonly<Record<"agent" | "other" | "bob" | "reader", string>>;

beforeAll(async () => {
  createSampleDatabase(join(directory, "shop.db"));
  app = await openApp({
    ...{ port: 0, log: silentLog, dataDir: directory, clock },
    databaseUrl: `sqlite:${join(directory, "store.db")}`,
    dataSources: [{ name: "shop", url: `sqlite:${join(directory, "shop.db")}` }],
    organization: ORG,
    auth: { headers: { trustedProxies: [], proxySecrets: [] }, apiKey: true },
  });
  grpc = new BareClient(app.address.port);
  const admin = rest({ orgId: ORG, role: "admin", userId: "root" });
  await admin.policies.putPolicies({ version: 0, text: POLICY });
  const make = async (name: string, orgId: string, ...roles: readonly string[]) => {
    const person = roles.includes("agent") ? {} : { user_id: name };
    const owner = rest({ orgId, role: "admin", userId: "root" });
    return (await owner.keys.createApiKey({ name, roles, ...person })).api_key;
  };
  keys = {
    agent: await make("agent", ORG, "agent", "approver"),
    bob: await make("bob", ORG, "approver"),
    reader: await make("reader", ORG, "admin"),
    other: await make("other", "11111111-1111-4111-8111-111111111111", "approver"),
  };
});
afterAll(async () => {
  grpc.close();
  await app[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

function rest(who: Partial<Parameters<typeof createClient>[0]>) {
  const baseUrl = `http://127.0.0.1:${String(app.address.port)}`;
  return createClient({ baseUrl, maxRetries: 0, ...who });
}

const overRest: Decide = async (verb, choice, apiKey) => {
  try {
    const call = verb === "approve" ? "grantApproval" : "denyApproval";
    const { status } = await rest({ apiKey }).approvals[call](choice);
    return { code: status, message: "" };
  } catch (error) {
    if (!(error instanceof StewardError)) throw error;
    return { code: error.code, message: error.message };
  }
};

const overGrpc: Decide = async (verb, asked, key) => {
  const method = verb === "approve" ? "GrantApproval" : "DenyApproval";
  try {
    const answer = await grpc.call(method, asked, withKey(key));
    return { code: (answer["approval"] as { readonly status: string }).status, message: "" };
  } catch (error) {
    // The only errors of a call.
    const { metadata, details } = error as ServiceError;
    const [bytes] = metadata.get("grpc-status-details-bin");
    const { details: told } = fromBinary(StatusSchema, bytes as Buffer);
    const [info] = told.flatMap((each) => anyUnpack(each, ErrorInfoSchema) ?? []);
    return { code: info?.reason ?? "", message: details };
  }
};

describe.each([
  ["REST", overRest],
  ["gRPC", overGrpc],
] as const)("over %s an approval", (_wire, decide) => {
  let approval: { readonly approval_id: string; readonly digest: string };
  let planId: string;
  beforeEach(async () => {
    const { plans, approvals } = rest({ apiKey: keys.agent });
    const steps = [{ id: "a", query_template: "DELETE FROM orders WHERE id = -1" }];
    planId = (await plans.submit({ name: "p", steps })).plan_id;
    await expect(plans.execute(planId, "a")).rejects.toMatchObject({ code: "APPROVAL_REQUIRED" });
    const { approval_id, digest } =
      (await approvals.listApprovals({ plan_id: planId })).approvals[0] ?? FAIL;
    approval = { approval_id, digest };
  });

  it("is given by a person's key, and a second time changes nothing", async () => {
    expect(await decide("approve", approval, keys.bob)).toMatchObject({ code: "approved" });
    expect(await decide("approve", approval, keys.bob)).toMatchObject({ code: "approved" });
    const run = await rest({ apiKey: keys.agent }).plans.execute(planId, "a");
    expect(run.step_result.status).toBe("completed");
  });

  it("carries the number of rows that the approver names", async () => {
    for (const rows_changed_max of [7, 0]) {
      await decide("approve", { ...approval, rows_changed_max }, keys.bob);
      const { decisions } = await rest({ apiKey: keys.bob }).approvals.getApproval({
        approval_id: approval.approval_id,
      });
      expect(decisions).toMatchObject([{ decision: "approve", rows_changed_max }]);
    }
  });

  it("that was used cannot be replayed", async () => {
    await decide("approve", approval, keys.bob);
    await rest({ apiKey: keys.agent }).plans.execute(planId, "a");
    const replayed = { ...approval, reason: "once more" };
    expect(await decide("approve", replayed, keys.bob)).toMatchObject({
      code: "APPROVAL_CONFLICT",
      message: expect.stringContaining("is used: its step has been started") as string,
    });
    expect(await decide("deny", approval, keys.bob)).toMatchObject({ code: "APPROVAL_CONFLICT" });
  });

  it("that has expired is refused with the time", async () => {
    clock.advance(25 * 60 * 60 * 1000);
    expect(await decide("approve", approval, keys.bob)).toMatchObject({
      code: expect.stringMatching(/APPROVAL_CONFLICT/) as string,
      message: expect.stringMatching(/expired at \d{4}-/) as string,
    });
  });

  it("is not given by the requester, an agent's key, or a key without the role", async () => {
    expect(await decide("approve", approval, keys.agent)).toMatchObject({
      code: "POLICY_DENIED",
      message: expect.stringContaining("An agent's credential governs nothing") as string,
    });
    expect(await decide("approve", approval, keys.reader)).toMatchObject({
      code: "POLICY_DENIED",
      message: expect.stringContaining("decided by the role approver") as string,
    });
  });

  it("with another digest, an invented id, or of another organization is refused", async () => {
    const digest = "ab".repeat(32);
    expect(await decide("approve", { ...approval, digest }, keys.bob)).toMatchObject({
      code: "APPROVAL_CONFLICT",
      message: expect.stringContaining("decide with its digest") as string,
    });
    const forged = { ...approval, approval_id: FORGED };
    expect(await decide("approve", forged, keys.bob)).toMatchObject({ code: "NOT_FOUND" });
    expect(await decide("approve", approval, keys.other)).toMatchObject({ code: "NOT_FOUND" });
    expect(await decide("deny", { ...approval, approval_id: "x" }, keys.bob)).toMatchObject({
      code: "NOT_FOUND",
    });
  });

  it("is denied with a reason that the agent is told", async () => {
    const denial = { ...approval, reason: "archive instead" };
    expect(await decide("deny", denial, keys.bob)).toMatchObject({ code: "denied" });
    const { step_result } = await rest({ apiKey: keys.agent }).plans.execute(planId, "a");
    expect(step_result.error?.message).toContain("archive instead");
  });
});

describe("over gRPC approvals", () => {
  it("are listed by page, and read with all that REST shows", async () => {
    const { plans, approvals } = rest({ apiKey: keys.agent });
    const steps = [{ id: "a", query_template: "DELETE FROM orders WHERE id = -9" }];
    const { plan_id } = await plans.submit({ name: "p", steps });
    await plans.execute(plan_id, "a").catch(() => undefined);
    const [shown] = (await approvals.listApprovals({ plan_id })).approvals;
    if (shown === undefined) throw new Error("the step does not wait");
    const listed = await grpc.call("ListApprovals", { plan_id, limit: 1 }, withKey(keys.bob));
    expect(listed).toMatchObject({
      approvals: [{ approval_id: shown.approval_id }],
      next_cursor: "",
    });
    const { approval_id } = shown;
    const { approval } = await grpc.call("GetApproval", { approval_id }, withKey(keys.bob));
    expect(approval).toMatchObject({
      ...{ approval_id, status: "pending", plan_id, step_id: "a", digest: shown.digest },
      ...{ requested_at: shown.requested_at, expires_at: shown.expires_at },
      rules: [{ policy_id: "two-eyes", role: "approver", approvers_min: 1, missing: 1 }],
      requester: { kind: "apiKey", key_id: shown.requester.key_id },
      subject: {
        ...{ statement: shown.subject.statement, intent: "write_delete", revision: 1 },
        values_left_out: 0,
      },
      preview: { unavailable: expect.any(String) as string },
    });
  });

  it("are listed within the bytes of a page, whose cursor leads to the others", async () => {
    const { plans, approvals } = rest({ apiKey: keys.agent });
    const query_template = `DELETE FROM orders WHERE id = -9 -- ${"x".repeat(60_000)}`;
    const steps = Array.from({ length: 6 }, (_, n) => ({ id: `a${n}`, query_template }));
    const waiting: string[] = [];
    for (const name of ["p", "q"]) {
      const { plan_id } = await plans.submit({ name, steps });
      for (const { id } of steps) {
        await plans.execute(plan_id, id).catch(() => undefined);
        waiting.push(`${plan_id} ${id}`);
      }
    }
    const first = await approvals.listApprovals({ limit: 200 });
    expect(JSON.stringify(first).length).toBeLessThan(1.01 * APPROVALS_PAGE_BYTES_MAX);
    // Encoded in parts.
    expect(await grpc.call("ListApprovals", { limit: 200 }, withKey(keys.bob))).toMatchObject({
      approvals: first.approvals.map(({ approval_id }) => ({ approval_id })),
      next_cursor: first.next_cursor,
    });
    const second = await approvals.listApprovals({ limit: 200, cursor: first.next_cursor ?? "" });
    const listed = [...first.approvals, ...second.approvals].map(
      ({ plan_id, step_id }) => `${plan_id} ${step_id}`,
    );
    expect(first.next_cursor).toBeDefined();
    const mine = listed.filter((place) => waiting.includes(place));
    expect(mine.toSorted()).toEqual(waiting.toSorted());
  });

  it.each([
    ["GetApproval", {}, "approval_id: it is missing"],
    ["GrantApproval", { approval_id: FORGED }, "digest: it is missing"],
    ["DenyApproval", { digest: "00" }, "approval_id: it is missing"],
    ["ListApprovals", { status: "open" }, "status: it is not one of pending"],
    ["ListApprovals", { limit: 201 }, "limit: is 1 to 200"],
    ["ListApprovals", { limit: -1 }, "limit: is 1 to 200"],
    ["ListApprovals", { cursor: "x" }, "cursor: it is not the next_cursor"],
  ] as const)("refuse %s with %j", async (method, request, message) => {
    await expect(grpc.call(method, request, withKey(keys.bob))).rejects.toMatchObject({
      details: expect.stringContaining(message) as string,
    });
  });
});

function withKey(key: string) {
  return { metadata: { authorization: `Bearer ${key}` } };
}
