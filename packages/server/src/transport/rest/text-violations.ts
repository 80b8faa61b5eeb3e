import type { FieldViolation } from "../../kernel/errors.js";
import { textDefect } from "../../kernel/text-defect.js";

/** State is kept as bytes, in which a NUL is a character of a literal like any other (Decision §13). */
const STATE_PATH = "/api/state/";

/** A value of a request, and where it stands in it. */
interface Place {
  readonly path: string;
  readonly value: unknown;
}

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
  const places: Place[] = [{ path: part.root, value }];
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    const reason = defectOf(place.value, url);
    if (reason !== undefined)
      found.push({ field: place.path === "" ? part.name : place.path, reason });
    else places.push(...partsOf(place));
  }
  return found.reverse();
}

function defectOf(value: unknown, url: string): string | undefined {
  if (typeof value !== "string") return undefined;
  return textDefect(url.startsWith(STATE_PATH) ? value.replaceAll("\0", "") : value);
}

function partsOf({ path, value }: Place): readonly Place[] {
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => ({
      path: `${path}[${String(index)}]`,
      value: item,
    }));
  }
  // A document that is read as it comes is a stream: an object that leads to itself.
  if (Object.getPrototypeOf(value) !== Object.prototype) return [];
  return Object.entries(value).map(([key, inner]) => ({
    path: path === "" ? key : `${path}.${key}`,
    value: inner as unknown,
  }));
}
