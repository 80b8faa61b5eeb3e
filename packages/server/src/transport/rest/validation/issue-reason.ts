import type { $ZodIssue } from "zod/v4/core";
import { nearMiss } from "../../../kernel/near-miss.js";

/** Maximum length of a caller's value in a reason, in characters. */
const SHOWN_LENGTH_MAX = 64;
/** Alternatives that a reason lists. */
const CHOICES_MAX = 20;

/**
 * The expected and the actual value of a field, in plain English. The library's own messages are
 * for programmers, such as "received NaN" for a page size that was a word.
 * @param given The field's value as the caller sent it; `undefined` when it is missing.
 */
export function issueReason(issue: $ZodIssue, given: unknown): string {
  const expected = expectationOf(issue);
  if (expected === undefined) return issue.message;
  if (given === undefined) return `${expected}, but it is missing`;
  return `${expected}, not ${shown(given)}${hintOf(issue, given)}`;
}

/** The value at an issue's path. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === "object" && inner !== null ? Reflect.get(inner, key) : undefined,
    value,
  );
}

/** Absent for a rule whose schema has its own message. */
function expectationOf(issue: $ZodIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      return `must be ${NOUNS[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `must be ${oneOf(issue.values.slice(0, CHOICES_MAX).map(String))}`;
    case "invalid_format":
      return `must be ${FORMATS[issue.format] ?? `text of the form ${issue.format}`}`;
    case "too_small":
      return atLeast(issue.origin, Number(issue.minimum));
    case "too_big":
      return atMost(issue.origin, Number(issue.maximum));
    case "not_multiple_of":
      return `must be a multiple of ${String(issue.divisor)}`;
    case "invalid_union":
      return unionExpectation(issue.errors);
    case "invalid_key":
    case "invalid_element":
      return "must have keys and values of the described kinds";
    case "unrecognized_keys":
    case "custom":
      return undefined;
  }
}

const NOUNS: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  null: "null",
};

const FORMATS: Readonly<Record<string, string>> = {
  datetime: "a time such as 2026-01-05T12:00:00Z",
  date: "a date written YYYY-MM-DD",
  uuid: "a UUID",
  safeint: "a whole number",
};

function atLeast(origin: string, minimum: number): string {
  if (origin === "string") return `must have at least ${counted(minimum, "character")}`;
  if (origin === "array") return `must have at least ${counted(minimum, "item")}`;
  return `must be at least ${String(minimum)}`;
}

function atMost(origin: string, maximum: number): string {
  if (origin === "string") return `must have at most ${counted(maximum, "character")}`;
  if (origin === "array") return `must have at most ${counted(maximum, "item")}`;
  return `must be at most ${String(maximum)}`;
}

/** The expectations of all alternatives, without duplicates. */
function unionExpectation(alternatives: readonly (readonly $ZodIssue[])[]): string {
  const expectations = alternatives.flatMap(([first]) => {
    const expected = first === undefined ? undefined : expectationOf(first);
    return expected === undefined ? [] : [expected.replace(/^must be /, "")];
  });
  return `must be ${oneOf([...new Set(expectations)])}`;
}

function oneOf(choices: readonly string[]): string {
  const last = choices.at(-1) ?? "";
  return choices.length < 2 ? last : `${choices.slice(0, -1).join(", ")} or ${last}`;
}

function counted(count: number, noun: string): string {
  return `${String(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** The actual value, shortened: a long text or list is described by its length. */
function shown(value: unknown): string {
  if (Array.isArray(value))
    return value.length === 0 ? "an empty list" : `a list of ${String(value.length)}`;
  if (typeof value === "object" && value !== null) return "an object";
  const json = JSON.stringify(value);
  if (json.length <= SHOWN_LENGTH_MAX) return json;
  return typeof value === "string" ? `text of ${counted(value.length, "character")}` : typeof value;
}

function hintOf(issue: $ZodIssue, given: unknown): string {
  if (issue.code !== "invalid_value" || typeof given !== "string") return "";
  const meant = nearMiss(given.slice(0, SHOWN_LENGTH_MAX), issue.values.map(String));
  return meant === undefined ? "" : `; did you mean ${meant}?`;
}
