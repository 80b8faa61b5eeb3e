import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readDocument } from "@steward/state/testing/read-document.js";
import { KINDS } from "./kinds.js";
import { NAMESPACE, PROPERTIES } from "./vocabulary.js";
import { shapesTurtle, vocabularyTurtle } from "./vocabulary-turtle.js";

const published = (file: string): string =>
  readFileSync(new URL(`../../vocabulary/${file}`, import.meta.url), "utf8");

describe("the published vocabulary", () => {
  it("is the one that is used", () => {
    expect(published("schema.ttl")).toBe(vocabularyTurtle());
    expect(published("shapes.ttl")).toBe(shapesTurtle());
  });

  it("names every kind and property, and only properties that there are", async () => {
    const quads = await readDocument(published("schema.ttl"), "turtle");
    const subjects = new Set(quads.map((quad) => quad.subject.value));
    for (const name of [...Object.keys(KINDS), ...Object.keys(PROPERTIES)]) {
      expect(subjects).toContain(NAMESPACE + name);
    }
    const paths = (await readDocument(published("shapes.ttl"), "turtle"))
      .filter(({ predicate }) => predicate.value === "http://www.w3.org/ns/shacl#path")
      .map(({ object }) => object.value);
    expect(paths.filter((path) => !subjects.has(path))).toEqual([]);
  });
});
