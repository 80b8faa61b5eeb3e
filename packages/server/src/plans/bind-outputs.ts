import { assert } from "../kernel/assert.js";
import type { JsonValue } from "../kernel/canonical-json.js";
import { AppError } from "../kernel/errors.js";
import type { Bind, CompiledStatement, PathSegment } from "./compiled-statement.js";
import { pathText, placeholderText } from "./placeholder.js";
import type { SqlValue } from "./ports.js";

/** Columns of a row that a message names. */
const COLUMNS_NAMED_MAX = 20;

/**
 * The values of a statement's parameters, in their order.
 *
 * A scalar is bound as it is, `true` and `false` as 1 and 0 (PostgreSQL reads those as booleans, too),
 * an object or array as its JSON text. Inside a string literal everything becomes text.
 * @param outputs `toolOutputJson` by step id, of every step the statement refers to.
 * @throws AppError `STEP_FAILED` naming the placeholder whose path does not exist, or whose value
 *   cannot be what it is used as, and in `details` what there is instead; never a value.
 */
export function bindOutputs(
  statement: CompiledStatement,
  outputs: ReadonlyMap<string, string>,
): readonly SqlValue[] {
  const parsed = new Map<string, JsonValue>();
  return statement.binds.map((bind) => {
    const json = outputs.get(bind.stepId);
    assert(json !== undefined, "the output of every step that a statement refers to is given");
    // The largest and most frequent one needs no reading: it is passed on byte for byte.
    if (bind.path.length === 0) return json;
    const root = parsed.get(bind.stepId) ?? (JSON.parse(json) as JsonValue);
    parsed.set(bind.stepId, root);
    return bindable(encode(select(root, bind), bind), bind);
  });
}

/** The value at the end of a path; an array when the path has an `each`. */
function select(root: JsonValue, bind: Bind): JsonValue {
  const each = bind.path.findIndex(({ kind }) => kind === "each");
  if (each < 0) return walk(root, [], bind.path, bind);
  const above = bind.path.slice(0, each);
  const below = bind.path.slice(each + 1);
  const list = walk(root, [], above, bind);
  if (!isArray(list)) throw missing(bind, `${describe(list, above, bind)}, not a list`);
  return list.map((element, index) =>
    walk(element, [...above, { kind: "index", index }], below, bind),
  );
}

function walk(
  from: JsonValue,
  at: readonly PathSegment[],
  path: readonly PathSegment[],
  bind: Bind,
): JsonValue {
  let value = from;
  path.forEach((segment, depth) => {
    const next = child(value, segment);
    if (next === undefined) {
      const found = describe(value, [...at, ...path.slice(0, depth)], bind);
      const choose = isArray(value) && segment.kind === "member";
      throw missing(bind, choose ? `${found}; choose one with [0] or all with [*]` : found);
    }
    value = next;
  });
  return value;
}

function child(value: JsonValue, segment: PathSegment): JsonValue | undefined {
  switch (segment.kind) {
    case "index":
      return isArray(value) ? value[segment.index] : undefined;
    case "member":
      return isObject(value) && Object.hasOwn(value, segment.name)
        ? value[segment.name]
        : undefined;
    case "each":
      return undefined;
  }
}

function encode(value: JsonValue, bind: Bind): SqlValue {
  switch (bind.form) {
    case "value":
      if (typeof value === "boolean") return value ? 1 : 0;
      return isScalar(value) ? value : JSON.stringify(value);
    case "text":
      if (value === null) {
        throw failure(
          bind,
          `${placeholderText(bind)} is null and stands inside a string literal, where null has no ` +
            "text: select coalesce(…) in the step before, or put the placeholder outside the quotes",
        );
      }
      return textOf(value);
    case "list":
      return JSON.stringify(value);
    case "array":
      return arrayText(isArray(value) ? value : [value]);
  }
}

function textOf(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The text of a PostgreSQL array (PostgreSQL manual, §8.15.6): its elements' type is not needed. */
function arrayText(elements: readonly JsonValue[]): string {
  const texts = elements.map((element) =>
    element === null ? "NULL" : `"${textOf(element).replaceAll(/["\\]/g, "\\$&")}"`,
  );
  return `{${texts.join(",")}}`;
}

/** @throws AppError for text with a NUL: drivers and engines end a text there without a word. */
function bindable(value: SqlValue, bind: Bind): SqlValue {
  if (typeof value === "string" && value.includes("\0")) {
    throw failure(
      bind,
      `${placeholderText(bind)} holds a NUL character, which no SQL text can hold`,
    );
  }
  return value;
}

function missing(bind: Bind, instead: string): AppError {
  return failure(bind, `${placeholderText(bind)} does not exist: ${instead}`, instead);
}

function failure(bind: Bind, message: string, instead = message): AppError {
  return new AppError("STEP_FAILED", message, {
    details: [{ field: placeholderText(bind), reason: instead }],
  });
}

/** What there is at a place in an output: sizes and names, never values. */
function describe(value: JsonValue, path: readonly PathSegment[], bind: Bind): string {
  const [first] = path;
  const root = path.length === 0;
  const place = root
    ? `the output of step ${bind.stepId}`
    : first?.kind === "index" && path.length === 1
      ? `row ${String(first.index)}`
      : `output${pathText(path)}`;
  if (isArray(value)) {
    return `${place} has ${counted(value.length, root ? "row" : "element")}`;
  }
  if (isObject(value)) return `${place} has ${named(Object.keys(value))}`;
  return `${place} is ${value === null ? "null" : `a ${typeof value}`}`;
}

function counted(count: number, noun: string): string {
  return count === 0 ? `no ${noun}s` : `${String(count)} ${noun}${count === 1 ? "" : "s"}`;
}

function named(names: readonly string[]): string {
  if (names.length === 0) return "no columns";
  const more = names.length - COLUMNS_NAMED_MAX;
  const shown = names.slice(0, COLUMNS_NAMED_MAX).join(", ");
  return more > 0 ? `${shown} and ${String(more)} more` : shown;
}

function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function isObject(value: JsonValue): value is { readonly [key: string]: JsonValue } {
  return typeof value === "object" && value !== null && !isArray(value);
}

function isScalar(value: JsonValue): value is string | number | null {
  return value === null || typeof value === "string" || typeof value === "number";
}
