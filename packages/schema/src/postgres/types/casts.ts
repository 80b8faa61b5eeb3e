import { NUMBERS } from "./numbers.js";
import { TEXTS } from "./texts.js";
import { parseTypeName } from "./type-name.js";

/**
 * Families of types with direct casts between each other. Values of other types are cast through
 * text.
 */
const FAMILIES: readonly RegExp[] = [/^(date|timestamp)/, /^(json|jsonb)$/];

/**
 * An expression that casts a value to another type.
 * @param to the name of the new type.
 * @param made the base type, when the new type is a domain.
 */
export function cast(value: string, from: string, to: string, made: string = to): string {
  const [before, after] = [parseTypeName(from).name, parseTypeName(made).name];
  const isNumber = NUMBERS.has(before) && NUMBERS.has(after);
  const isRelated =
    isNumber || FAMILIES.some((family) => family.test(before) && family.test(after));
  if (isRelated || TEXTS.has(before) || TEXTS.has(after)) return `${value}::${to}`;
  return before === "boolean" && NUMBERS.has(after)
    ? `${value}::integer::${to}`
    : `${value}::text::${to}`;
}
