import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AppError } from "@steward/kernel/errors.js";
import { NOBODY } from "@steward/kernel/testing/nobody.js";
import { cedarEngine, defaultPolicies } from "../adapters/policy-cedar/index.js";
import { SqliteAnalyzer } from "../adapters/sql-analyzer/index.js";
import { PostgresAnalyzer } from "../adapters/sql-analyzer/postgres-analyzer.js";
import {
  ApprovalRequired,
  type Dialect,
  type Intent,
  intentCovers,
  INTENTS,
  type PlannedStatement,
  type StatementGrant,
  type TouchedData,
} from "../governance/index.js";
import { aauWeight } from "../usage/index.js";
import { Authorizer } from "./authorizer.js";

/** What a statement does decides: declaring another intent never gets more than declaring none. */
const ANALYZERS = { sqlite: new SqliteAnalyzer(), postgres: await PostgresAnalyzer.load() };
const engine = cedarEngine();
const SHIPPED = engine.compile([defaultPolicies()]);

const STATEMENTS: readonly (readonly [Dialect, string])[] = [
  ["sqlite", "SELECT * FROM orders"],
  ["sqlite", "INSERT INTO orders VALUES (1)"],
  ["sqlite", "INSERT INTO orders VALUES (1) ON CONFLICT DO UPDATE SET id = 2"],
  ["sqlite", "REPLACE INTO orders VALUES (1)"],
  ["sqlite", "UPDATE OR REPLACE orders SET id = 1"],
  ["sqlite", "UPDATE orders SET id = 1 RETURNING *"],
  ["sqlite", "DELETE FROM orders WHERE id = 1"],
  ["sqlite", "EXPLAIN DELETE FROM orders"],
  ["sqlite", "WITH old AS (SELECT 1 AS id) DELETE FROM orders WHERE id IN (SELECT id FROM old)"],
  ["sqlite", "INSERT OR IGNORE INTO orders SELECT id FROM old RETURNING id"],
  ["sqlite", "DROP TABLE orders"],
  ["postgres", "WITH gone AS (DELETE FROM orders RETURNING *) SELECT * FROM gone"],
  ["postgres", "WITH gone AS (DELETE FROM orders RETURNING *) INSERT INTO old SELECT * FROM gone"],
  ["postgres", "MERGE INTO orders o USING new n ON o.id = n.id WHEN MATCHED THEN DELETE"],
  ["postgres", "TRUNCATE orders CASCADE"],
  ["postgres", "EXPLAIN ANALYZE DELETE FROM orders"],
  ["postgres", "DELETE FROM orders WHERE id = nextval('s')"],
  ["postgres", "SELECT * FROM orders FOR UPDATE"],
  ["postgres", "INSERT INTO orders VALUES (1) ON CONFLICT (id) DO UPDATE SET id = 2 RETURNING *"],
  ["postgres", "WITH a AS (UPDATE orders SET id = 1 RETURNING *) SELECT count(*) FROM a"],
  ["postgres", "SELECT wipe(id) FROM orders"],
  ["postgres", "SELECT pg_notify('c', 'x')"],
];

const ROLES = ["operator", "admin", "schema", "approver", "agent", "auditor", "contractor"];

