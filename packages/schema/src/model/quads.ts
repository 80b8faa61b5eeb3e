import { AppError } from "@steward/kernel/errors.js";
import { type Pausing, withoutPauses } from "@steward/kernel/concurrency/pausing.js";
import {
  iri,
  type NamedNode,
  type ObjectTerm,
  type Quad,
  quad,
  text,
  typed,
  XSD_INTEGER,
} from "@steward/state";
import { checkedObject } from "./checked-object.js";
import {
  type Part,
  type Reference,
  type Scalar,
  Schema,
  type SchemaObject,
  type UncheckedObject,
  type Value,
  type Values,
} from "./schema.js";
import { NAMESPACE, PROPERTIES, type PropertyName } from "./vocabulary.js";

const RDF_TYPE = iri("http://www.w3.org/1999/02/22-rdf-syntax-ns#type");
const XSD_BOOLEAN = iri("http://www.w3.org/2001/XMLSchema#boolean");
const NAME = iri(`${NAMESPACE}name`);
const PART_OF = iri(`${NAMESPACE}partOf`);
const ITEM = iri(`${NAMESPACE}item`);

/** Quads or objects processed between two pauses, which takes a few milliseconds. */
const AT_ONCE = 2000;

/** The graph of the layout: column positions, the engine's native ids. */
export const LAYOUT: NamedNode = iri("urn:steward:schema:layout");

/**
 * The quads of a schema's objects. Quads in the graph {@link LAYOUT} are not part of the schema's
 * meaning.
 */
export function* quadsOf(objects: readonly SchemaObject[]): Generator<Quad> {
  for (const object of objects) {
    const subject = iri(object.id);
    yield quad(subject, RDF_TYPE, iri(NAMESPACE + object.kind));
    if (object.name !== undefined) yield quad(subject, NAME, text(object.name));
    if (object.parent !== undefined) yield quad(subject, PART_OF, iri(object.parent));
    const values: Values = object.values;
    for (const [property, value] of Object.entries(values)) {
      yield* valueQuads(subject, property as PropertyName, value);
    }
  }
}

function* valueQuads(subject: NamedNode, property: PropertyName, value: Value): Generator<Quad> {
  const predicate = iri(NAMESPACE + property);
  const graph = PROPERTIES[property].isLayout === true ? LAYOUT : undefined;
  if (isList(value)) {
    for (const [index, part] of value.entries()) {
      const node = iri(`${subject.value}#${property}-${index + 1}`);
      yield quad(subject, predicate, node, graph);
      yield quad(node, ITEM, typed(String(index + 1), XSD_INTEGER), graph);
      for (const [key, item] of Object.entries(part)) {
        yield quad(node, iri(NAMESPACE + key), termOf(item), graph);
      }
    }
    return;
  }
  yield quad(subject, predicate, termOf(value), graph);
}

function isList(value: Value): value is readonly Part[] {
  return Array.isArray(value);
}

function termOf(value: Scalar | Reference): ObjectTerm {
  if (typeof value === "object") return iri(value.ref);
  if (typeof value === "boolean") return typed(String(value), XSD_BOOLEAN);
  return typeof value === "number" ? typed(String(value), XSD_INTEGER) : text(value);
}

/**
 * Reads a schema from its quads.
 * @throws AppError `STATE_CORRUPTED` when the quads do not describe a schema.
 */
export function schemaOf(quads: Iterable<Quad>): Schema {
  return withoutPauses(readingSchema(quads));
}

/** Like {@link schemaOf}, but pauses regularly to yield the event loop. */
export function* readingSchema(quads: Iterable<Quad>): Pausing<Schema> {
  const said = new Map<string, Quad[]>();
  let count = 0;
  for (const each of quads) {
    const about = said.get(each.subject.value);
    if (about === undefined) said.set(each.subject.value, [each]);
    else about.push(each);
    if (++count % AT_ONCE === 0) yield;
  }
  const objects: UncheckedObject[] = [];
  for (const [id, about] of said) {
    const kind = about.find(({ predicate }) => predicate.equals(RDF_TYPE))?.object.value;
    if (kind !== undefined) objects.push(objectOf(id, kind.slice(NAMESPACE.length), about, said));
    if (objects.length % AT_ONCE === 0) yield;
  }
  const [database, ...others] = objects.filter(({ parent }) => parent === undefined);
  if (database === undefined || others.length > 0) throw noSchema();
  const dialect = database.values.dialect === "postgres" ? "postgres" : "sqlite";
  const checked: SchemaObject[] = [];
  for (const object of objects) {
    checked.push(checkedObject(object, dialect));
    if (checked.length % AT_ONCE === 0) yield;
  }
  return new Schema(checked);
}

function objectOf(
  id: string,
  kind: string,
  about: readonly Quad[],
  said: ReadonlyMap<string, readonly Quad[]>,
): UncheckedObject {
  const values: Partial<Record<PropertyName, Value>> = {};
  for (const { predicate, object } of about) {
    if ([RDF_TYPE, NAME, PART_OF].some((other) => other.equals(predicate))) continue;
    const property = propertyOf(predicate);
    if (PROPERTIES[property].range === "parts") {
      const list = (values[property] ?? []) as Part[];
      const { index, part } = partOf(said.get(object.value) ?? []);
      list[index] = part;
      values[property] = list;
    } else {
      values[property] = valueOf(object);
    }
  }
  return {
    id,
    kind,
    name: about.find(({ predicate }) => predicate.equals(NAME))?.object.value,
    parent: about.find(({ predicate }) => predicate.equals(PART_OF))?.object.value,
    values,
  };
}

function partOf(about: readonly Quad[]): { readonly index: number; readonly part: Part } {
  const part: Partial<Record<PropertyName, Scalar | Reference>> = {};
  let index = 0;
  for (const { predicate, object } of about) {
    if (predicate.equals(ITEM)) index = Number(object.value) - 1;
    else part[propertyOf(predicate)] = valueOf(object);
  }
  return { index, part };
}

function propertyOf({ value }: { readonly value: string }): PropertyName {
  const property = value.slice(NAMESPACE.length);
  if (!value.startsWith(NAMESPACE) || !(property in PROPERTIES)) throw noSchema();
  // The property was checked against the list of properties.
  return property as PropertyName;
}

function valueOf(term: ObjectTerm): Scalar | Reference {
  if (term.termType === "Quad") throw noSchema();
  if (term.termType !== "Literal") return { ref: term.value };
  if (term.datatype.equals(XSD_BOOLEAN)) return term.value === "true";
  return term.datatype.equals(XSD_INTEGER) ? Number(term.value) : term.value;
}

function noSchema(): AppError {
  return new AppError("STATE_CORRUPTED", "The commit holds no database schema");
}
