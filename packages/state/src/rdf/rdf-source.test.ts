import { describe, expect, it } from "vitest";
import { systemClock } from "@steward/kernel/clock.js";
import { iri, MemoryBlockStore, type Quad, quad, text, TripleStore, tripleTerm } from "../index.js";
import { RdfSource } from "./index.js";

const [a, b, p] = [iri("http://e/a"), iri("http://e/b"), iri("http://e/p")];

describe("an RDF/JS source", () => {
  const store = new TripleStore(new MemoryBlockStore(systemClock), systemClock);
  store.load([quad(a, p, text("one")), quad(a, p, b), quad(b, p, b)]);
  const source = new RdfSource(store.now);

  it("streams the quads that match; variables and gaps match anything", async () => {
    const found: Quad[] = [];
    const any = { termType: "Variable", value: "x" };
    for await (const one of source.match(a, any, null, undefined)) found.push(one as Quad);
    expect(found.map(({ object }) => object.value).sort()).toEqual(["http://e/b", "one"]);
    expect(found.every((one) => one.equals(quad(one.subject, one.predicate, one.object)))).toBe(
      true,
    );
  });

  it("finds triple terms of any library", () => {
    const said = quad(a, p, b);
    const about = quad(b, p, tripleTerm(a, p, b));
    store.add(about);
    expect(source.countQuads(null, null, said)).toBe(1);
    store.delete(about);
    expect(source.countQuads(null, null, said)).toBe(0);
  });

  it("counts them", () => {
    expect([source.countQuads(), source.countQuads(a), source.countQuads(null, p, b)]).toEqual([
      3, 2, 2,
    ]);
  });
});
