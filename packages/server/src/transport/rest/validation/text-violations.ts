import type { FieldViolation } from "@steward/kernel/errors.js";
import { textDefect } from "../../../kernel/text-defect.js";
import { fieldPath } from "./field-path.js";

/**
 * State is stored as bytes, and a literal may contain a NUL like any other character (Decision
 * §13).
 */
const STATE_PATH = "/api/state/";

/**
 * The texts of a validated body or query that no store can keep unchanged.
 * @param part The name of the value itself, and the prefix of the fields in it.
 * @param url of the requested route.
 */
export function textViolations(
  value: unknown,
  part: { readonly name: string; readonly root: string },
  url: string,
): FieldViolation[] {
  const found: FieldViolation[] = [];
  const keys: (string | number)[] = [];
  const lookAt = (key: string | number, inner: unknown): void => {
    keys.push(key);
    look(inner);
    keys.pop();
  };
  const look = (inner: unknown): void => {
    if (Array.isArray(inner)) {
      for (const [index, item] of inner.entries()) lookAt(index, item);
    } else if (isPlainObject(inner)) {
      for (const [key, held] of Object.entries(inner)) lookAt(key, held);
    } else {
      const reason = defectOf(inner, url);
      // The path is built only for violations, because a body may have 250 000 texts.
      if (reason !== undefined) found.push({ field: pathOf(keys, part), reason });
    }
  };
  look(value);
  return found;
}

function pathOf(
  keys: readonly PropertyKey[],
  { name, root }: { readonly name: string; readonly root: string },
): string {
  const path = fieldPath(keys, root);
  return path === "" ? name : path;
}

function defectOf(value: unknown, url: string): string | undefined {
  if (typeof value !== "string") return undefined;
  return textDefect(url.startsWith(STATE_PATH) ? value.replaceAll("\0", "") : value);
}

/** A streamed document is not one: a stream is an object that refers to itself. */
function isPlainObject(value: unknown): value is object {
  return (
    typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype
  );
}
