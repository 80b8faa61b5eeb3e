import type { Dialect, Kind, KindTable } from "./kinds.js";
import type { ListName, ListTable, OtherParts } from "./lists.js";
import type { PropertyName, RangeOf } from "./vocabulary.js";

export type Scalar = string | number | boolean;

/** A reference to another object, by its id. */
export interface Reference {
  readonly ref: string;
}

/** One entry of an ordered list of any kind, such as a column of an index. */
export type Part = Readonly<Partial<Record<PropertyName, Scalar | Reference>>>;

/** The value of a property, for any kind of object. */
export type Value = Scalar | Reference | readonly Part[];

/** The properties of an object of any kind; unset properties are absent. */
export type Values = Readonly<Partial<Record<PropertyName, Value>>>;

interface Scalars {
  readonly string: string;
  readonly boolean: boolean;
  readonly integer: number;
  readonly reference: Reference;
  readonly parts: never;
}

/** Required, optional and absent properties. Absent ones can be read, and are undefined. */
type Record_<Required extends PropertyName, Optional extends PropertyName, V extends Typed> = {
  readonly [P in Required]: V[P];
} & { readonly [P in Exclude<Optional, Required>]?: V[P] } & {
  readonly [P in Exclude<PropertyName, Required | Optional>]?: never;
};

type Typed = Readonly<Record<PropertyName, unknown>>;

type ScalarsByProperty = { readonly [P in PropertyName]: Scalars[RangeOf<P>] };

/** One entry of the list L. */
export type PartOf<L extends ListName> = Record_<
  ListTable[L]["required"][number],
  ListTable[L]["optional"][number],
  ScalarsByProperty
>;

/** The list that the property P holds in objects of the kind K. */
type ListOf<K extends Kind, P> = P extends "parts"
  ? K extends keyof OtherParts
    ? OtherParts[K]
    : "parts"
  : P;

type ValuesByProperty<K extends Kind> = {
  readonly [P in PropertyName]: P extends "dialect"
    ? Dialect
    : ListOf<K, P> extends ListName
      ? readonly PartOf<ListOf<K, P>>[]
      : Scalars[RangeOf<P>];
};

type RequiredOf<K extends Kind, D extends Dialect> =
  | (KindTable[K] extends { readonly required: readonly (infer P)[] } ? P : never)
  | (KindTable[K] extends {
      readonly requiredOn: { readonly [E in D]: readonly (infer P)[] };
    }
      ? P
      : never);

/** The properties of an object of the kind K on the engine D. */
export type ValuesOf<K extends Kind, D extends Dialect = Dialect> = Record_<
  Extract<RequiredOf<K, D>, PropertyName>,
  KindTable[K]["properties"][number],
  ValuesByProperty<K>
>;

type NameOf<K extends Kind, D extends Dialect> = KindTable[K] extends {
  readonly isUnnamedOn: infer E;
}
  ? E extends "everywhere" | D
    ? string | undefined
    : string
  : string;

interface ObjectOf<K extends Kind, D extends Dialect> {
  /** An IRI. Before objects are identified: any text that is unique in the schema. */
  readonly id: string;
  readonly kind: K;
  /** Undefined for the database, and for an unnamed constraint of SQLite. */
  readonly name: NameOf<K, D>;
  /** The parent object; undefined only for the database. */
  readonly parent: K extends "Database" ? undefined : string;
  readonly values: ValuesOf<K, D>;
}

/** Kinds whose properties depend on the engine. */
type VaryingKind = {
  [K in Kind]: KindTable[K] extends { readonly requiredOn: object } ? K : never;
}[Kind];

/** An object with an identity of its own, such as a table, a column or an index. */
export type SchemaObject<K extends Kind = Kind, D extends Dialect = Dialect> = K extends VaryingKind
  ? D extends Dialect
    ? ObjectOf<K, D>
    : never
  : K extends Kind
    ? ObjectOf<K, Dialect>
    : never;

/** An object before it is checked: as it is stored, or as a catalog describes it. */
export interface UncheckedObject {
  readonly id: string;
  readonly kind: string;
  readonly name: string | undefined;
  readonly parent: string | undefined;
  readonly values: Values;
}