const anyPolicy = fc
  .record({
    action: fc.constantFrom(
      "",
      ...INTENTS.map((intent) => `action == Steward::Action::"${intent}"`),
      ...["writes", "statements"].map((group) => `action in Steward::Action::"${group}"`),
    ),
    resource: fc.constantFrom("", 'resource == Steward::Table::"shop/orders"'),
    when: fc.constantFrom(
      "",
      "when { context.aau > 3 }",
      "when { context.aau < 4 }",
      ...INTENTS.map((intent) => `when { context.intent == "${intent}" }`),
      ...INTENTS.map((intent) => `unless { context.intent == "${intent}" }`),
    ),
    effect: fc.constantFrom("deny", "approval", "rows"),
  })
  .map(({ action, resource, when, effect }, index = 0) => {
    const scope = `(principal, ${action || "action"}, ${resource || "resource"})`;
    const isAbout = action !== "" && !action.includes('"statements"');
    const asked = isAbout
      ? { scope, when }
      : {
          scope: `(principal, action in Steward::Action::"statements", ${resource || "resource"})`,
          when,
        };
    switch (effect) {
      case "approval":
        return `@id("a${String(index)}") @approval("approver") forbid ${asked.scope} ${when} unless { context.approved };`;
      case "rows":
        return `@rows_changed_max("5") forbid ${asked.scope} ${when} when { context.rowsChangedMax > 5 };`;
      default:
        return `forbid ${asked.scope} ${when};`;
    }
  });

/** A policy about one role, or about all. */
const anyPolicyOfRole = fc
  .tuple(anyPolicy, fc.constantFrom("", ...ROLES))
  .map(([policy, role]) =>
    role === "" ? policy : policy.replace("(principal", `(principal in Steward::Role::"${role}"`),
  );

const anyTouched: fc.Arbitrary<TouchedData | undefined> = fc.option(
  fc.subarray(["read", "insert", "update", "delete"] as const).map((accesses) => ({
    tables: [
      {
        name: "orders",
        accesses: Object.fromEntries(accesses.map((access) => [access, ["id"]])),
        columns: ["id"],
      },
    ],
    functions: [],
  })),
  { nil: undefined },
);

/** What a caller gets: the grant, the approvals that are missing, or nothing. */
type Got = StatementGrant | ApprovalRequired | "denied";

async function got(
  authorizer: Authorizer,
  [role, ...writers]: readonly string[],
  asked: PlannedStatement,
): Promise<Got> {
  const [caller, ...others] = [role ?? "", ...writers].map(
    (each) => ({ ...NOBODY, kind: "agent", agentId: `bot ${each}`, roles: [each] }) as const,
  );
  const written = others.length === 0 ? caller : { ...caller, writers: others };
  try {
    return await authorizer.permit({ ...NOBODY, ...written }, asked);
  } catch (error) {
    if (error instanceof ApprovalRequired) return error;
    if (error instanceof AppError && error.code === "POLICY_DENIED") return "denied";
    throw error;
  }
}

function authorizerWith(own: readonly string[]): Authorizer {
  const policies = engine.compile([defaultPolicies(), own.join("\n")]);
  return new Authorizer({
    policies: { shipped: SHIPPED, of: () => policies },
    clock: { nowMs: () => Date.UTC(2026, 0, 5, 9) },
    statements: { aauOf: aauWeight, rowsChangedMax: 500 },
    providerIsRemote: false,
  });
}

/** Whether the one gets nothing that the other does not get. */
function isAtMost(one: Got, other: Got): boolean {
  if (one === "denied") return true;
  if (other === "denied") return false;
  const limits = [one, other].map((each) =>
    each instanceof ApprovalRequired ? each.needed.rowsChangedMax : each.rowsChangedMax,
  );
  if ((limits[0] ?? Infinity) > (limits[1] ?? Infinity)) return false;
  if (!(other instanceof ApprovalRequired)) return true;
  if (!(one instanceof ApprovalRequired)) return false;
  const ids = new Set(one.needed.rules.map(({ policyId }) => policyId));
  return other.needed.rules.every(({ policyId }) => ids.has(policyId));
}

