/** Any JSON value. */
export type JsonValue =
  null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** JSON text with object keys in a fixed order, so that equal values have equal text. */
export function canonicalJson(value: JsonValue): string {
  // A replacer function of JSON.stringify would take several times as long.
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (isList(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(",")}]`;
  const members = Object.keys(value)
    .sort()
    .flatMap((key) => {
      const member = value[key];
      return member === undefined ? [] : [`${JSON.stringify(key)}:${canonicalJson(member)}`];
    });
  return `{${members.join(",")}}`;
}

/** Array.isArray does not narrow to a read-only list. */
function isList(value: readonly JsonValue[] | object): value is readonly JsonValue[] {
  return Array.isArray(value);
}
