import { AppError } from "@steward/kernel/errors.js";
import {
  type Literal,
  type ObjectTerm,
  type Quad,
  RDF_LANG_STRING,
  type Term,
  XSD_STRING,
} from "../index.js";

const RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";

/**
 * Serializes expanded JSON-LD, one line for each run of quads with the same subject. The output
 * needs no context, and every literal keeps its lexical form.
 * @throws AppError `INVALID_ARGUMENT` for a triple term.
 */
export function* writeJsonLd(quads: Iterable<Quad>): Generator<string> {
  let before = "[";
  for (const node of nodes(quads)) {
    yield `${before}\n${JSON.stringify(node)}`;
    before = ",";
  }
  yield before === "[" ? "[]\n" : "\n]\n";
}

function* nodes(quads: Iterable<Quad>): Generator<object> {
  let last: Quad | undefined;
  let node: Node = new Map();
  for (const next of quads) {
    if (last !== undefined && !isSameNode(last, next)) {
      yield nodeObject(last, node);
      node = new Map();
    }
    add(node, next);
    last = next;
  }
  if (last !== undefined) yield nodeObject(last, node);
}

function isSameNode(a: Quad, b: Quad): boolean {
  return a.subject.equals(b.subject) && a.graph.equals(b.graph);
}

/** Values by property. */
type Node = Map<string, unknown[]>;

function add(node: Node, { predicate, object }: Quad): void {
  const isType = predicate.value === RDF_TYPE && object.termType !== "Literal";
  const property = isType ? "@type" : predicate.value;
  const values = node.get(property) ?? [];
  values.push(isType ? idOf(object) : valueOf(object));
  node.set(property, values);
}

function nodeObject({ subject, graph }: Quad, node: Node): object {
  const object = { "@id": idOf(subject), ...Object.fromEntries(node) };
  return graph.termType === "DefaultGraph" ? object : { "@id": idOf(graph), "@graph": [object] };
}

function idOf(term: Term): string {
  if (term.termType === "Quad") {
    throw new AppError("INVALID_ARGUMENT", "JSON-LD 1.1 has no triple terms");
  }
  return term.termType === "BlankNode" ? `_:${term.value}` : term.value;
}

function valueOf(object: ObjectTerm): object {
  return object.termType === "Literal" ? literal(object) : { "@id": idOf(object) };
}

function literal({ value, language, direction, datatype }: Literal): object {
  if (direction !== "") {
    return { "@value": value, "@language": language, "@direction": direction };
  }
  if (datatype.equals(RDF_LANG_STRING)) return { "@value": value, "@language": language };
  if (datatype.equals(XSD_STRING)) return { "@value": value };
  return { "@value": value, "@type": datatype.value };
}
