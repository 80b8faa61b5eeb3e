import { afterAll, describe, expect, it } from "vitest";
import { blank, iri, jsonTerm, quad, text, tripleTerm, typed } from "../index.js";
import { OxigraphEngine } from "./index.js";
import { datasetOf } from "./testing/datasets.js";

const example = (name: string): ReturnType<typeof iri> => iri(`http://e/${name}`);
const integer = iri("http://www.w3.org/2001/XMLSchema#integer");

const shop = datasetOf([
  quad(example("ada"), example("bought"), example("tea")),
  quad(example("ada"), example("age"), typed("36", integer)),
  quad(example("bob"), example("age"), typed("7", integer)),
  quad(blank("b7"), example("name"), text("Tee", "de")),
  quad(example("ada"), example("bought"), example("milk"), example("archive")),
]);

/** A query that takes until it is stopped. */
const ENDLESS = `SELECT (COUNT(*) AS ?n) { ${Array.from({ length: 9 }, (_, n) => `?s${n} ?p${n} ?o${n} .`).join(" ")} FILTER(?o0 != ?o1) }`;

describe("SPARQL", () => {
  const engine = new OxigraphEngine();
  afterAll(() => engine[Symbol.asyncDispose]());

  it("selects, with filters, aggregates and named graphs", async () => {
    const grown = "SELECT ?who WHERE { ?who <http://e/age> ?age FILTER(?age > 17) }";
    expect(await engine.query(shop, grown)).toEqual({
      kind: "solutions",
      variables: ["who"],
      rows: [{ who: { type: "uri", value: "http://e/ada" } }],
    });
    const total = "SELECT (SUM(?age) AS ?sum) WHERE { ?who <http://e/age> ?age }";
    expect(await engine.query(shop, total)).toMatchObject({
      rows: [{ sum: { type: "literal", value: "43", datatype: integer.value } }],
    });
    const archived = "SELECT ?what WHERE { GRAPH <http://e/archive> { ?who ?did ?what } }";
    expect(await engine.query(shop, archived)).toMatchObject({
      rows: [{ what: { type: "uri", value: "http://e/milk" } }],
    });
  });

  it("asks and constructs; blank nodes keep their labels", async () => {
    const ask = 'ASK { ?x <http://e/name> "Tee"@de }';
    expect(await engine.query(shop, ask)).toEqual({ kind: "boolean", value: true });
    const construct = "CONSTRUCT { ?x <http://e/called> ?n } WHERE { ?x <http://e/name> ?n }";
    expect(await engine.query(shop, construct)).toEqual({
      kind: "quads",
      quads: [
        {
          subject: { type: "bnode", value: "b7" },
          predicate: { type: "uri", value: "http://e/called" },
          object: { type: "literal", value: "Tee", "xml:lang": "de" },
        },
      ],
    });
  });

  it("finds triple terms by their parts, tells them in JSON, and knows base directions", async () => {
    const price = tripleTerm(example("tea"), example("price"), typed("3", integer));
    const doubt = tripleTerm(blank("b7"), example("doubts"), price);
    const reifies = iri("http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies");
    const reviews = datasetOf([
      quad(blank("r"), reifies, price),
      quad(blank("r"), example("by"), text("آدا", "ar", "rtl")),
      quad(example("s"), reifies, doubt),
    ]);
    const who =
      "SELECT ?who (LANGDIR(?who) AS ?dir) WHERE { << ?what <http://e/price> 3 >> <http://e/by> ?who }";
    expect(await engine.query(reviews, who)).toMatchObject({
      rows: [
        {
          who: { type: "literal", value: "آدا", "xml:lang": "ar", "its:dir": "rtl" },
          dir: { type: "literal", value: "rtl" },
        },
      ],
    });
    const all = `SELECT ?t WHERE { <http://e/s> <${reifies.value}> ?t }`;
    expect(await engine.query(reviews, all)).toMatchObject({ rows: [{ t: jsonTerm(doubt) }] });
    const built = `CONSTRUCT { ?s <http://e/says> ?t } WHERE { ?s <${reifies.value}> ?t }`;
    const answer = await engine.query(reviews, built);
    expect("quads" in answer && answer.quads.map(({ object }) => object)).toEqual(
      expect.arrayContaining([jsonTerm(doubt), jsonTerm(price)]),
    );
  });

  it("sees the dataset it is asked about, whichever was asked before", async () => {
    const count = "SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o }";
    const other = datasetOf([quad(example("a"), example("p"), text("x"))]);
    const counted = await Promise.all([shop, other, shop].map((one) => engine.query(one, count)));
    expect(counted.map((answer) => "rows" in answer && answer.rows[0]?.["n"]?.value)).toEqual([
      "4",
      "1",
      "4",
    ]);
  });

  it("refuses what is no query, naming the place, and what would reach out or change", async () => {
    await expect(engine.query(shop, "SELECT * WHERE {\n ?s ?p }")).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringMatching(/^sparql: line 2, column \d+: expected/) as unknown,
    });
    for (const sparql of [
      "SELECT * WHERE { SERVICE <http://127.0.0.1:1/> { ?s ?p ?o } }",
      "INSERT DATA { <a:a> <a:b> <a:c> }",
      "SELECT * FROM <http://127.0.0.1:1/> WHERE { ?s ?p }",
    ]) {
      await expect(engine.query(shop, sparql)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    }
  });

  it("ends a query that takes too long, and answers the next", async () => {
    await using hasty = new OxigraphEngine({ queryMs: 1500 });
    const many = datasetOf(
      Array.from({ length: 400 }, (_, n) => quad(example(`s${n}`), example("p"), text(String(n)))),
    );
    const product =
      "SELECT (COUNT(*) AS ?n) WHERE { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i FILTER(?c != ?f && ?f != ?i) }";
    await expect(hasty.query(many, product)).rejects.toMatchObject({ code: "DEADLINE_EXCEEDED" });
    expect(await hasty.query(shop, "ASK {}")).toEqual({ kind: "boolean", value: true });
  });

  it("answers one organization while queries of another one never end", async () => {
    await using engine = new OxigraphEngine({ queryMs: 1000 });
    const flood = Array.from({ length: 4 }, () =>
      engine.query(shop, ENDLESS).catch((error: unknown) => error),
    );
    const other = { ...shop, orgId: "22222222-2222-4222-8222-222222222222" };
    const served = engine.query(other, "ASK {}");
    expect(await Promise.race([served, Promise.all(flood)])).toEqual({
      kind: "boolean",
      value: true,
    });
    await Promise.all(flood);
  });

  it("refuses more queries of one organization than may wait", async () => {
    await using engine = new OxigraphEngine({ queriesMax: 1, processesMax: 1 });
    const asked = [1, 2, 3].map(() => engine.query(shop, "ASK {}"));
    const [, , refused] = await Promise.allSettled(asked);
    expect(refused).toMatchObject({ reason: { code: "OVERLOADED" } });
  });

  it("refuses a query that looks at too much, or has too large an answer, and says what to do", async () => {
    await using small = new OxigraphEngine({ quadsMax: 3, wholeQuadsMax: 3, answerBytesMax: 200 });
    await expect(small.query(shop, "SELECT * { ?s ?p ?o }")).rejects.toMatchObject({
      code: "LIMIT_EXCEEDED",
      message: expect.stringMatching(
        /more than 3 of the dataset's 5 quads.*name a subject/,
      ) as unknown,
    });
    const few = "SELECT ?what { <http://e/ada> <http://e/bought> ?what }";
    expect(await small.query(shop, few)).toMatchObject({ rows: [{ what: { type: "uri" } }] });
    const long = datasetOf([quad(example("a"), example("p"), text("x".repeat(300)))]);
    await expect(small.query(long, "SELECT * { ?s ?p ?o }")).rejects.toMatchObject({
      code: "LIMIT_EXCEEDED",
      message: expect.stringContaining("LIMIT") as unknown,
    });
  });

  it("refuses a query that needs too much memory, and answers the next", async () => {
    await using frugal = new OxigraphEngine({ memoryBytesMax: 300 * 1024 * 1024 });
    const doublings = Array.from(
      { length: 27 },
      (_, n) => `BIND(CONCAT(?x${n}, ?x${n}) AS ?x${n + 1})`,
    );
    const long = `SELECT (STRLEN(?x27) AS ?n) { VALUES ?x0 { "12345678" } ${doublings.join(" ")} }`;
    await expect(frugal.query(shop, long)).rejects.toMatchObject({
      code: "LIMIT_EXCEEDED",
      message: expect.stringContaining("300 MiB") as unknown,
    });
    expect(await frugal.query(shop, "ASK {}")).toEqual({ kind: "boolean", value: true });
  });

  it("tells which block a query could not read", async () => {
    await using one = new OxigraphEngine();
    const lost = { ...shop, blocks: { get: () => undefined } };
    await expect(one.query(lost, "SELECT * { ?s ?p ?o }")).rejects.toMatchObject({
      code: "STATE_CORRUPTED",
      message: expect.stringContaining(shop.roots.spog) as unknown,
    });
  });

  it("says how to get the engine where it is not installed", async () => {
    await using absent = new OxigraphEngine({}, "no-such-engine");
    await expect(absent.query(shop, "ASK {}")).rejects.toMatchObject({
      code: "UNIMPLEMENTED",
      message: expect.stringContaining("npm install no-such-engine") as unknown,
    });
  });
});
