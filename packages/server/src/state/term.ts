/** The parts of a quad, shaped as RDF/JS terms so that any library of that family can take them. */
export type Term = NamedNode | BlankNode | Literal | DefaultGraph;

/** What a quad can be about. */
export type Subject = NamedNode | BlankNode;
/** What a quad can say. */
export type ObjectTerm = NamedNode | BlankNode | Literal;
/** Where a quad can stand. */
export type Graph = NamedNode | BlankNode | DefaultGraph;

/** Any term of RDF/JS, our own or a foreign one, as far as equality and encoding look at it. */
export interface TermLike {
  readonly termType: string;
  readonly value: string;
  readonly language?: string;
  readonly datatype?: { readonly value: string };
}

/** An IRI (RDF 1.1 Concepts §3.2). */
export class NamedNode {
  readonly value: string;

  constructor(value: string) {
    this.value = value;
  }

  get termType(): "NamedNode" {
    return "NamedNode";
  }

  equals(other: TermLike | null | undefined): boolean {
    return other?.termType === "NamedNode" && other.value === this.value;
  }
}

/** A node without a name of its own; its label means something only within one dataset. */
export class BlankNode {
  readonly value: string;

  constructor(value: string) {
    this.value = value;
  }

  get termType(): "BlankNode" {
    return "BlankNode";
  }

  equals(other: TermLike | null | undefined): boolean {
    return other?.termType === "BlankNode" && other.value === this.value;
  }
}

/** A value: its lexical form as it was written, its datatype and, for text, its language. */
export class Literal {
  readonly value: string;
  readonly datatype: NamedNode;
  /** Lower-case language tag (RDF 1.1 Concepts §3.3 lets tags be lower-cased); "" for none. */
  readonly language: string;

  constructor(value: string, datatype: NamedNode, language: string) {
    this.value = value;
    this.datatype = datatype;
    this.language = language;
  }

  get termType(): "Literal" {
    return "Literal";
  }

  equals(other: TermLike | null | undefined): boolean {
    return (
      other?.termType === "Literal" &&
      other.value === this.value &&
      other.datatype?.value === this.datatype.value &&
      (other.language ?? "").toLowerCase() === this.language
    );
  }
}

/** The graph without a name. */
export class DefaultGraph {
  get termType(): "DefaultGraph" {
    return "DefaultGraph";
  }

  get value(): "" {
    return "";
  }

  equals(other: TermLike | null | undefined): boolean {
    return other?.termType === "DefaultGraph";
  }
}

/** One statement, and the graph it stands in. */
export class Quad {
  readonly subject: Subject;
  readonly predicate: NamedNode;
  readonly object: ObjectTerm;
  readonly graph: Graph;

  constructor(subject: Subject, predicate: NamedNode, object: ObjectTerm, graph: Graph) {
    this.subject = subject;
    this.predicate = predicate;
    this.object = object;
    this.graph = graph;
  }

  get termType(): "Quad" {
    return "Quad";
  }

  get value(): "" {
    return "";
  }

  equals(other: QuadLike | null | undefined): boolean {
    return (
      other !== null &&
      other !== undefined &&
      this.subject.equals(other.subject) &&
      this.predicate.equals(other.predicate) &&
      this.object.equals(other.object) &&
      this.graph.equals(other.graph)
    );
  }
}

/** Any quad of RDF/JS, our own or a foreign one. */
export interface QuadLike {
  readonly subject: TermLike;
  readonly predicate: TermLike;
  readonly object: TermLike;
  readonly graph: TermLike;
}

const XSD = "http://www.w3.org/2001/XMLSchema#";

/** Datatype of text without a language. */
export const XSD_STRING: NamedNode = new NamedNode(`${XSD}string`);
/** Datatype of points in time. */
export const XSD_DATE_TIME: NamedNode = new NamedNode(`${XSD}dateTime`);
/** Datatype of whole numbers. */
export const XSD_INTEGER: NamedNode = new NamedNode(`${XSD}integer`);
/** Datatype of text with a language. */
export const RDF_LANG_STRING: NamedNode = new NamedNode(
  "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString",
);
/** The graph without a name. */
export const DEFAULT_GRAPH: DefaultGraph = new DefaultGraph();

/** An IRI as a term. */
export function iri(value: string): NamedNode {
  return new NamedNode(value);
}

/** A blank node with this label. */
export function blank(label: string): BlankNode {
  return new BlankNode(label);
}

/** Text, with a language where one is given. */
export function text(value: string, language = ""): Literal {
  if (language === "") return new Literal(value, XSD_STRING, "");
  return new Literal(value, RDF_LANG_STRING, language.toLowerCase());
}

/** A literal of this datatype, in its lexical form. */
export function typed(lexical: string, datatype: NamedNode): Literal {
  return new Literal(lexical, datatype, "");
}

/** A statement, in the default graph unless another is named. */
export function quad(
  subject: Subject,
  predicate: NamedNode,
  object: ObjectTerm,
  graph: Graph = DEFAULT_GRAPH,
): Quad {
  return new Quad(subject, predicate, object, graph);
}
