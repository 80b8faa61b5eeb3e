import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bodyHash, readTerm, TAG, termEnd, writeTerm } from "./codec.js";
import { type Hash, hashOf } from "../blocks/hash.js";
import { blank, DEFAULT_GRAPH, type Direction, iri, Literal, type Term } from "./term.js";
import { text, tripleTerm, typed, XSD_STRING } from "./term.js";

const XSD = "http://www.w3.org/2001/XMLSchema#";
const bodies = new Map<Hash, Buffer>();

/** The term's bytes, with another term behind them as in a key. */
function encode(term: Term): Buffer {
  const out = Buffer.alloc(64 * 1024, 0xee);
  const end = writeTerm(term, out, 0, (hash, body) => bodies.set(hash, body));
  out[end] = TAG.defaultGraph;
  expect(termEnd(out, 0)).toBe(end);
  return out.subarray(0, end + 1);
}

function decode(bytes: Buffer): Term {
  return readTerm(bytes, 0, (hash) => bodies.get(hash) ?? Buffer.alloc(0));
}

const lexical = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.string({ unit: fc.constantFrom("\0", "a", "ä", "\u{10ffff}"), maxLength: 400 }),
);
const numberType = fc.constantFrom("integer", "decimal", "double", "byte").map((n) => iri(XSD + n));
const atom = fc.oneof(
  fc.webUrl().map(iri),
  fc.string({ unit: fc.constantFrom("a", "b", "1"), minLength: 1 }).map(blank),
  lexical.map((value) => text(value)),
  lexical.map((value) => text(value, "en-GB")),
  fc.tuple(lexical, fc.webUrl()).map(([value, type]) => typed(value, iri(type))),
  fc.tuple(fc.integer().map(String), numberType).map(([value, type]) => typed(value, type)),
  fc.tuple(fc.double().map(String), numberType).map(([value, type]) => typed(value, type)),
  fc.date({ noInvalidDate: true }).map((d) => typed(d.toISOString(), iri(`${XSD}dateTime`))),
  fc
    .tuple(lexical, fc.constantFrom<Direction>("ltr", "rtl"))
    .map(([value, direction]) => text(value, "ar", direction)),
);
const triple = fc
  .tuple(fc.constantFrom(iri("a:s"), blank("s")), fc.constantFrom("a:p", "a:pp").map(iri), atom)
  .map(([s, p, o]) => tripleTerm(s, p, o));
const term: fc.Arbitrary<Term> = fc.oneof(
  { weight: 10, arbitrary: atom },
  { weight: 2, arbitrary: triple },
  triple.map((inner) => tripleTerm(blank("t"), iri("a:p"), inner)),
  fc.constant(DEFAULT_GRAPH),
);

