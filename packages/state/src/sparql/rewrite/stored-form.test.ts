import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { iri, jsonTerm, quad, text, typed } from "../../index.js";
import { engineAnswer } from "../testing/datasets.js";
import { oddLiteral } from "../testing/odd-literals.js";
import { asWritten, privateDatatype } from "./stored-form.js";

describe("how the engine holds literals", () => {
  it("keeps the forms that are not held under a private datatype", () => {
    const literals = fc.array(oddLiteral, { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(literals, (all) => {
        const kept = all.filter((literal) => privateDatatype(literal) === undefined);
        const quads = kept.map((literal, index) => quad(iri(`a:${index}`), iri("a:p"), literal));
        const answer = engineAnswer(quads, "SELECT * { ?s <a:p> ?o }");
        const back = answer.kind === "solutions" ? answer.rows : [];
        expect(new Set(back.map(({ s, o }) => JSON.stringify([s?.value, o])))).toEqual(
          new Set(
            quads.map(({ subject, object }) => JSON.stringify([subject.value, jsonTerm(object)])),
          ),
        );
      }),
      { numRuns: 60 },
    );
  });

  it("keeps plain numbers and texts as they are, so that most queries cost nothing more", () => {
    const xsd = (name: string): ReturnType<typeof iri> =>
      iri(`http://www.w3.org/2001/XMLSchema#${name}`);
    for (const literal of [
      ...[text("a"), text("a", "en"), typed("7", xsd("integer")), typed("-3.25", xsd("decimal"))],
      ...[typed("true", xsd("boolean")), typed("2024-02-29T12:00:00Z", xsd("dateTime"))],
      ...[typed("2024-02-29", xsd("date")), typed("0.5", xsd("double")), typed("x", iri("a:own"))],
    ]) {
      expect(privateDatatype(literal)).toBeUndefined();
    }
  });

  it("gives every literal back, also one whose datatype looks like a private one", () => {
    fc.assert(
      fc.property(oddLiteral, fc.nat(2), (literal, times) => {
        let held = literal;
        for (let time = 0; time < times; time++) {
          held = typed(held.value, iri(privateDatatype(held) ?? held.datatype.value));
        }
        const again = privateDatatype(held);
        const sent = again === undefined ? held : typed(held.value, iri(again));
        expect(asWritten(jsonTerm(sent))).toEqual(
          again === undefined ? asWritten(jsonTerm(held)) : jsonTerm(held),
        );
      }),
    );
  });
});
