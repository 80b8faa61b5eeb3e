import { generateKeyPairSync, randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { submitPlanRequestSchema } from "@steward/operations";
import { freshDatabase } from "@steward/test-postgres";
import { Client } from "pg";
import { describe, expect, it } from "vitest";
import { TokenIssuer } from "../conformance/parties/token-issuer.js";
import { snippetsOf, type Snippet } from "./markdown.js";
import { runSnippets, type Surroundings } from "./sandbox.js";

/** Each document's snippets run in order, as a reader would run them, in their own folder. */
const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Snippets that no test runs as scripts, by document and language or first line, and why. */
const NOT_SCRIPTS: Readonly<Record<string, string>> = {
  "ARCHITECTURE.md ": "shows pictures",
  "CONTRIBUTING.md sh": "starts all tests, this one too",
  "docs/decisions/0003-states.md ": "shows pictures",
  "docs/data-sources.md sql": "run below, on PostgreSQL",
  "docs/authentication.md yaml": "identity-mtls/known-clients.test.ts reads it",
  "docs/scale-out.md SERVICE_DATABASE_URL=postgres://steward@coordinator.example.com/steward npx steward migrate --distribute":
    "needs a Citus cluster; test/citus runs it",
  "docs/install.md sh": "needs a registry; release/installed.long.test.ts installs",
  "packages/server/README.md sh": "as docs/install.md",
  "docs/scale-out.md sql": "needs the servers of a Citus cluster",
  "docs/migration-locks.md sql": "postgres-database/online-indexes.test.ts leads to it",
  "docs/tools-file.md npx steward tools list": "needs other MCP servers; cli/tools runs it",
  "docs/tools-file.md npx steward tools test": "cli/tools/vetted-statements.test.ts runs it",
  "docs/tools-file.md npx steward tools login tickets": "needs a browser; cli/tools runs it",
  "docs/tools-file.md yaml": "config/tools-file/tools-file.test.ts reads it",
  "docs/tools-file.md json": "a step alone; conformance tests execute its tool",
  "docs/approvals.md ": "policies for operations; app/approved-operations.test.ts puts such ones",
  "docs/hints.md ": "shows a hint",
  "docs/mcp.md text": "commands of MCP clients, which are not installed here",
  "docs/mcp.md json": "settings of MCP clients; documents.test.ts parses them",
  "docs/webhooks.md json": "shows a message",
  "packages/console/README.md ": "shows folders",
  "docs/migrations.md ": "shows output",
  "docs/migrations.md sql": "postgres-database/schema-moves.test.ts leads to it",
};

const documents = [
  ...[".", "docs", "docs/decisions", "examples"].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith(".md"))
      .map((name) => join(folder, name)),
  ),
  ...readdirSync(join(root, "packages")).map((name) => `packages/${name}/README.md`),
].map((file) => ({ file, snippets: snippetsOf(file, read(file)) }));

/** Documents whose scripts a test has run. */
const ran = new Set<string>();

/** Ends what hangs: a document starts several Node processes in sequence, beside other documents. */
const TIMEOUT_MS = 600_000;

