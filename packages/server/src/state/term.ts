/** The parts of a quad, shaped as RDF/JS terms so that any library of that family can take them. */
export type Term = NamedNode | BlankNode | Literal | TripleTerm | DefaultGraph;

/** What a quad can be about. */
export type Subject = NamedNode | BlankNode;
/** What a quad can say. */
export type ObjectTerm = NamedNode | BlankNode | Literal | TripleTerm;
/** Where a quad can stand. */
export type Graph = NamedNode | BlankNode | DefaultGraph;
/** The base direction of text (RDF 1.2 Concepts §3.4); "" for none. */
export type Direction = "" | "ltr" | "rtl";

/** Any term of RDF/JS, our own or a foreign one, as far as equality and encoding look at it. */
export interface TermLike {
  readonly termType: string;
  readonly value: string;
  readonly language?: string;
  readonly direction?: string | null;
  readonly datatype?: { readonly value: string };
  /** The terms of a triple term, whose type RDF/JS calls "Quad". Its graph, where it has one, is the default graph. */
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

/** A value: its lexical form as it was written, its datatype and, for text, its language and base direction. */
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

/** A triple as a term, so that something can be said about it (RDF 1.2 Concepts §3.1). It need not be asserted. */
export class TripleTerm {
  readonly subject: Subject;
  readonly predicate: NamedNode;
  readonly object: ObjectTerm;

  constructor(subject: Subject, predicate: NamedNode, object: ObjectTerm) {
    this.subject = subject;
    this.predicate = predicate;
    this.object = object;
  }

  /** RDF/JS has one type for statements and triple terms. */
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
const RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";

/** Datatype of text without a language. */
export const XSD_STRING: NamedNode = new NamedNode(`${XSD}string`);
/** Datatype of points in time. */
export const XSD_DATE_TIME: NamedNode = new NamedNode(`${XSD}dateTime`);
/** Datatype of whole numbers. */
export const XSD_INTEGER: NamedNode = new NamedNode(`${XSD}integer`);
/** Datatype of text with a language. */
export const RDF_LANG_STRING: NamedNode = new NamedNode(`${RDF}langString`);
/** Datatype of text with a language and a base direction. */
export const RDF_DIR_LANG_STRING: NamedNode = new NamedNode(`${RDF}dirLangString`);
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

/** Text, with a language where one is given. Only text with a language can have a base direction. */
export function text(value: string, language = "", direction: Direction = ""): Literal {
  if (language === "") return new Literal(value, XSD_STRING, "");
  const datatype = direction === "" ? RDF_LANG_STRING : RDF_DIR_LANG_STRING;
  return new Literal(value, datatype, language.toLowerCase(), direction);
}

/** A literal of this datatype, in its lexical form. */
export function typed(lexical: string, datatype: NamedNode): Literal {
  return new Literal(lexical, datatype, "");
}

/** A triple as a term. */
export function tripleTerm(subject: Subject, predicate: NamedNode, object: ObjectTerm): TripleTerm {
  return new TripleTerm(subject, predicate, object);
}

/** The labels of a quad's blank nodes, as often as they stand there, those inside triple terms included. */
export function blankLabels({ subject, object, graph }: Quad | TripleTerm): string[] {
  const labels = object.termType === "Quad" ? blankLabels(object) : [];
  if (subject.termType === "BlankNode") labels.push(subject.value);
  if (object.termType === "BlankNode") labels.push(object.value);
  if (graph.termType === "BlankNode") labels.push(graph.value);
  return labels;
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
