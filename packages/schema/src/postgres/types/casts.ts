import { NUMBERS } from "./numbers.js";
import { TEXTS } from "./texts.js";
import { parseTypeName } from "./type-name.js";

/**
 * Families of types with direct casts between each other. Values of other types are cast through
 * text.
 */
const FAMILIES: readonly RegExp[] = [/^(date|timestamp)/, /^(json|jsonb)$/];

/** Types with a direct cast to one type of numbers only, whose texts are not numbers. */
const OVER_NUMBERS: ReadonlyMap<string, string> = new Map([
  ["money", "numeric"],
  ["bit", "bigint"],
]);

/**
 * An expression that casts a value to another type.
 * @param to the name of the new type.
 * @param made the base type, when the new type is a domain.
 */
export function cast(value: string, from: string, to: string, made: string = to): string {
  const [source, target] = [parseTypeName(from), parseTypeName(made)];
  const [before, after] = [source.name, target.name];
  const isNumber = NUMBERS.has(before) && NUMBERS.has(after);
  const isRelated =
    isNumber || FAMILIES.some((family) => family.test(before) && family.test(after));
  const isWritten = [source, target].some(({ name, isArray }) => TEXTS.has(name) && !isArray);
  // Between an array and a single value there is no cast but through text.
  if (source.isArray !== target.isArray) {
    return isWritten ? `${value}::${to}` : `${value}::text::${to}`;
  }
  const over = NUMBERS.has(after) ? OVER_NUMBERS.get(before) : OVER_NUMBERS.get(after);
  if (over !== undefined && (NUMBERS.has(before) || NUMBERS.has(after)))
    return `${value}::${over}::${to}`;
  if (isRelated || TEXTS.has(before) || TEXTS.has(after)) return `${value}::${to}`;
  return before === "boolean" && NUMBERS.has(after)
    ? `${value}::integer::${to}`
    : `${value}::text::${to}`;
}
