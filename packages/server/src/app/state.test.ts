import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { storeDatabase } from "../storage/postgres/testing/store-database.js";
import { openApp, type App } from "./app.js";
import { commitOfId, parseTerm, quad, verifyQuad } from "@steward/state";

const ORG = "11111111-1111-4111-8111-111111111111";
const OTHER = "22222222-2222-4222-8222-222222222222";

interface Answer {
  readonly status: number;
  readonly text: string;
  // The caller knows the type of the answer.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

/**
 * The place of a server's state, and a function that deletes one of its blocks: the largest, whose
 * hash it returns.
 */
interface Engine {
  readonly name: string;
  open(dir: string): Promise<
    AsyncDisposable & {
      readonly databaseUrl: string;
      loseBlock(orgId: string): Promise<string>;
    }
  >;
}

const SQLITE: Engine = {
  name: "SQLite",
  open: (dir) =>
    Promise.resolve({
      databaseUrl: `sqlite:${join(dir, "store.db")}`,
      loseBlock(orgId) {
        const db = new DatabaseSync(join(dir, "state", `${orgId}.db`));
        const { hash } = db
          .prepare(
            "SELECT lower(hex(hash)) AS hash FROM state_blocks ORDER BY length(bytes) DESC LIMIT 1",
          )
          .get() as { hash: string };
        db.exec(`DELETE FROM state_blocks WHERE hash = x'${hash}'`);
        db.close();
        return Promise.resolve(hash);
      },
      [Symbol.asyncDispose]: () => Promise.resolve(),
    }),
};

const POSTGRES: Engine = {
  name: "PostgreSQL",
  async open(dir) {
    const database = await storeDatabase();
    return {
      databaseUrl: database.url,
      async loseBlock(orgId) {
        const [row] = await database.query(
          `DELETE FROM state_blocks WHERE (org_id, hash) IN
             (SELECT org_id, hash FROM state_blocks WHERE org_id = '${orgId}'
              ORDER BY octet_length(bytes) DESC LIMIT 1)
           RETURNING encode(hash, 'hex') AS hash`,
        );
        // A node with a copy in its clone would not notice.
        rmSync(join(dir, "state-clones"), { recursive: true });
        return String(row?.["hash"]);
      },
      [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
    };
  },
};

describe.each([SQLITE, POSTGRES])("the state over REST, kept on $name", (engine) => {
  let dir: string;
  let app: App;
  let place: Awaited<ReturnType<Engine["open"]>>;
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), "steward-app-state-"));
    place = await engine.open(dir);
    const shop = new DatabaseSync(join(dir, "shop.db"));
    shop.exec("CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT)");
    shop.close();
    app = await openApp({
      port: 0,
      logLevel: "silent",
      databaseUrl: place.databaseUrl,
      dataDir: dir,
      dataSources: [{ name: "shop", url: `sqlite:${join(dir, "shop.db")}` }],
    });
  });
  afterAll(async () => {
    await app[Symbol.asyncDispose]();
    await place[Symbol.asyncDispose]();
    rmSync(dir, { recursive: true });
  });

  async function send(request: string, body?: unknown, orgId = ORG): Promise<Answer> {
    const [method = "", path = ""] = request.split(" ");
    const response = await fetch(`http://127.0.0.1:${app.address.port}/api/state/${path}`, {
      method,
      headers: {
        "x-org-id": orgId,
        "x-user-id": "ada",
        "x-user-role": "admin",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.includes("application/json") ?? false;
    return { status: response.status, text, body: isJson ? JSON.parse(text) : undefined };
  }

  const turtle = (content: string, more: object = {}): object => ({
    ...{ format: "turtle", content, message: "a change" },
    ...more,
  });
  const query = (parameters: Record<string, string>): string =>
    String(new URLSearchParams(parameters));

  it("answers an organization that has no state yet", async () => {
    expect(await send("GET refs")).toMatchObject({ status: 200, body: { data: [] } });
    expect(await send("GET log")).toMatchObject({
      status: 404,
      body: { code: "NOT_FOUND", error: 'There is no branch, tag or commit "main"' },
    });
    expect((await send("POST fsck")).body).toEqual({ data: [] });
    expect(readdirSync(dir)).not.toContain("state");
  });

  it("takes documents in, and tells their history", async () => {
    const first = await send("POST import", turtle('<a:tea> <p:price> 3 ; <p:name> "Tea"@en .'));
    expect(first).toMatchObject({
      status: 200,
      body: { data: { size: 2, added: 2, deleted: 0, commit: expect.stringMatching(/^bagu/) } },
    });
    const gone = turtle("<a:tea> <p:price> 3 .", { mode: "remove" });
    expect((await send("POST import", gone)).body.data).toMatchObject({ size: 1, deleted: 1 });
    const again = (await send("POST import", gone)).body.data;
    const { data: log } = (await send("GET log")).body;
    expect(
      (log as Record<string, unknown>[]).map((entry) => [
        entry["author"],
        entry["message"],
        entry["size"],
      ]),
    ).toEqual([
      ["ada", "a change", 1],
      ["ada", "a change", 2],
    ]);
    expect(again).toMatchObject({ commit: log[0].commit, added: 0, deleted: 0 });
    expect(log[0].parents).toEqual([log[1].commit]);
    expect((await send("GET log?limit=1")).body.data).toEqual([log[0]]);
    const { data: diff } = (await send(`GET diff?${query({ from: log[1].commit })}`)).body;
    expect(diff).toEqual({
      from: log[1].commit,
      to: log[0].commit,
      added: [],
      deleted: [
        {
          subject: { type: "uri", value: "a:tea" },
          predicate: { type: "uri", value: "p:price" },
          object: {
            type: "literal",
            value: "3",
            datatype: "http://www.w3.org/2001/XMLSchema#integer",
          },
        },
      ],
      truncated: false,
    });
    expect((await send("GET diff")).body.data).toEqual(diff);
  });

  it("replaces a dataset, so that the same document has the same root", async () => {
    const shop = turtle("[] <p:sells> <a:tea>, <a:milk> .", { branch: "shop", mode: "replace" });
    await send("POST import", shop);
    await send("POST import", { ...shop, content: "<a:x> <p:y> <a:z> ." });
    await send("POST import", shop);
    const { data: log } = (await send("GET log?from=shop")).body;
    expect(log).toHaveLength(3);
    expect([log[0].root === log[2].root, log[0].root === log[1].root]).toEqual([true, false]);
  });

  it("refuses a query whose few rows have more bytes than an answer may have", async () => {
    const facts = Array.from({ length: 12 }, (_, n) => `<a:s${n}> <p:p> "${n}" .`).join("\n");
    await send("POST import", turtle(facts, { branch: "wide" }));
    const patterns = Array.from({ length: 32 }, (_, n) => ({
      subject: `?s${n}`,
      predicate: `?p${n}`,
      object: `?o${n}`,
    }));
    expect(await send("POST query", { at: "wide", patterns })).toMatchObject({
      status: 400,
      body: {
        code: "LIMIT_EXCEEDED",
        error: "The answer has more than 8388608 bytes: lower the limit, or use fewer variables",
      },
    });
    expect((await send("POST query", { at: "wide", patterns, limit: 10 })).status).toBe(200);
  });

  it.each(["n-triples", "n-quads", "turtle", "trig", "json-ld"])(
    "gives a dataset out as %s that comes in with the same root",
    async (format) => {
      const whole = { mode: "replace", branch: `out-${format}` };
      await send("POST import", turtle("<a:a> <p:b> 1.50, 'x'@en, [ <p:c> [] ] .", whole));
      const { text, status } = await send(`GET export?${query({ at: whole.branch, format })}`);
      expect(status).toBe(200);
      const back = { format, content: text, message: "back", mode: "replace", branch: "back" };
      expect((await send("POST import", back)).status).toBe(200);
      const rootOf = async (ref: string): Promise<string> =>
        (await send(`GET log?${query({ from: ref, limit: "1" })}`)).body.data[0].root;
      expect(await rootOf("back")).toBe(await rootOf(whole.branch));
    },
  );

  it("gives named graphs out where the format knows them, or one of them", async () => {
    const content = "<g:1> { <a:a> <p:b> <a:c> } <a:d> <p:e> <a:f> .";
    await send("POST import", { format: "trig", content, message: "m", branch: "graphs" });
    expect((await send("GET export?at=graphs&format=turtle")).body).toMatchObject({
      code: "INVALID_ARGUMENT",
      details: [{ field: "format" }],
    });
    const one = query({ at: "graphs", format: "n-triples", graph: "<g:1>" });
    expect((await send(`GET export?${one}`)).text).toBe("<a:a> <p:b> <a:c> .\n");
    expect((await send("GET export?at=graphs")).text.split("\n")).toHaveLength(3);
  });

  it("answers patterns and SPARQL", async () => {
    const content = "<a:ada> <p:knows> <a:bob>, <a:eve> . <a:bob> <p:age> 7 . <a:eve> <p:age> 70 .";
    await send("POST import", turtle(content, { branch: "people" }));
    const page = await send(`GET at?${query({ at: "people", predicate: "<p:age>", limit: "1" })}`);
    expect(page.body.data).toMatchObject({ count: 2, quads: [{ predicate: { value: "p:age" } }] });
    const patterns = [
      { subject: "<a:ada>", predicate: "<p:knows>", object: "?who" },
      {
        subject: "?who",
        predicate: "<p:age>",
        object: '"7"^^<http://www.w3.org/2001/XMLSchema#integer>',
      },
    ];
    const bob = { who: { type: "uri", value: "a:bob" } };
    expect((await send("POST query", { at: "people", patterns })).body.data).toEqual({
      head: { vars: ["who"] },
      results: { bindings: [bob] },
    });
    const sparql = "SELECT ?who { <a:ada> <p:knows> ?who . ?who <p:age> ?n FILTER(?n < 18) }";
    expect((await send("POST query", { at: "people", sparql })).body.data).toEqual({
      head: { vars: ["who"] },
      results: { bindings: [bob] },
    });
    expect((await send("POST query", { at: "people", sparql: "ASK {}" })).body.data).toMatchObject({
      boolean: true,
    });
    const built = { at: "people", sparql: "CONSTRUCT { ?a <p:is> ?b } { ?a <p:age> ?b }" };
    expect((await send("POST query", built)).body.data.quads).toHaveLength(2);
  });

  it("proves to whoever trusts a commit's id that it has a quad or has it not", async () => {
    const { commit } = (await send("POST import", turtle("<a:a> <p:b> 'c' .", { branch: "proof" })))
      .body.data;
    for (const [object, present] of [
      ['"c"', true],
      ['"d"', false],
    ] as const) {
      const asked = { at: "proof", subject: "<a:a>", predicate: "<p:b>", object };
      const { data: proof } = (await send(`GET proof?${query(asked)}`)).body;
      expect(proof).toMatchObject({ commit, present });
      const stated = quad(
        parseTerm("<a:a>", "s") as never,
        parseTerm("<p:b>", "p") as never,
        parseTerm(object, "o") as never,
      );
      const sent = { commitBlock: proof.commit_block, nodes: proof.nodes };
      expect(verifyQuad(commit, stated, sent)).toBe(present);
      const forged = sent.nodes.map((node: string) => {
        const bytes = Buffer.from(node, "base64");
        bytes[bytes.length - 5] = (bytes[bytes.length - 5] ?? 0) ^ 1;
        return bytes.toString("base64");
      });
      expect(verifyQuad(commit, stated, { ...sent, nodes: forged })).toBeUndefined();
      const other = (await send("GET log?from=people")).body.data[0].commit;
      expect(verifyQuad(other, stated, sent)).toBeUndefined();
    }
  });

  it("moves refs only from where they were expected", async () => {
    const [entry] = (await send("GET log")).body.data;
    const tag = { name: "tags/v1", commit: "main", expected: null };
    expect((await send("POST refs", tag)).body.data).toEqual({
      name: "tags/v1",
      commit: entry.commit,
    });
    expect(await send("POST refs", tag)).toMatchObject({
      status: 409,
      body: { code: "STATE_CONFLICT", error: expect.stringContaining(entry.commit) },
    });
    const gone = { name: "tags/v1", commit: null, expected: entry.commit };
    expect((await send("POST refs", gone)).body.data).toEqual({ name: "tags/v1", commit: null });
    expect((await send("POST refs", { ...tag, commit: "nowhere" })).status).toBe(404);
    expect((await send("POST refs", { ...tag, name: "elsewhere" })).status).toBe(400);
    const late = turtle("<a:late> <p:b> 1 .", { expected: null });
    expect(await send("POST import", late)).toMatchObject({
      status: 409,
      body: { code: "STATE_CONFLICT" },
    });
    expect((await send("GET log")).body.data[0]).toEqual(entry);
  });

  it("merges, previews, and reports conflicts without changing anything", async () => {
    const base = "<a:tea> <p:price> 3 . <a:milk> <p:price> 1 .";
    await send("POST import", turtle(base, { branch: "ours" }));
    await send("POST refs", { name: "heads/theirs", commit: "ours", expected: null });
    await send("POST import", turtle("<a:tea> <p:price> 4 .", { branch: "theirs" }));
    await send("POST import", turtle("<a:rum> <p:price> 9 .", { branch: "ours" }));
    const merge = { branch: "ours", from: "theirs", message: "together" };
    const preview = (await send("POST merge", { ...merge, preview: true })).body.data;
    expect(preview).toMatchObject({ outcome: "merged", added: 1, deleted: 0, conflicts: [] });
    expect((await send("GET log?from=ours")).body.data).toHaveLength(2);
    const merged = (await send("POST merge", merge)).body.data;
    const [entry] = (await send("GET log?from=ours")).body.data;
    expect(entry).toMatchObject({ commit: merged.commit, message: "together", size: 4 });
    expect(entry.parents).toHaveLength(2);
    expect((await send("POST merge", merge)).body.data.outcome).toBe("nothing to merge");
    const forward = { branch: "theirs", from: "ours", message: "x" };
    expect((await send("POST merge", forward)).body.data).toMatchObject({
      outcome: "fast-forward",
      commit: merged.commit,
    });

    await send("POST import", turtle("<a:rum> <p:maker> 'A' .", { branch: "ours" }));
    await send("POST import", turtle("<a:rum> <p:maker> 'B' .", { branch: "theirs" }));
    const strict = { ...merge, single_valued: ["p:maker"] };
    expect((await send("POST merge", { ...strict, preview: true })).body.data).toMatchObject({
      outcome: "conflicts",
      conflicts: [
        {
          kind: "two-values",
          subject: { value: "a:rum" },
          ours: [{ value: "A" }],
          theirs: [{ value: "B" }],
        },
      ],
    });
    expect(await send("POST merge", strict)).toMatchObject({
      status: 409,
      body: {
        code: "STATE_CONFLICT",
        details: [
          { field: "two-values", reason: '<a:rum> <p:maker>: ours says "A", theirs says "B"' },
        ],
      },
    });
    expect((await send("GET log?from=ours&limit=1")).body.data[0].message).toBe("a change");
  });

  it("refuses malformed input with its place, and changes nothing", async () => {
    const before = (await send("GET refs")).body;
    expect(await send("POST import", turtle("<a:a> <p:b>\n  <c> ."))).toMatchObject({
      status: 400,
      body: {
        code: "INVALID_ARGUMENT",
        error: "content: line 2, column 3: <c> is relative, and there is no base",
        details: [{ field: "content" }],
      },
    });
    expect((await send("POST import", turtle("", { format: "rdf/xml" }))).status).toBe(400);
    expect((await send("POST import", turtle("", { branch: "../x" }))).status).toBe(400);
    expect(await send("POST query", { sparql: "SELECT" })).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining("sparql: line 1") },
    });
    expect((await send("POST query", {})).status).toBe(400);
    expect(await send("GET at?subject=tea")).toMatchObject({
      status: 400,
      body: { details: [{ field: "subject" }] },
    });
    expect((await send("GET at?at=bagunothing")).status).toBe(400);
    expect((await send("GET refs")).body).toEqual(before);
  });

  it("refuses an import whose branch is elsewhere before it reads the document", async () => {
    const { commit } = (await send("POST import", turtle("<a:a> <p:b> 1 .", { branch: "here" })))
      .body.data;
    for (const [branch, expected] of [
      ["nowhere", commit],
      ["here", null],
    ]) {
      expect(
        await send("POST import", turtle("<a:a> <p:b> <c> .", { branch, expected })),
      ).toMatchObject({
        status: 409,
        body: { code: "STATE_CONFLICT" },
      });
    }
  });

  it("shows nothing of an organization to another, not even to one that knows the hashes", async () => {
    const [secret] = (await send("GET log")).body.data;
    const { commit } = secret;
    expect((await send("GET refs", undefined, OTHER)).body.data).toEqual([]);
    await send("POST import", turtle("<a:own> <p:b> 1 ."), OTHER);
    const theft = query({ subject: "<a:tea>", predicate: "<p:name>", object: '"Tea"@en' });
    for (const path of [
      `GET log?from=${commit}`,
      `GET at?at=${commit}`,
      `GET diff?to=${commit}`,
      `GET export?at=${commit}`,
      `GET proof?at=${commit}&${theft}`,
      `GET at?at=${commitOfId(commit)}`,
    ]) {
      expect(await send(path, undefined, OTHER)).toMatchObject({ status: 404 });
    }
    const taken = { name: "tags/t", commit, expected: null };
    expect((await send("POST refs", taken, OTHER)).status).toBe(404);
    expect((await send("GET at", undefined, OTHER)).body.data.count).toBe(1);
  });

  it("keeps migrations, and the history of the schemas that they change", async () => {
    const sql = "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT)";
    const proposal = { database: "shop", sql, message: "cities" };
    const { migration_id: id } = (await send("POST migrations", proposal)).body.data;
    expect((await send(`POST migrations/${id}/verify`)).body.data).toMatchObject({ proven: true });
    for (const [run, status] of [
      ["apply", "applied"],
      ["revert", "reverted"],
      ["apply", "applied"],
    ] as const) {
      const order = { accept_data_loss: true };
      const { data: done } = (await send(`POST migrations/${id}/${run}`, order)).body;
      expect(done.status).toBe(status);
      expect((await send(`GET migrations/${id}`)).body.data).toEqual(done);
    }
    const { data: commits } = (await send("GET log?from=schemas/shop")).body;
    expect(commits.map(({ message }: { message: string }) => message)).toEqual([
      `Apply ${id}: cities`,
      `Revert ${id}: cities`,
      `Apply ${id}: cities`,
      "Record the schema of shop",
    ]);
    expect((await send("GET drift?database=shop")).body.data.differences).toEqual([]);
  });

  it("names a damaged block, reads on where it is not needed, and finds it by fsck", async () => {
    const org = "33333333-3333-4333-8333-333333333333";
    const own = (request: string, body?: unknown): Promise<Answer> => send(request, body, org);
    const many = Array.from({ length: 3000 }, (_, n) => `<a:s${n}> <p:p${n % 7}> ${n} .`);
    await own("POST import", turtle(many.join("\n")));
    expect((await own("POST fsck")).body.data).toEqual([]);
    expect((await own("POST gc")).body.data).toMatchObject({ deleted: 0 });
    const hash = await place.loseBlock(org);
    const faults = (await own("POST fsck")).body.data;
    expect(faults).toContainEqual(expect.objectContaining({ block: hash, ref: "heads/main" }));
    expect(await own("POST gc")).toMatchObject({
      status: 500,
      body: { code: "STATE_CORRUPTED", error: expect.stringContaining(hash) },
    });
    expect((await own("GET log")).status).toBe(200);
    const statuses = await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        own(`GET at?${query({ subject: `<a:s${n * 100}>` })}`).then(({ status }) => status),
      ),
    );
    expect(statuses).toContain(200);
  });
});

describe("the state of a server without a store", () => {
  it("is not kept, and says so", async () => {
    await using app = await openApp({ port: 0, logLevel: "silent" });
    const url = `http://127.0.0.1:${app.address.port}/api/state/refs`;
    const response = await fetch(url);
    expect([response.status, await response.json()]).toEqual([
      503,
      {
        code: "STORE_UNAVAILABLE",
        error: "The state is not stored: set SERVICE_DATABASE_URL, such as sqlite:PATH",
      },
    ]);
    // A document that cannot be stored is not even read.
    const imported = await fetch(url.replace(/refs$/, "import"), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ format: "turtle", content: "malformed", message: "m" }),
    });
    expect(imported.status).toBe(503);
  });
});
