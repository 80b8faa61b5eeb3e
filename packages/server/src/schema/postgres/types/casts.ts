import { NUMBERS } from "./numbers.js";
import { TEXTS } from "./texts.js";
import { parseTypeName } from "./type-name.js";

/** Types that the engine casts to each other; any other value goes through its text. */
const FAMILIES: readonly RegExp[] = [/^(date|timestamp)/, /^(json|jsonb)$/];

/**
 * A value of one type as one of another.
 * @param to What the type is called; @param made What it is made of, where it is a domain.
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