describe("the encoding of terms", () => {
  it("gives back every term it was given, also those too long for a key", () => {
    fc.assert(fc.property(term, (given) => decode(encode(given)).equals(given)));
  });

  it("gives different terms different bytes, none of which, with what follows in a key, begin another's", () => {
    // A NUL in a text is the terminator's byte and one that no term begins with.
    const examples: [Term, Term][] = [[text("ä"), text("ä\0")]];
    fc.assert(
      fc.property(term, term, (a, b) => {
        const [x, y] = [encode(a), encode(b)];
        const begins = x.equals(y.subarray(0, x.length)) || y.equals(x.subarray(0, y.length));
        expect(begins).toBe(a.equals(b));
      }),
      { examples },
    );
  });

  it("sorts numbers by value, whatever their type and form", () => {
    const written = [
      "-INF",
      "-1e3",
      "-2.5",
      "0",
      "0.0",
      "1",
      "01",
      "1.0",
      "7",
      "1e3",
      "INF",
      "NaN",
    ];
    const types = written.map((n) => (/[eIN]/.test(n) ? "double" : "decimal"));
    const terms = written.map((n, index) => typed(n, iri(`${XSD}${types[index] ?? ""}`)));
    const values = [...terms].sort((a, b) => Buffer.compare(encode(a), encode(b)));
    expect(values.map(({ value }) => Number(value.replace("INF", "Infinity")))).toEqual(
      written.map((n) => Number(n.replace("INF", "Infinity"))),
    );
  });

  it("sorts triple terms by their subjects, then their predicates, then their objects", () => {
    fc.assert(
      fc.property(triple, triple, (a, b) => {
        const bytes = (one: typeof a): Buffer[] =>
          [one.subject, one.predicate, one.object].map(encode);
        const [x, y] = [bytes(a), bytes(b)];
        const orders = x.map((part, index) => Buffer.compare(part, y[index] ?? part));
        expect(Buffer.compare(encode(a), encode(b))).toBe(orders.find((order) => order !== 0) ?? 0);
      }),
    );
  });

  it("keeps 1, 01 and 1.0 apart, for they are different literals", () => {
    const forms = ["1", "01", "1.0"].map((n) =>
      encode(typed(n, iri(`${XSD}decimal`))).toString("hex"),
    );
    expect(new Set(forms).size).toBe(3);
  });

  it("sorts times by the instant, across time zones and before the epoch", () => {
    const times = ["-0044-03-15T12:00:00Z", "1969-12-31T23:59:59Z", "1970-01-01T01:00:00+02:00"];
    const later = ["1970-01-01T00:00:00Z", "1970-01-01T00:00:00.001Z", "9999-01-01T00:00:00Z"];
    const bytes = [...times, ...later].map((t) => encode(typed(t, iri(`${XSD}dateTime`))));
    expect(bytes.every((b) => b[0] === TAG.dateTime)).toBe(true);
    // One hour into 1970, two hours ahead of UTC, is an hour before the epoch.
    const order = [0, 2, 1, 3, 4, 5].map((index) => bytes[index]?.toString("hex"));
    expect([...order].sort()).toEqual(order);
  });

  it("sorts text as UTF-8 does, NUL included", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), fc.string({ maxLength: 60 }), (a, b) => {
        const order = Buffer.compare(Buffer.from(a), Buffer.from(b));
        expect(Buffer.compare(encode(text(a)), encode(text(b)))).toBe(order);
      }),
    );
  });

  it("takes ill-typed numbers and times for what they are: literals of that datatype", () => {
    const odd = [
      typed("one", iri(`${XSD}integer`)),
      typed("2020-13-01T00:00:00Z", iri(`${XSD}dateTime`)),
    ];
    for (const literal of odd) {
      expect(encode(literal)[0]).toBe(TAG.typed);
      expect(decode(encode(literal)).equals(literal)).toBe(true);
    }
  });

  it("names the block of a literal of more than 256 bytes, and of no other", () => {
    expect(bodyHash(encode(text("a".repeat(256))), 0)).toBeUndefined();
    expect(bodyHash(encode(text("a".repeat(257))), 0)).toBe(hashOf(Buffer.from("a".repeat(257))));
    expect(bodyHash(encode(text("ä".repeat(129), "de")), 0)).toBe(
      hashOf(Buffer.from("ä".repeat(129))),
    );
    const said = tripleTerm(blank("s"), iri("a:p"), text("b".repeat(300), "ar", "rtl"));
    const nested = tripleTerm(blank("t"), iri("a:p"), said);
    expect(bodyHash(encode(nested), 0)).toBe(hashOf(Buffer.from("b".repeat(300))));
    expect(bodyHash(encode(tripleTerm(blank("s"), iri("a:p"), iri("a:o"))), 0)).toBeUndefined();
  });

  it("refuses what RDF does not allow", () => {
    for (const wrong of [iri("a b"), iri(""), iri("http://x/\0"), blank("a b"), text("\ud800")]) {
      expect(() => encode(wrong)).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
    }
    expect(() => encode(text("x", "no language"))).toThrow(/language tag/);
    const literal = text("x") as never;
    expect(() => encode(tripleTerm(literal, iri("a:p"), iri("a:o")))).toThrow(
      "A Literal cannot be the subject of a triple term",
    );
    expect(() => encode(tripleTerm(iri("a:s"), literal, iri("a:o")))).toThrow(
      /predicate of a triple/,
    );
    expect(() => encode(text("x", "ar", "up" as never))).toThrow(/must be ltr or rtl/);
    expect(() => encode(new Literal("x", XSD_STRING, "", "ltr"))).toThrow(/must have a language/);
  });

  it("finds neither end nor terms in bytes that were cut, and does not run on", () => {
    const whole = encode(
      tripleTerm(blank("t"), iri("a:p"), tripleTerm(iri("a:s"), iri("a:p"), text("x"))),
    );
    for (let end = 1; end < whole.length - 3; end++) {
      const cut = Buffer.from(whole.subarray(0, end));
      expect(termEnd(cut, 0)).toBeLessThanOrEqual(end);
      expect(bodyHash(cut, 0)).toBeUndefined();
    }
    expect(() => decode(Buffer.from("484848", "hex"))).toThrow(/ends too early/);
  });

  it("stays as it is: these bytes are what stored trees are made of", () => {
    const hex = (given: Term): string => encode(given).subarray(0, -1).toString("hex");
    expect(hex(iri("http://e/"))).toBe("10687474703a2f2f652f00");
    expect(hex(blank("b0"))).toBe("18623000");
    expect(hex(text("a\0"))).toBe("206100ff00");
    expect(hex(text("a", "EN"))).toBe("216100656e00");
    expect(hex(typed("-1", iri(`${XSD}integer`)))).toBe("28400fffffffffffff012d3100");
    expect(hex(typed("1970-01-01T00:00:01Z", iri(`${XSD}dateTime`)))).toBe(
      "30bff0000000000000313937302d30312d30315430303a30303a30315a00",
    );
    expect(hex(typed("true", iri(`${XSD}boolean`)))).toBe(
      `38${Buffer.from(`${XSD}boolean`).toString("hex")}007472756500`,
    );
    expect(hex(DEFAULT_GRAPH)).toBe("01");
    expect(hex(text("a", "AR", "rtl"))).toBe("22610061720072746c00");
    expect(hex(tripleTerm(blank("b"), iri("a:p"), text("x")))).toBe("4818620010613a7000207800");
  });
});
