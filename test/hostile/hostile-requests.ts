import type { Answer, Attacker } from "./attacker.js";

/** A request whose cost for the server would exceed its sender's, without limits. */
export interface HostileRequest {
  readonly name: string;
  /** Prepares the data of the attack. */
  readonly prepare?: (attacker: Attacker) => Promise<unknown>;
  readonly send: (attacker: Attacker) => Promise<Answer & { readonly attempts?: number }>;
  /** Whether it takes many seconds to reach a limit. */
  readonly isLong?: boolean;
  /** The expected refusal; absent: the request is served. */
  readonly refusal?: { readonly code: string; readonly error: RegExp };
}

const count = <T>(length: number, make: (n: number) => T): T[] =>
  Array.from({ length }, (_, n) => make(n));

const joined = (length: number, make: (n: number) => string): string =>
  count(length, make).join("");

/** Numbers from 0, as a table `c (n)`. */
const numbers = (last: number): string =>
  `WITH RECURSIVE c (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM c WHERE n < ${last})`;

const quads = (length: number, name: string): string =>
  joined(length, (n) => `<urn:${name}:${n}> <urn:p:${n % 7}> "${n}" .\n`);

/** Requests for state. @param quadsMax number of quads on each side of a merge. */
const stateRequests = (quadsMax: number): readonly HostileRequest[] => [
  {
    name: "a ring of 10 000 blank nodes",
    send: (attacker) =>
      attacker.importState(
        "ring",
        joined(10_000, (n) => `_:b${n} <urn:p> _:b${(n + 1) % 10_000} .\n`),
      ),
  },
  {
    name: "a list of 10 000 blank nodes",
    send: (attacker) =>
      attacker.importState(
        "list",
        joined(10_000, (n) => `_:b${n} <urn:first> "x" .\n_:b${n} <urn:rest> _:b${n + 1} .\n`),
      ),
  },
  {
    name: "blank nodes that all refer to each other",
    send: (attacker) =>
      attacker.importState(
        "clique",
        joined(180, (n) => joined(180, (m) => (n === m ? "" : `_:b${n} <urn:p> _:b${m} .\n`))),
      ),
  },
  {
    name: "an import of many quads",
    send: (attacker) => attacker.importState("large", quads(quadsMax, "l")),
  },
  {
    name: "a merge of many changes on either side",
    prepare: async (attacker) => {
      await attacker.importState("ours", quads(10, "base"));
      const { data } = await attacker.send("GET", "/api/state/refs");
      const refs = data as readonly { readonly name: string; readonly commit: string }[];
      const commit = refs.find(({ name }) => name === "heads/ours")?.commit;
      await attacker.send("POST", "/api/state/refs", {
        name: "heads/theirs",
        commit,
        expected: null,
      });
      await attacker.importState("ours", quads(quadsMax, "o"));
      await attacker.importState("theirs", quads(quadsMax, "t"));
    },
    send: (attacker) =>
      attacker.send("POST", "/api/state/merge", {
        ...{ branch: "ours", from: "theirs", message: "m", preview: true },
        single_valued: count(7, (n) => `urn:p:${n}`),
      }),
  },
  {
    name: "a diff of many changes",
    send: (attacker) => attacker.send("GET", "/api/state/diff?from=ours&to=theirs&limit=1000"),
  },
  {
    name: "a page at the end of many quads",
    send: (attacker) =>
      attacker.send("GET", `/api/state/at?at=large&offset=${quadsMax - 1000}&limit=1000`),
  },
  {
    name: "patterns that look at 200 000 quads",
    send: (attacker) =>
      attacker.send("POST", "/api/state/query", {
        at: "large",
        patterns: [
          { subject: "?s", predicate: "?p", object: "?o" },
          { subject: "?t", predicate: "?q", object: "?r" },
          { subject: "?u", object: "?o" },
        ],
        limit: 10_000,
      }),
    refusal: { code: "LIMIT_EXCEEDED", error: /more specific/ },
  },
];

/** Plans that are refused or accepted before anything runs. */
const PLANS: readonly HostileRequest[] = [
  {
    name: "60 templates of 64 KiB",
    send: (attacker) => attacker.send("POST", "/api/plans", { steps: longSteps(60, 65_000) }),
    refusal: { code: "LIMIT_EXCEEDED", error: /512|524288/ },
  },
  {
    name: "8 templates of 64 KiB",
    send: (attacker) => attacker.send("POST", "/api/plans", { steps: longSteps(8, 65_000) }),
  },
  {
    name: "1000 steps of 200 unknown fields",
    send: (attacker) => {
      const fields = Object.fromEntries(count(200, (n) => [`f${n}`, 0]));
      return attacker.send("POST", "/api/plans", {
        steps: count(1000, (n) => ({ ...fields, id: `s${n}` })),
      });
    },
    refusal: { code: "LIMIT_EXCEEDED", error: /more than 50000 fields/ },
  },
  {
    name: "1000 steps of 100 hints",
    send: (attacker) => {
      const schema_table_hints = count(100, (n) => `table_${n}`);
      const steps = count(1000, (n) => ({ ...step(`s${n}`, "SELECT 1"), schema_table_hints }));
      return attacker.send("POST", "/api/plans", { steps });
    },
  },
  {
    name: "1000 steps of 100 dependencies",
    send: (attacker) => {
      const before = (n: number): string[] => count(Math.min(n, 100), (back) => `s${n - 1 - back}`);
      const steps = count(1000, (n) => ({ ...step(`s${n}`, "SELECT 1"), depends_on: before(n) }));
      return attacker.send("POST", "/api/plans", { steps });
    },
  },
  {
    name: "the description of the API",
    send: (attacker) => attacker.send("GET", "/openapi.json"),
  },
];

/** Statements that need more resources than a process may use. */
const STATEMENTS: readonly HostileRequest[] = [
  {
    name: "twelve blobs of 64 MB in a row",
    send: (attacker) =>
      attacker.run(`SELECT ${count(12, (n) => `zeroblob(64000000) AS c${n}`).join(", ")}`),
    refusal: { code: "STEP_FAILED", error: /more than 768 MiB of memory/ },
  },
  {
    name: "a sort that spills to the disk",
    isLong: true,
    send: (attacker) =>
      attacker.run(`${numbers(3_000_000)} SELECT n, hex(randomblob(400)) AS x FROM c ORDER BY x`),
    refusal: { code: "STEP_FAILED", error: /more than 1024 MiB of temporary space/ },
  },
  {
    name: "a recursive INSERT",
    send: (attacker) =>
      attacker.run(`INSERT INTO filled ${numbers(100_000_000)} SELECT n, zeroblob(1000) FROM c`),
    refusal: { code: "STEP_FAILED", error: /one statement may let the file grow/ },
  },
];

/**
 * The requests of one organization, in this order, because some build on others. @param quadsMax
 * number of quads of a dataset.
 */
export function hostileRequests(quadsMax: number): readonly HostileRequest[] {
  return [...PLANS, ...stateRequests(quadsMax), ...STATEMENTS];
}

function step(id: string, query_template: string): Readonly<Record<string, unknown>> {
  return { id, tool_name: "sql", query_template };
}

/** Steps with statements that take long to analyze. */
function longSteps(steps: number, length: number): readonly unknown[] {
  return count(steps, (n) => {
    const terms = count(Math.floor(length / 10), (m) => `(${m % 10} + ${n % 10})`).join(" + ");
    return step(`s${n}`, `SELECT ${terms}`.slice(0, length).replace(/[^)]*$/, ""));
  });
}
