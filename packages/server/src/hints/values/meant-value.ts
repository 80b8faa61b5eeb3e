import { nearMiss } from "../../kernel/near-miss.js";

/** The held value that a literal probably means: in another case, misspelt, or abbreviated. */
export function meantValue(literal: string, values: readonly string[]): string | undefined {
  const lower = literal.toLowerCase();
  return (
    values.find((value) => value.toLowerCase() === lower) ??
    nearMiss(literal, values) ??
    onlyOne(
      values.filter((value) => isAbbreviation(value, literal) || isAbbreviation(literal, value)),
    )
  );
}

function onlyOne(values: readonly string[]): string | undefined {
  return values.length === 1 ? values[0] : undefined;
}

/** Whether a short value is the initials of a longer one, as USA is of United States; or its beginning. */
function isAbbreviation(short: string, long: string): boolean {
  const words = long.toLowerCase().match(/\p{L}+/gu) ?? [];
  const initials = words.map((word) => word.charAt(0)).join("");
  const lower = short.toLowerCase();
  return (
    (words.length > 1 && initials.length >= 2 && lower.startsWith(initials)) ||
    (lower.length >= 2 && long.toLowerCase().startsWith(lower))
  );
}
