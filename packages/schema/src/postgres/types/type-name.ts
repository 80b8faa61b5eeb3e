import type { PostgresObject, PostgresSchema } from "../../model/schema.js";
import { tokensOf } from "../../sql/sql-tokens.js";
import { labelsOf } from "../statements.js";

/** A parsed type name, as printed by `format_type`. */
export interface TypeName {
  /**
   * The name without modifiers and brackets: `character varying`, `timestamp without time zone`.
   */
  readonly name: string;
  /** Length, or precision and scale. */
  readonly modifiers: readonly number[];
  readonly isArray: boolean;
}

/** A column's type, with domains resolved to their base type. */
export interface ColumnType extends TypeName {
  /** The whole base type: `numeric(12,2)[]`. */
  readonly text: string;
  /** Whether a domain restricts the values. */
  readonly isConstrained: boolean;
  /** The labels of an enum. */
  readonly labels?: readonly string[];
}

/** Parses a type name. A quoted name has no modifiers. */
export function parseTypeName(text: string): TypeName {
  const element = text.replace(/(\[\])+$/, "");
  const isArray = element !== text;
  const given = element.includes('"') ? null : /\(([-\d,]+)\)/.exec(element);
  const modifiers = given?.[1]?.split(",").map(Number) ?? [];
  return { name: given === null ? element : element.replace(given[0], ""), modifiers, isArray };
}

/** Resolves the name of a column's type in a schema. */
export function columnType(schema: PostgresSchema, text: string): ColumnType {
  const parsed = parseTypeName(text);
  const own = ownType(schema, parsed.name);
  if (own?.kind === "EnumType") {
    return { ...parsed, text, isConstrained: false, labels: labelsOf(own) };
  }
  if (own?.kind !== "Domain") return { ...parsed, text, isConstrained: false };
  const inner = columnType(schema, own.values.type);
  // An array of arrays has the brackets of the domain between them, so it is a type of its own.
  if (parsed.isArray && inner.isArray) return { ...parsed, text, isConstrained: true };
  const isArray = parsed.isArray || inner.isArray;
  const whole = parsed.isArray ? `${inner.text}[]` : inner.text;
  return { ...inner, text: whole, isArray, isConstrained: true };
}

/** The user-defined type with a qualified name; undefined for a built-in type. */
export function ownType(
  schema: PostgresSchema,
  name: string,
): PostgresObject<"EnumType" | "CompositeType" | "RangeType" | "Domain"> | undefined {
  const [place, dot, last] = tokensOf(name, "postgres").map(({ value }) => value);
  if (dot !== "." || last === undefined) return undefined;
  const home = schema.all("Schema").find((each) => each.name === place);
  if (home === undefined) return undefined;
  return schema
    .partsOf(home.id, "EnumType", "CompositeType", "RangeType", "Domain")
    .find((each) => each.name === last);
}
