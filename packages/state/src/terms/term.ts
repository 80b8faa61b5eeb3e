/** RDF terms with the interface of RDF/JS, so that RDF/JS libraries can use them. */
export type Term = NamedNode | BlankNode | Literal | TripleTerm | DefaultGraph;

/** A term in the subject position. */
export type Subject = NamedNode | BlankNode;
/** A term in the object position. */
export type ObjectTerm = NamedNode | BlankNode | Literal | TripleTerm;
/** A term in the graph position. */
export type Graph = NamedNode | BlankNode | DefaultGraph;
/** The base direction of text (RDF 1.2 Concepts §3.4); "" for none. */
export type Direction = "" | "ltr" | "rtl";

/**
 * Any RDF/JS term, our own or a foreign one, with the properties that equality and encoding need.
 */
export interface TermLike {
  readonly termType: string;
  readonly value: string;
  readonly language?: string;
  readonly direction?: string | null;
  readonly datatype?: { readonly value: string };
  /**
   * The terms of a triple term, whose type is "Quad" in RDF/JS. Its graph, if any, is the default
   * graph.
   */
  readonly subject?: TermLike;
  readonly predicate?: TermLike;
  readonly object?: TermLike;
  readonly graph?: TermLike;
}

/** An IRI (RDF 1.2 Concepts §3.3). */
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

/** A blank node; its label is only meaningful within one dataset. */
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

/** A literal: its lexical form, its datatype and, for text, its language and base direction. */
export class Literal {
  readonly value: string;
  readonly datatype: NamedNode;
  /** Lower-case language tag (RDF 1.2 Concepts §3.4 lets tags be lower-cased); "" for none. */
  readonly language: string;
  readonly direction: Direction;

  constructor(value: string, datatype: NamedNode, language: string, direction: Direction = "") {
    this.value = value;
    this.datatype = datatype;
    this.language = language;
    this.direction = direction;
  }

  get termType(): "Literal" {
    return "Literal";
  }

  equals(other: TermLike | null | undefined): boolean {
    return (
      other?.termType === "Literal" &&
      other.value === this.value &&
      other.datatype?.value === this.datatype.value &&
      (other.language ?? "").toLowerCase() === this.language &&
      (other.direction ?? "") === this.direction
    );
  }
}

/**
 * A triple used as a term, so that statements can be made about it (RDF 1.2 Concepts §3.1). The
 * triple need not be asserted.
 */
export class TripleTerm {
  readonly subject: Subject;
  readonly predicate: NamedNode;
  readonly object: ObjectTerm;

  constructor(subject: Subject, predicate: NamedNode, object: ObjectTerm) {
    this.subject = subject;
    this.predicate = predicate;
    this.object = object;
  }

  /** RDF/JS uses one type for quads and triple terms. */
  get termType(): "Quad" {
    return "Quad";
  }

  get value(): "" {
    return "";
  }

  get graph(): DefaultGraph {
    return DEFAULT_GRAPH;
  }

  equals(other: TermLike | null | undefined): boolean {
    return (
      other?.termType === "Quad" &&
      this.subject.equals(other.subject) &&
      this.predicate.equals(other.predicate) &&
      this.object.equals(other.object) &&
      (other.graph === undefined || this.graph.equals(other.graph))
    );
  }
}

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

/** A triple and its graph. */
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

/** Any RDF/JS quad, our own or a foreign one. */
export interface QuadLike {
  readonly subject: TermLike;
  readonly predicate: TermLike;
  readonly object: TermLike;
  readonly graph: TermLike;
}

const XSD = "http://www.w3.org/2001/XMLSchema#";
const RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";

export const XSD_STRING: NamedNode = new NamedNode(`${XSD}string`);
export const XSD_DATE_TIME: NamedNode = new NamedNode(`${XSD}dateTime`);
export const XSD_INTEGER: NamedNode = new NamedNode(`${XSD}integer`);
export const RDF_LANG_STRING: NamedNode = new NamedNode(`${RDF}langString`);
export const RDF_DIR_LANG_STRING: NamedNode = new NamedNode(`${RDF}dirLangString`);
export const DEFAULT_GRAPH: DefaultGraph = new DefaultGraph();

export function iri(value: string): NamedNode {
  return new NamedNode(value);
}

export function blank(label: string): BlankNode {
  return new BlankNode(label);
}

/**
 * A text literal, optionally with a language. Only text with a language can have a base direction.
 */
export function text(value: string, language = "", direction: Direction = ""): Literal {
  if (language === "") return new Literal(value, XSD_STRING, "");
  const datatype = direction === "" ? RDF_LANG_STRING : RDF_DIR_LANG_STRING;
  return new Literal(value, datatype, language.toLowerCase(), direction);
}

export function typed(lexical: string, datatype: NamedNode): Literal {
  return new Literal(lexical, datatype, "");
}

export function tripleTerm(subject: Subject, predicate: NamedNode, object: ObjectTerm): TripleTerm {
  return new TripleTerm(subject, predicate, object);
}

/** The labels of a quad's blank nodes, with duplicates, including those inside triple terms. */
export function blankLabels({ subject, object, graph }: Quad | TripleTerm): string[] {
  const labels = object.termType === "Quad" ? blankLabels(object) : [];
  if (subject.termType === "BlankNode") labels.push(subject.value);
  if (object.termType === "BlankNode") labels.push(object.value);
  if (graph.termType === "BlankNode") labels.push(graph.value);
  return labels;
}

/** A quad, by default in the default graph. */
export function quad(
  subject: Subject,
  predicate: NamedNode,
  object: ObjectTerm,
  graph: Graph = DEFAULT_GRAPH,
): Quad {
  return new Quad(subject, predicate, object, graph);
}
