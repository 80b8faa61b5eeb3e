import { KINDS } from "./kinds.js";
import { PART_PROPERTIES } from "./lists.js";
import { NAMESPACE, PROPERTIES, type PropertyName } from "./vocabulary.js";

const PREFIXES = `@prefix st: <${NAMESPACE}> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
`;

const DATATYPES = { string: "xsd:string", boolean: "xsd:boolean", integer: "xsd:integer" } as const;

/** The vocabulary as a Turtle document: a class for each kind, and all properties. */
export function vocabularyTurtle(): string {
  const classes = Object.entries(KINDS).map(([kind, { comment }]) =>
    term(kind, "rdfs:Class", comment, []),
  );
  const properties = Object.entries(PROPERTIES).map(([property, { comment }]) =>
    term(property, "rdf:Property", comment, [`rdfs:range ${rangeOf(property)}`]),
  );
  const own = [
    term("name", "rdf:Property", "An object's name.", ["rdfs:range xsd:string"]),
    term("partOf", "rdf:Property", "What an object is a part of.", ["rdfs:range rdfs:Resource"]),
    term("item", "rdf:Property", "A part's place in its list, from 1.", ["rdfs:range xsd:integer"]),
  ];
  return [PREFIXES, ...classes, ...own, ...properties].join("\n");
}

/** SHACL shapes for schema objects and their parts. */
export function shapesTurtle(): string {
  const shapes = Object.entries(KINDS).map(([kind, { properties, required = [] }]) =>
    shape(
      kind,
      `sh:targetClass st:${kind}`,
      properties.map((property) => constraint(property, required.includes(property))),
    ),
  );
  const parts = shape("Part", "sh:targetSubjectsOf st:item", [
    "[ sh:path st:item ; sh:datatype xsd:integer ; sh:minCount 1 ; sh:maxCount 1 ]",
    ...PART_PROPERTIES.map((property) => constraint(property, false)),
  ]);
  return [PREFIXES, ...shapes, parts].join("\n");
}

function term(name: string, type: string, comment: string, more: readonly string[]): string {
  const lines = [`a ${type}`, `rdfs:comment ${JSON.stringify(comment)}@en`, ...more];
  return `st:${name} ${lines.join(" ;\n  ")} .\n`;
}

function rangeOf(property: string): string {
  // The keys of the list are property names.
  const { range } = PROPERTIES[property as PropertyName];
  return range in DATATYPES ? DATATYPES[range as keyof typeof DATATYPES] : "rdfs:Resource";
}

function shape(name: string, target: string, properties: readonly string[]): string {
  const lines = [`a sh:NodeShape`, target, ...properties.map((each) => `sh:property ${each}`)];
  return `st:${name}Shape ${lines.join(" ;\n  ")} .\n`;
}

function constraint(property: PropertyName, isRequired: boolean): string {
  const { range } = PROPERTIES[property];
  const kind =
    range in DATATYPES
      ? `sh:datatype ${DATATYPES[range as keyof typeof DATATYPES]}`
      : "sh:nodeKind sh:IRI";
  const counts = [
    ...(isRequired ? ["sh:minCount 1"] : []),
    ...(range === "parts" ? [] : ["sh:maxCount 1"]),
  ];
  return `[ ${[`sh:path st:${property}`, kind, ...counts].join(" ; ")} ]`;
}
