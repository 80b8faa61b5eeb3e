import { describe, expect, it } from "vitest";
import { quadsOf, rootOf, Schema, schemaOf, scriptFor } from "../index.js";
import { digestOf } from "../scripts/script-units.js";
import { SHOP } from "../testing/typed-shop.js";
import { NAMESPACE } from "./vocabulary.js";

/** The statements of the shop without the one about a property of an object, or of a part of it. */
const without = (subject: RegExp, property: string) =>
  [...quadsOf(SHOP.objects)].filter(
    (quad) => !(subject.test(quad.subject.value) && quad.predicate.value === NAMESPACE + property),
  );

describe("a schema that is read from its statements", () => {
  it("has the content address and the script that this schema has always had", () => {
    const read = schemaOf(quadsOf(SHOP.objects));
    expect(String(rootOf(read))).toBe(
      "ec9602415f787bc084574c9ae40a42720d0f910e8a8b84f82bcb896e96b70067",
    );
    expect(digestOf(scriptFor(new Schema(SHOP.objects)))).toBe(
      "62caa0a5c1e0dc990431c4f5ae5ac44262696bc37edba4099f8b12858d9c94a0",
    );
  });

  it.each([
    [/^total$/, "definition", "the Function total() has no definition"],
    [/^orders\.id$/, "type", "the Column id has no type"],
    [/^orders\.id$/, "name", "the Column orders.id has no name"],
    [/^orders_pkey$/, "columns", "the PrimaryKey orders_pkey has no columns"],
    [/^state#labels-1$/, "label", "the EnumType state has an entry of labels without label"],
    [/^orders#grants-1$/, "grantee", "the Table orders has an entry of grants without grantee"],
    [/^orders$/, "partOf", "holds no database schema"],
  ])("is refused when %s lacks its %s", (subject, property, said) => {
    expect(() => schemaOf(without(subject, property))).toThrow(said);
  });
});
