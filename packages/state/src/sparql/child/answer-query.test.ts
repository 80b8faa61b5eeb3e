import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { iri, jsonTerm, quad, type Quad, text, typed } from "../../index.js";
import { asking, datasetOf, engineAnswer, linesOf } from "../testing/datasets.js";
import { oddLiteral, XSD } from "../testing/odd-literals.js";
import { randomOf, RandomQueries } from "../testing/random-query.js";

const xsd = (lexical: string, name: string): ReturnType<typeof typed> =>
  typed(lexical, iri(XSD + name));

/** Gives each literal a subject of its own. */
function said(literals: readonly ReturnType<typeof typed>[]): readonly Quad[] {
  return literals.map((literal, index) => quad(iri(`a:${index}`), iri("a:says"), literal));
}

const rowsOf = (
  answer: ReturnType<ReturnType<typeof asking>>,
): readonly Record<string, unknown>[] => (answer.kind === "solutions" ? answer.rows : []);

describe("answers in the terms of the dataset", () => {
  it("tell seven forms of one value apart, and compare them by their value", () => {
    const forms = [
      ...[xsd("1", "integer"), xsd("01", "integer"), xsd("+1", "integer"), xsd("1.0", "decimal")],
      ...[xsd("1.00", "decimal"), xsd("1e0", "double"), xsd("1", "byte")],
    ];
    const ask = asking(datasetOf(forms.map((form) => quad(iri("a:a"), iri("a:says"), form))));
    const count = "SELECT (COUNT(*) AS ?all) (COUNT(DISTINCT ?o) AS ?different)";
    const seven = { type: "literal", value: "7", datatype: `${XSD}integer` };
    expect(rowsOf(ask(`${count} { ?s <a:says> ?o }`))).toEqual([{ all: seven, different: seven }]);
    const equal = rowsOf(ask("SELECT ?o { ?s <a:says> ?o FILTER(?o = 1) }"));
    expect(new Set(equal)).toEqual(new Set(forms.map((form) => ({ o: jsonTerm(form) }))));
    const one = `SELECT ?o { ?s <a:says> ?o FILTER(sameTerm(?o, "01"^^<${XSD}integer>)) }`;
    expect(rowsOf(ask(one))).toEqual([{ o: jsonTerm(xsd("01", "integer")) }]);
    expect(ask(`ASK { ?s <a:says> "001"^^<${XSD}integer> }`)).toMatchObject({ value: false });
    expect(rowsOf(ask("SELECT (SUM(?o) AS ?sum) { ?s <a:says> ?o }"))).toMatchObject([
      { sum: { value: "7" } },
    ]);
  });

  it("are exactly the dataset's literals, whatever their datatypes and forms", () => {
    const query = [
      "SELECT ?s ?o { ?s <a:says> ?o }",
      "SELECT ?s ?o { ?s <a:says> ?x BIND(?x AS ?o) }",
      "SELECT ?s (SAMPLE(?x) AS ?o) { ?s <a:says> ?x } GROUP BY ?s",
      "SELECT ?s (MAX(?x) AS ?o) { ?s <a:says> ?x } GROUP BY ?s",
      "SELECT ?s ?o { { SELECT DISTINCT ?o { ?any <a:says> ?o } ORDER BY ?o } ?s <a:says> ?o }",
      "SELECT ?s (IF(isLiteral(?x), COALESCE(?none, ?x), ?s) AS ?o) { ?s <a:says> ?x } ORDER BY ?x",
      "SELECT ?s ?o { ?s ?says ?o FILTER(sameTerm(?o, ?o)) MINUS { ?o ?says ?s } }",
    ];
    const literals = fc.array(oddLiteral, { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(literals, fc.constantFrom(...query), (all, sparql) => {
        const quads = said(all);
        const rows = quads.map(({ subject, object }) => ({
          s: jsonTerm(subject),
          o: jsonTerm(object),
        }));
        const answer = asking(datasetOf(quads))(sparql);
        const expected = { kind: "solutions", variables: ["s", "o"], rows } as const;
        expect(linesOf(answer)).toEqual(linesOf(expected));
      }),
      { numRuns: 150 },
    );
  });

  it("are found by their form where a pattern has them, and counted by it", () => {
    fc.assert(
      fc.property(fc.array(oddLiteral, { minLength: 1, maxLength: 6 }), (all) => {
        const ask = asking(datasetOf(said(all)));
        for (const literal of all) {
          const form = `${JSON.stringify(literal.value)}^^<${literal.datatype.value}>`;
          const same = all.filter((other) => other.equals(literal)).length;
          expect(rowsOf(ask(`SELECT ?s { ?s <a:says> ${form} }`))).toHaveLength(same);
          expect(rowsOf(ask(`SELECT ?s { VALUES ?o { ${form} } ?s <a:says> ?o }`))).toHaveLength(
            same,
          );
          expect(rowsOf(ask(`SELECT ?s { BIND(${form} AS ?o) ?s <a:says> ?o }`))).toHaveLength(
            same,
          );
        }
        const different = new Set(all.map((one) => JSON.stringify(jsonTerm(one)))).size;
        const count = "SELECT (COUNT(DISTINCT ?o) AS ?n) { ?s <a:says> ?o }";
        expect(rowsOf(ask(count))).toMatchObject([{ n: { value: String(different) } }]);
      }),
      { numRuns: 40 },
    );
  });

  it("have the values that the engine computes", () => {
    const conditions = [
      ...["?o > 1", "?o = ?p", "?o + 1 > ?p", "?o IN (1, 2.0, true)", "YEAR(?o) > 2000"],
      ...["!?o", "?o < ?p || ?o > ?p", "COALESCE(?o, 1) = 1", "isNumeric(?o)", "ABS(?o) < 10"],
      ...["IF(?o > 1, ?o, ?p) = ?o", "NOT EXISTS { ?x <a:says> ?q FILTER(?q > ?o) }"],
    ];
    const queries = [
      ...conditions.map((condition) => `SELECT ?s { ?s <a:says> ?o, ?p FILTER(${condition}) }`),
      "SELECT ?s { ?s <a:says> ?o } ORDER BY ?o ?s",
      // A sum of floats and doubles depends on the order of its terms.
      "SELECT (SUM(?o) AS ?sum) (AVG(?o) AS ?mean) { { SELECT ?o { ?s <a:says> ?o FILTER(isNumeric(?o)) } ORDER BY ?s } }",
      "SELECT ?s (?o + 1 AS ?more) (ROUND(?o) AS ?near) { ?s <a:says> ?o }",
    ];
    const literals = fc.array(oddLiteral, { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(literals, fc.constantFrom(...queries), (all, sparql) => {
        const quads = said(all);
        expect(linesOf(asking(datasetOf(quads))(sparql))).toEqual(
          linesOf(engineAnswer(quads, sparql)),
        );
      }),
      { numRuns: 150 },
    );
  });

  it("have the least and greatest term of each group, as it is written", () => {
    const prices = [
      ...[
        ["tea", "1.50"],
        ["tea", "02.5"],
        ["tea", "2.50"],
        ["rum", "1.5"],
        ["rum", "0.10"],
      ],
    ] as const;
    const quads = prices.flatMap(([kind, price], index) => [
      quad(iri(`a:${index}`), iri("a:kind"), text(kind)),
      quad(iri(`a:${index}`), iri("a:price"), xsd(price, "decimal")),
    ]);
    const ask = asking(datasetOf(quads));
    const each = "?s <a:kind> ?kind ; <a:price> ?price";
    const extremes = "(MIN(?price) AS ?least) (MAX(?price) AS ?most)";
    const decimal = (value: string): object => ({
      type: "literal",
      value,
      datatype: `${XSD}decimal`,
    });
    const [tea, rum] = rowsOf(
      ask(`SELECT ?kind ${extremes} { ${each} } GROUP BY ?kind ORDER BY DESC(?most)`),
    );
    expect(tea).toEqual({
      kind: { type: "literal", value: "tea" },
      least: decimal("1.50"),
      most: decimal("02.5"),
    });
    expect(rum).toMatchObject({ least: decimal("0.10"), most: decimal("1.5") });
    const spread = "SELECT (MAX(?price) - MIN(?price) AS ?spread) { ?s <a:price> ?price }";
    expect(rowsOf(ask(spread))).toEqual([{ spread: decimal("2.4") }]);
    const inner =
      "SELECT * { { SELECT (MAX(?p) AS ?most) { ?x <a:price> ?p } } ?s <a:price> ?most }";
    expect(() => ask(inner)).toThrow(/^sparql: MIN and MAX .* use ORDER BY and LIMIT 1$/);
  });
});

describe("queries that load only what their patterns match", () => {
  it("have the answers that they have on the whole dataset", () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const random = new RandomQueries(randomOf(seed));
        const dataset = datasetOf(random.quads(30));
        const whole = asking(dataset, 100_000);
        for (let round = 0; round < 8; round++) {
          const sparql = random.query();
          expect(linesOf(asking(dataset)(sparql)), sparql).toEqual(linesOf(whole(sparql)));
        }
      }),
      { numRuns: 40 },
    );
  });

  it("read few blocks of a large dataset", () => {
    const orders = Array.from({ length: 30_000 }, (_, index) => index);
    const dataset = datasetOf(
      orders.flatMap((order) => [
        quad(iri(`a:order/${order}`), iri("a:customer"), iri(`a:customer/${order % 3000}`)),
        quad(iri(`a:order/${order}`), iri("a:number"), xsd(String(order), "integer")),
        quad(iri(`a:order/${order}`), iri("a:note"), text(`note ${order}`)),
      ]),
    );
    let reads = 0;
    const counting = {
      ...dataset,
      blocks: { get: (hash: never) => (reads++, dataset.blocks.get(hash)) },
    };
    const seven = "?o <a:customer> <a:customer/7> ; <a:number> ?number";
    for (const [sparql, rows] of [
      [`SELECT * { ${seven} }`, 10],
      [`SELECT * { ${seven} OPTIONAL { ?o <a:note> ?note } }`, 10],
      [`SELECT * { ${seven} FILTER NOT EXISTS { ?o <a:note> "note 7" } }`, 9],
      ["SELECT * { ?o <a:number> 1234 . { ?o <a:note> ?n } UNION { ?o <a:customer> ?n } }", 2],
      ["SELECT * { VALUES ?o { <a:order/1> <a:order/2> } ?o ?p ?x }", 6],
      ["SELECT * { ?o ?p ?x FILTER(?o = <a:order/1>) }", 3],
      ["SELECT * { <a:order/7> <a:customer>/^<a:customer>/<a:number> ?n }", 10],
      ["SELECT * { ?s ?p ?o } LIMIT 10", 10],
    ] as const) {
      reads = 0;
      expect(rowsOf(asking(counting)(sparql)), sparql).toHaveLength(rows);
      expect(reads, sparql).toBeLessThan(60);
    }
  });
});
