import type { FieldViolation } from "@steward/kernel/errors.js";
import { textDefect } from "../../../kernel/text-defect.js";
import { fieldPath } from "./field-path.js";

/** State is kept as bytes, in which a NUL is a character of a literal like any other (Decision §13). */
const STATE_PATH = "/api/state/";

/**
 * The texts of a checked body or query that no store could keep as they are.
 * @param part What the value itself is called, and what the fields in it begin with.
 * @param url of the route that was asked.
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
      // The path is made only of what is wrong: a body may have 250 000 texts.
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

/** A document that is read as it comes is none: a stream, an object that leads to itself. */
function isPlainObject(value: unknown): value is object {
  return (
    typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype
  );
}
