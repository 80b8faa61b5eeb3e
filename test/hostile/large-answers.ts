import { Attacker } from "./attacker.js";
import { gets, grpc, posts, times, type To, type WorstRequests } from "./sent-together.js";

/** An organization of its own, so that what fills its store is not in the lists of the other requests. */
const ORG = "33333333-3333-4333-8333-333333333333";
/** Quads of the branch "wide", of 39 kB each: a document of 100 of them fits into a request. */
const WIDE_QUADS = 200;
const COMMITS = 200;
const APPROVALS = 200;
const ENTRIES = 100;
const PLANS = 200;
/** A statement and its value are each stored and shown. */
const DELETION = `DELETE FROM filled WHERE x = '${"x".repeat(60_000)}'`;
/** Rows of 2 MB as JSON. */
const ROWS = `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 9000)
  SELECT n, printf('%.200c', 'x') AS text FROM numbers`;
const NEEDS_APPROVAL = `@id("deletions") @approval("approver")
  forbid (principal, action == Steward::Action::"write_delete", resource)
  unless { context.approved };`;

/** Fills the store with what makes answers large. */
export async function fillLargeAnswers(url: string): Promise<void> {
  const attacker = new Attacker(url, ORG);
  const quads = (n: number): string => `<urn:s:${n}> <urn:p> "${"long ".repeat(7_800)}${n}" .\n`;
  await attacker.importState("main", "<urn:s> <urn:p> <urn:o> .");
  for (let n = 0; n < WIDE_QUADS; n += 100) {
    await attacker.importState("wide", times(100, (k) => quads(n + k)).join(""));
  }
  await attacker.importState("small", times(12, (n) => `<urn:s:${n}> <urn:p> "${n}" .\n`).join(""));
  for (let n = 0; n < COMMITS; n += 1) {
    const message = "m".repeat(8_000);
    await attacker.importState("log", `<urn:s:${n}> <urn:p> <urn:o> .`, { message });
  }
  for (let n = 0; n < ENTRIES; n += 1) {
    const content = JSON.stringify({ note: `${"word ".repeat(12_900)}${n}` });
    await attacker.send("POST", "/api/memory/entries", { session_id: "s", content });
  }
  for (let n = 0; n < PLANS; n += 1) {
    const steps = [{ id: "a", tool_name: "sql", query_template: "SELECT 1" }];
    const description = "d".repeat(8_000);
    await attacker.send("POST", "/api/plans", { name: `plan ${n}`, description, steps });
  }
  await attacker.send("PUT", "/api/policies", { text: NEEDS_APPROVAL, version: 0 });
  for (let n = 0; n < APPROVALS; n += 1) {
    const steps = [
      { id: "a", tool_name: "sql", intent: "write_delete", query_template: `${DELETION} -- ${n}` },
    ];
    const { data } = await attacker.send("POST", "/api/plans", { name: "deletion", steps });
    const { plan_id } = data as { readonly plan_id: string };
    await attacker.send("POST", `/api/plans/${plan_id}/steps/a/execute`);
  }
}

/**
 * Requests whose answers have megabytes, each alone and many at once.
 * @param share of the number of requests that is sent.
 */
export function largeAnswers(share: number): readonly WorstRequests[] {
  return LARGE_ANSWERS.flatMap(({ name, statuses = [200], send }) => [
    { name: `${name}, alone`, statuses, send: ({ url }) => send({ url, orgId: ORG }, 1) },
    {
      ...{ name: `${name}, by the hundred`, statuses },
      send: ({ url }) => send({ url, orgId: ORG }, Math.ceil(100 * share)),
    },
  ]);
}

interface LargeAnswer extends Pick<WorstRequests, "name" | "statuses"> {
  readonly send: (to: To, count: number) => Promise<readonly number[]>;
}

/** Patterns with 20 736 solutions over twelve quads. */
const CROSSED = times(4, (n) => ({ subject: `?s${n}`, predicate: `?p${n}`, object: `?o${n}` }));

const ALL_ENTRIES = { query: "word", top_k: 100 };

const LARGE_ANSWERS: readonly LargeAnswer[] = [
  {
    name: "pages of quads of 8 MB",
    send: (to, count) => gets(to, "/api/state/at?at=wide&limit=1000", count),
  },
  {
    name: "solutions of 8 MB",
    send: (to, count) => {
      const patterns = [{ subject: "?s", predicate: "<urn:p>", object: "?o" }];
      return posts(to, "/api/state/query", { at: "wide", patterns }, count);
    },
  },
  {
    name: "solutions with 120 000 small terms",
    send: (to, count) => posts(to, "/api/state/query", { at: "small", patterns: CROSSED }, count),
  },
  {
    name: "previews of merges",
    send: (to, count) =>
      posts(to, "/api/state/merge", { from: "wide", message: "m", preview: true }, count),
  },
  {
    name: "logs with long messages",
    send: (to, count) => gets(to, "/api/state/log?from=log&limit=200", count),
  },
  {
    name: "lists of approvals with long statements",
    send: (to, count) => gets(to, "/api/approvals?limit=200", count),
  },
  {
    name: "lists of plans with long descriptions",
    send: (to, count) => gets(to, "/api/plans?limit=200&text=plan", count),
  },
  {
    name: "lists of long memory entries",
    send: (to, count) => gets(to, "/api/memory/entries?limit=200", count),
  },
  {
    name: "searches that find 100 long memory entries",
    send: (to, count) => posts(to, "/api/memory/search", ALL_ENTRIES, count),
  },
  {
    name: "searches that find 100 long memory entries over gRPC",
    statuses: [0],
    // The fields 1, a text, and 2, an integer.
    send: (to, count) =>
      grpc(
        to,
        "MemoryService/SearchMemory",
        Buffer.concat([textField(1, ALL_ENTRIES.query), Buffer.from([0x10, ALL_ENTRIES.top_k])]),
        count,
      ),
  },
  {
    name: "searches that find 100 long memory entries over MCP",
    send: (to, count) => {
      const params = { name: "search_memory", arguments: ALL_ENTRIES };
      return posts(to, "/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params }, count);
    },
  },
  {
    name: "replays of a result of 2 MB",
    send: async (to, count) =>
      posts(to, `/api/plans/${await resultOf(to)}/steps/a/execute`, {}, count),
  },
  {
    name: "replays of a result of 2 MB over gRPC",
    statuses: [0],
    send: async (to, count) => {
      const request = Buffer.concat([textField(1, await resultOf(to)), textField(2, "a")]);
      return grpc(to, "ControlPlaneService/ExecuteStep", request, count);
    },
  },
];

/** A field of a message whose text has fewer than 128 bytes. */
function textField(number: number, text: string): Buffer {
  return Buffer.concat([Buffer.from([(number << 3) | 2, text.length]), Buffer.from(text)]);
}

/** Runs a step with a result of 2 MB. @returns the id of its plan. */
async function resultOf({ url, orgId }: To): Promise<string> {
  const attacker = new Attacker(url, orgId);
  const steps = [{ id: "a", tool_name: "sql", query_template: ROWS }];
  const { data } = await attacker.send("POST", "/api/plans", { name: "rows", steps });
  const { plan_id } = data as { readonly plan_id: string };
  await attacker.send("POST", `/api/plans/${plan_id}/steps/a/execute`);
  return plan_id;
}
