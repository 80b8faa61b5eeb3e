import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import type { StewardClient } from "@steward/client";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createSampleDatabase } from "../adapters/sample-database/index.js";
import { DESCRIBED } from "../transport/gen/described.js";
import { eachStore } from "./testing/each-store.js";
import { ShopServer } from "./testing/shop-server.js";

/*
 * The approval of an operation covers what the names in its parameters stand for. For each parameter that an operation
 * resolves, another caller moves what it names between the approval and the run, on both stores; and without a move the
 * same call runs once.
 */

const ACTIONS = [
  ...["state:read", "state:write", "state:refs", "migrations:read", "migrations:apply"],
  ...["migrations:revert", "plans:execute", "plans:submit"],
];
const POLICY = `@id("governed") @approval("approver")
  forbid (principal in Steward::Role::"admin",
    action in [${ACTIONS.map((action) => `Steward::Action::"${action}"`).join(", ")}], resource)
  unless { context.approved };`;
const ORG = "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b17";

/** A call over REST: `POST /api/state/merge`, and its body. */
type Call = readonly [route: string, body?: object];

interface Answer {
  readonly code?: string;
  readonly error?: string;
}

describe.each(await eachStore())("on %s", (_engine, store) => {
  const directory = mkdtempSync(join(tmpdir(), "steward-approved-names-"));
  const url = join(directory, "shop.db");
  let shop: ShopServer;
  let root: StewardClient;
  let bob: StewardClient;
  let database: DatabaseSyncInstance;
  let number = 0;

  beforeAll(async () => {
    createSampleDatabase(url);
    database = new DatabaseSync(url);
    shop = await ShopServer.open({
      ...{ ...store, organization: ORG },
      dataSources: [{ name: "shop", url: `sqlite:${url}` }],
    });
    root = shop.client({ orgId: ORG, role: "operator", userId: "root" });
    bob = shop.client({ orgId: ORG, role: "approver", userId: "bob" });
    await root.policies.putPolicies({ version: 0, text: POLICY });
    await alterSchema();
    await root.migrations.acceptSchemaDrift({ database: "shop", message: "the first" });
    await alterSchema();
    await root.migrations.acceptSchemaDrift({ database: "shop", message: "the second" });
  });
  afterAll(async () => {
    await shop[Symbol.asyncDispose]();
    database.close();
    rmSync(directory, { recursive: true });
  });
  afterEach(async () => {
    const { approvals } = await bob.approvals.listApprovals({ status: "pending" });
    for (const { approval_id, digest } of approvals) {
      await bob.approvals.denyApproval({ approval_id, digest });
    }
  });

  const alterSchema = async (): Promise<void> => {
    number += 1;
    database.exec(`CREATE TABLE added_${String(number)} (id INTEGER PRIMARY KEY)`);
    await Promise.resolve();
  };
  /** A commit on a branch, by somebody whose commits need no approval. */
  const commit = async (branch: string): Promise<void> => {
    number += 1;
    const content = `<urn:a${String(number)}> <urn:b> "c" .\n`;
    await as("root", "operator", [
      "POST /api/state/import",
      { branch, format: "n-quads", content, message: `commit ${String(number)}` },
    ]);
  };
  const as = async (user: string, role: string, [route, body]: Call): Promise<Answer> => {
    const [method = "", path = ""] = route.split(" ");
    const type = body === undefined ? {} : { "content-type": "application/json" };
    const response = await fetch(`${shop.baseUrl}${path}`, {
      ...{ method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) },
      headers: { "x-org-id": ORG, "x-user-id": user, "x-user-role": role, ...type },
    });
    const text = await response.text();
    return response.ok ? {} : (JSON.parse(text) as Answer);
  };
  const ada = (call: Call): Promise<Answer> => as("ada", "admin", call);
  const approve = async (): Promise<string> => {
    const { approvals } = await bob.approvals.listApprovals({ status: "pending" });
    const [{ approval_id, digest } = { approval_id: "", digest: "" }] = approvals;
    await bob.approvals.grantApproval({ approval_id, digest });
    return approval_id;
  };

  /** What is named, and how it is moved. */
  interface Named {
    /** Makes a thing, and another one whose name is followed by `-other`. @returns the name of the first one. */
    readonly make: () => Promise<string>;
    /** Absent: no caller can give it another content. */
    readonly move?: (name: string) => Promise<void>;
  }
  const branch: Named = {
    make: async () => {
      const name = `branch-${String((number += 1))}`;
      await commit(name);
      await commit(`${name}-other`);
      return name;
    },
    move: commit,
  };
  const tag: Named = {
    make: async () => {
      const name = `tag-${String((number += 1))}`;
      for (const each of [name, `${name}-other`]) {
        await root.state.moveStateRef({
          ...{ name: `tags/${each}`, commit: "schemas/shop", expected: null },
        });
      }
      return name;
    },
    move: async (name) => {
      const [before, after] = await root.state.getStateLog({ from: `tags/${name}`, limit: 2 });
      await root.state.moveStateRef({
        name: `tags/${name}`,
        ...{ commit: after?.commit ?? "", expected: before?.commit ?? "" },
      });
    },
  };
  const SELECT = "SELECT id FROM orders";
  const plan: Named = {
    make: async () => {
      const steps = [{ id: "a", query_template: SELECT }];
      return (await root.plans.submit({ name: "p", steps, keep_open: true })).plan_id;
    },
    move: async (plan_id) => {
      const steps = [{ id: "b", query_template: "SELECT 2" }];
      await root.plans.appendSteps({ plan_id, steps });
    },
  };
  const step: Named = {
    make: plan.make,
    move: async (plan_id) => {
      const query_template = "SELECT name FROM products";
      await root.plans.reviseStep({ plan_id, step_id: "a", query_template });
    },
  };
  const schema: Named = { make: () => Promise.resolve("shop"), move: alterSchema };
  const migration: Named = {
    make: async () => {
      await root.migrations.acceptSchemaDrift({ database: "shop", message: "as it is" });
      const { sql } = await root.migrations.dumpSchema({ database: "shop" });
      number += 1;
      const wanted = `${sql}\nCREATE TABLE wanted_${String(number)} (id INTEGER PRIMARY KEY);`;
      const proposed = await root.migrations.proposeMigration({
        ...{ database: "shop", sql: wanted, message: "a wish" },
      });
      return "migration_id" in proposed ? proposed.migration_id : "";
    },
  };

  /** For each resolved parameter: what it names, the call, and the refusal of a run that is approved and not moved. */
  const CASES: Readonly<
    Record<string, readonly [named: Named, call: (name: string) => Call, code?: string]>
  > = {
    "mergeState.from": [branch, (from) => merge(`${from}-other`, from)],
    "mergeState.branch": [branch, (name) => merge(name, `${name}-other`)],
    "revertState.commit": [branch, (name) => revert(`${name}-other`, name)],
    "revertState.branch": [branch, (name) => revert(name, `${name}-other`)],
    "moveStateRef.commit": [
      branch,
      (name) => ["POST /api/state/refs", { name: `tags/of-${name}`, commit: name, expected: null }],
    ],
    "importState.branch": [
      branch,
      (name) => [
        "POST /api/state/import",
        { branch: name, format: "n-quads", content: '<urn:a> <urn:b> "c" .\n', message: "m" },
      ],
    ],
    "exportState.at": [branch, (at) => [`GET /api/state/export?at=${at}`]],
    "getStateLog.from": [branch, (from) => [`GET /api/state/log?from=${from}`]],
    "getStateDiff.from": [branch, (from) => [`GET /api/state/diff?from=${from}&to=${from}-other`]],
    "getStateDiff.to": [branch, (to) => [`GET /api/state/diff?to=${to}`]],
    "getStateAt.at": [branch, (at) => [`GET /api/state/at?at=${at}`]],
    "queryState.at": [
      branch,
      (at) => [
        "POST /api/state/query",
        { at, patterns: [{ subject: "?s", predicate: "?p", object: "?o" }] },
      ],
    ],
    "proveState.at": [
      branch,
      (at) => [
        `GET /api/state/proof?at=${at}&subject=${encodeURIComponent("<urn:a>")}&predicate=${encodeURIComponent("<urn:b>")}&object=${encodeURIComponent('"c"')}`,
      ],
    ],
    "compareSchemas.from": [
      tag,
      (from) => [`GET /api/state/schema-diff?from=${from}&to=${from}-other`],
    ],
    "compareSchemas.to": [tag, (to) => [`GET /api/state/schema-diff?from=${to}-other&to=${to}`]],
    "applyMigration.migration_id": [migration, (id) => run(id, "apply")],
    "revertMigration.migration_id": [migration, (id) => run(id, "revert"), "STATE_CONFLICT"],
    "resumeMigration.migration_id": [migration, (id) => run(id, "resume"), "STATE_CONFLICT"],
    "undoMigration.migration_id": [migration, (id) => run(id, "undo"), "STATE_CONFLICT"],
    "acceptSchemaDrift.database": [
      schema,
      (name) => [
        "POST /api/state/drift",
        { database: name, message: `accepted ${String((number += 1))}` },
      ],
    ],
    "appendSteps.plan_id": [
      plan,
      (id) => [`POST /api/plans/${id}/steps`, { steps: [{ id: "c", query_template: "SELECT 3" }] }],
    ],
    "forkPlan.plan_id": [plan, (id) => [`POST /api/plans/${id}/fork`, {}]],
    "reviseStep.step_id": [step, (id) => [`PATCH /api/plans/${id}/steps/a`, { name: "renamed" }]],
    "executeStep.step_id": [step, (id) => [`POST /api/plans/${id}/steps/a/execute`]],
  };

  it("every parameter that an operation resolves is tried here", () => {
    const resolved = Object.entries(DESCRIBED).flatMap(([operation, { resolves = {} }]) =>
      Object.keys(resolves).map((parameter) => `${operation}.${parameter}`),
    );
    expect(Object.keys(CASES).toSorted()).toEqual(resolved.toSorted());
  });

  it.each(Object.entries(CASES))(
    "%s: what is not moved runs once",
    async (_, [named, callOf, code]) => {
      const call = callOf(await named.make());
      expect(await ada(call)).toMatchObject({ code: "APPROVAL_REQUIRED" });
      const id = await approve();
      expect((await ada(call)).code).toBe(code);
      expect((await bob.approvals.getApproval({ approval_id: id })).status).toBe("used");
      expect(await ada(call)).toMatchObject({ code: "APPROVAL_REQUIRED" });
    },
  );

  const movable = Object.entries(CASES).filter(([, [{ move }]]) => move !== undefined);
  it.each(movable)(
    "%s: what is moved after the approval is refused",
    async (key, [named, callOf]) => {
      const [, parameter = ""] = key.split(".");
      const name = await named.make();
      const call = callOf(name);
      await ada(call);
      const id = await approve();
      await named.move?.(name);
      const answer = await ada(call);
      expect(answer).toMatchObject({
        code: "APPROVAL_REQUIRED",
        error: expect.stringMatching(
          `Approval ${id} does not cover this call, so that a new one is needed: ${parameter} "[^"]+" was \\w+ and is \\w+ now$`,
        ) as string,
      });
      expect((await bob.approvals.getApproval({ approval_id: id })).status).toBe("approved");
      // The new approval is for what the name stands for now.
      await approve();
      expect((await ada(call)).code).toBeUndefined();
    },
  );

  const merge = (into: string, from: string): Call => [
    "POST /api/state/merge",
    { branch: into, from, message: "m" },
  ];
  const revert = (on: string, undone: string): Call => [
    "POST /api/state/revert",
    { branch: on, commit: undone, message: "m" },
  ];
  const run = (id: string, way: string): Call => [`POST /api/state/migrations/${id}/${way}`, {}];
});