describe("a declared intent", () => {
  it("never gets more than the statement would without one, under any policies and roles", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...STATEMENTS),
        fc.constantFrom(...INTENTS),
        fc.constantFrom(...ROLES),
        fc.array(anyPolicy, { maxLength: 3 }),
        anyTouched,
        async ([dialect, sql], intent, role, own, touched) => {
          const analysis = ANALYZERS[dialect].analyze(sql, dialect);
          if (analysis.kind === "rejected") throw new Error(analysis.message);
          const { statementClass, kinds } = analysis;
          if (!intentCovers(intent, statementClass)) return;
          const authorizer = authorizerWith(own);
          const ask = (declared: Intent) =>
            got(authorizer, [role], {
              ...{ dataSource: "shop", intent: declared, kinds },
              ...(touched && { touched }),
            });
          const [declared, derived] = [await ask(intent), await ask(statementClass)];
          expect(isAtMost(declared, derived), `${sql} as ${intent}: ${own.join(" ")}`).toBe(true);
        },
      ),
      { numRuns: 100 },
    );
  }, 60_000);
});

/** The caller and two writers. */
const anyParties = fc.tuple(...[0, 1, 2].map(() => fc.constantFrom(...ROLES)));

describe("a statement that others wrote", () => {
  it("gets what its caller and each of its writers would get, and nothing more", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...INTENTS),
        anyParties,
        fc.array(anyPolicyOfRole, { maxLength: 3 }),
        anyTouched,
        async (intent, parties, own, touched) => {
          const authorizer = authorizerWith(own);
          const asked = { dataSource: "shop", intent, ...(touched && { touched }) };
          const together = await got(authorizer, parties, asked);
          const alone = await Promise.all(parties.map((role) => got(authorizer, [role], asked)));
          const about = `${intent} of ${parties.join(", ")}: ${own.join(" ")}`;
          for (const each of alone) expect(isAtMost(together, each), about).toBe(true);
          if (!alone.includes("denied")) expect(together, about).not.toBe("denied");
          const isFree = alone.every((each) => each !== "denied" && !(each instanceof AppError));
          if (isFree) expect(together, about).not.toBeInstanceOf(AppError);
        },
      ),
      { numRuns: 100 },
    );
  }, 60_000);
});

describe("the kinds of a statement", () => {
  it.each([
    ["sqlite", "SELECT 1", "read_select"],
    ["sqlite", "INSERT INTO a VALUES (1) RETURNING id", "write_insert"],
    ["sqlite", "INSERT INTO a SELECT * FROM b RETURNING *", "write_insert read_select"],
    [
      "sqlite",
      "INSERT INTO a VALUES (1) ON CONFLICT DO UPDATE SET id = 1",
      "write_update write_insert",
    ],
    ["sqlite", "REPLACE INTO a VALUES (1)", "write_delete write_insert"],
    ["sqlite", "UPDATE OR REPLACE a SET id = 1", "write_delete write_update"],
    ["sqlite", "DELETE FROM a RETURNING *", "write_delete read_select"],
    ["sqlite", "DROP TABLE a", "admin"],
    ["postgres", "SELECT * FROM a FOR UPDATE", "write_update read_select"],
    ["postgres", "INSERT INTO a VALUES (1) RETURNING id", "write_insert"],
    [
      "postgres",
      "INSERT INTO a VALUES (1) ON CONFLICT (id) DO UPDATE SET id = 1",
      "write_update write_insert",
    ],
    [
      "postgres",
      "WITH d AS (DELETE FROM a RETURNING *) SELECT * FROM d",
      "write_delete read_select",
    ],
    [
      "postgres",
      "WITH d AS (DELETE FROM a RETURNING *) INSERT INTO b SELECT * FROM d",
      "cross_system_transaction write_insert write_delete",
    ],
    ["postgres", "TRUNCATE a CASCADE", "admin write_delete"],
    ["postgres", "SELECT nextval('s')", "write_insert read_select"],
    ["postgres", "UPDATE a SET id = nextval('s')", "write_update"],
  ] as const)("of %s: %s are %s", (dialect, sql, kinds) => {
    const analysis = ANALYZERS[dialect].analyze(sql, dialect);
    expect(analysis.kind === "statement" && analysis.kinds.join(" ")).toBe(kinds);
  });
});