// Each document has its own folder and port, and mostly waits for its processes, so documents run
// concurrently.
describe.concurrent("the snippets of", { timeout: TIMEOUT_MS }, () => {
  it("README.md do what they say, in order, in an empty folder", async () => {
    const output = await runs("README.md", { files: ["steward/.keep", "shop/shop.db"] });
    // A score above zero shows that the found entry's vector is not all zeros.
    expect(output).toMatch(/"score":0\.[1-9]/);
  });

  it("packages/client/README.md, docs/state.md and docs/policies.md do what they say, on one server", async () => {
    // The policies come last, because they forbid what others do.
    const files = ["packages/client/README.md", "docs/state.md", "docs/policies.md"];
    const output = await runs(files, { serves: true });
    for (const said of [
      "PlanCompleted",
      "deny: Customers are for people",
      "at most 100 rows may change",
    ]) {
      expect(output).toContain(said);
    }
  });

  it("packages/schema/README.md compare two databases", async () => {
    const output = await runs("packages/schema/README.md");
    for (const said of [
      "+ Index by_total",
      "they differ",
      "BEGIN IMMEDIATE;",
      "ok  the script gave",
    ]) {
      expect(output).toContain(said);
    }
  });

  it("packages/state/README.md commit twice", async () => {
    const output = await runs("packages/state/README.md");
    expect([...output.matchAll(/^b\w+ (\d)$/gm)].map(([, size]) => size)).toEqual(["1", "2"]);
  });

  it("packages/kernel/README.md drain a queue, and hide an error's message", async () => {
    const output = await runs("packages/kernel/README.md");
    expect(output).toContain("first\nsecond\nthird\nINTERNAL Internal error\n");
  });

  it("packages/postgres/README.md say what an error means", async () => {
    await using database = await freshDatabase();
    const output = await runs("packages/postgres/README.md", {
      env: { DATABASE_URL: database.url },
    });
    expect(output).toContain("22012 false\n");
  });

  it("docs/approvals.md, audit.md, audit-export.md and retention.md do what they say, on one server", async () => {
    const files = [
      ...["docs/approvals.md", "docs/audit.md", "docs/audit-export.md", "docs/retention.md"],
    ];
    const output = await runs(files, {
      serves: true,
      env: { SIEM_TOKEN: "token" },
      // Not every machine has the sqlite3 shell.
      programs: {
        sqlite3:
          'exec "$NODE" -e \'const { DatabaseSync } = require("@photostructure/sqlite"); new DatabaseSync(process.argv[1]).exec(process.argv[2])\' "$@"',
      },
    });
    for (const said of [
      "the step waits for an approval",
      "1 of the role approver (1 missing)",
      "write_delete on shop",
      "PlanApprovalDecided delete approved",
      "records are those that were signed",
      '"class_uid":6005',
      "Case 2026-18",
    ]) {
      expect(output).toContain(said);
    }
  });

  it("docs/console.md serve a console to which people sign in at an OpenID provider", async () => {
    await using issuer = await TokenIssuer.start();
    const folder = mkdtempSync(join(tmpdir(), "steward-openid-"));
    const secret = join(folder, "openid");
    writeFileSync(secret, "the-secret-of-the-client");
    try {
      await runs("docs/console.md", {
        files: ["steward/.keep"],
        replace: {
          "https://login.example.com/tenant": issuer.issuer,
          "/run/secrets/openid": secret,
        },
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("docs/webhooks.md name a target", async () => {
    await runs("docs/webhooks.md");
  });

  it("docs/migrations.md do what they say, with stand-ins for the tools of others", async () => {
    const dump = "cat schema/schema.sql";
    await runs("docs/migrations.md", {
      serves: true,
      env: { WANTED: "postgres://elsewhere/shop", EMPTY: "postgres://elsewhere/empty" },
      programs: {
        pg_dump: dump,
        atlas: dump,
        "foreign-prisma": dump,
        "foreign-drizzle-kit": `touch extra.sql; ${dump}`,
      },
    });
  });

  it("docs/embed.md start apps in a program's own process", async () => {
    const output = await runs("docs/embed.md", { files: ["shop/shop.db"] });
    const events = "PLAN_NOT_ACTIVE\nPlanCreated\nPlanStarted\nPlanStepStarted\n";
    for (const said of ['[{"n":1}]', events, "closed", "count_orders", '[{"text":"HELLO"}]']) {
      expect(output).toContain(said);
    }
  });

  it("docs/operate.md check, back up, restore and migrate a store", async () => {
    const output = await runs("docs/operate.md", { files: ["shop/shop.db"] });
    expect(output).toContain("0 failed");
    expect(output).toContain('"ready":true');
    expect(output).toContain("steward_store_commits_total");
    expect(output).toMatch(/steward\.db\.before-/);
    expect(output).toContain("is up to date");
  });

  it("docs/authentication.md make a key, and start servers that take keys and tokens", async () => {
    await using issuer = await TokenIssuer.start();
    const org_id = "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11";
    const aud = "https://steward.example.com";
    const output = await runs("docs/authentication.md", {
      files: ["steward/.keep"],
      env: { TOKEN: issuer.token({ aud, org_id, sub: "ada", roles: ["agent"] }, 600) },
      replace: { "https://login.example.com/tenant": issuer.issuer },
    });
    expect(output).toContain('"agent_id":"invoice-agent"');
  });

  it("docs/scale-out.md start a server on PostgreSQL", async () => {
    await using database = await freshDatabase();
    const folder = mkdtempSync(join(tmpdir(), "steward-scale-out-"));
    const key = join(folder, "audit.key");
    const { privateKey } = generateKeyPairSync("ed25519");
    writeFileSync(key, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
    try {
      await runs("docs/scale-out.md", {
        replace: {
          "postgres://steward@db.example.com/steward": database.url,
          "/run/secrets/audit.key": key,
        },
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("docs/data-sources.md set a data source, and make a role that may read and mark", async () => {
    await runs("docs/data-sources.md");
    await using database = await freshDatabase();
    const client = new Client({ connectionString: database.url });
    await client.connect();
    // Roles belong to the whole server, which other tests share, so the name is unique.
    const role = `steward_crm_${String(process.pid)}`;
    const organization = `crm_acme_${String(process.pid)}`;
    try {
      await client.query("CREATE SCHEMA crm; CREATE TABLE crm.contacts (id integer PRIMARY KEY)");
      await client.query("CREATE TABLE crm.notes (id integer PRIMARY KEY, org_id uuid)");
      const name = new URL(database.url).pathname.slice(1);
      for (const { language, text } of snippetsIn("docs/data-sources.md")) {
        const own = text
          .replaceAll("steward_crm", role)
          .replaceAll("crm_acme", organization)
          .replace("DATABASE crm", `DATABASE "${name}"`);
        if (language === "sql") await client.query(own);
      }
      await client.query(`SET ROLE ${role}`);
      await client.query("SELECT id FROM crm.contacts");
      await client.query("DELETE FROM crm._steward_steps");
      await expect(client.query("DELETE FROM crm.contacts")).rejects.toThrow("permission denied");
      const [own, other] = [randomUUID(), randomUUID()];
      await client.query(`RESET ROLE; SET ROLE ${organization}; SET steward.org_id = '${own}'`);
      await client.query("INSERT INTO crm.notes VALUES (1, $1)", [own]);
      const foreign = client.query("INSERT INTO crm.notes VALUES (2, $1)", [other]);
      await expect(foreign).rejects.toThrow("row-level security");
    } finally {
      const roles = `${role}, ${organization}`;
      await client.query(`RESET ROLE; DROP OWNED BY ${roles}; DROP ROLE ${roles}`);
      await client.end();
    }
  });
});

describe.concurrent("the example of POST /api/plans in the API reference", () => {
  it(
    "runs on the sample data",
    async () => {
      const [plan] = [submitPlanRequestSchema.meta()?.["examples"]].flat();
      const text = [
        'import { createClient } from "@steward/client";',
        'const { plans } = createClient({ baseUrl: "http://127.0.0.1:8080" });',
        `const { plan_id } = await plans.submit(${JSON.stringify(plan)});`,
        "console.log((await plans.run(plan_id)).status);",
      ].join("\n");
      const snippet = { place: "/openapi.json", language: "ts", text, prose: "" };
      const { code, output } = await runSnippets(root, [snippet], { serves: true });
      expect([code, output]).toEqual([0, expect.stringMatching(/^completed$/m)]);
    },
    TIMEOUT_MS,
  );
});

// After the concurrent tests above.
describe("the snippets", () => {
  it("of every document are all found", () => {
    for (const { file, snippets } of documents) {
      const fences = [...read(file).matchAll(/^ *```/gm)].length;
      expect([file, snippets.length]).toEqual([file, fences / 2]);
    }
  });

  it("that no test runs as scripts are listed, with the reason", () => {
    const left = documents.flatMap(({ file, snippets }) =>
      snippets
        .filter((snippet) => !isScript(file, snippet))
        .map((snippet) => exceptionOf(file, snippet) ?? `${file} ${snippet.language}`),
    );
    expect([...new Set(left)].sort()).toEqual(Object.keys(NOT_SCRIPTS).sort());
  });

  it("of every other document were run by a test of this file", () => {
    const withScripts = documents.filter(({ file }) => scriptsOf(file).length > 0);
    expect(withScripts.map(({ file }) => file).sort()).toEqual([...ran].sort());
  });
});

/** Runs the scripts of documents, one after the other in one shell, and expects each to succeed. */
async function runs(files: string | readonly string[], around: Surroundings = {}): Promise<string> {
  const scripts = [files].flat().flatMap((file) => {
    ran.add(file);
    return scriptsOf(file);
  });
  expect(scripts.length).toBeGreaterThan(0);
  const { code, output } = await runSnippets(root, scripts, around);
  expect(code, output).toBe(0);
  return output;
}

function scriptsOf(file: string): readonly Snippet[] {
  return snippetsIn(file).filter((snippet) => isScript(file, snippet));
}

function isScript(file: string, snippet: Snippet): boolean {
  return ["sh", "ts"].includes(snippet.language) && exceptionOf(file, snippet) === undefined;
}

/** The entry of {@link NOT_SCRIPTS} that a snippet falls under; `undefined`: none. */
function exceptionOf(file: string, { language, text }: Snippet): string | undefined {
  const [firstLine = ""] = text.split("\n");
  return [language, firstLine].map((key) => `${file} ${key}`).find((key) => key in NOT_SCRIPTS);
}

function snippetsIn(file: string): readonly Snippet[] {
  return documents.find((document) => document.file === file)?.snippets ?? [];
}

function read(file: string): string {
  return existsSync(join(root, file)) ? readFileSync(join(root, file), "utf8") : "";
}
