/** Any JSON value. */
export type JsonValue =
  null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** JSON text with object keys in a fixed order, so that equal values have equal text. */
export function canonicalJson(value: JsonValue): string {
  // A replacer function of JSON.stringify would take several times as long, and so would lists of parts.
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  let text = "";
  if (isList(value)) {
    for (const item of value) text += `${text === "" ? "" : ","}${canonicalJson(item ?? null)}`;
    return `[${text}]`;
  }
  for (const key of Object.keys(value).sort()) {
    const member = value[key];
    if (member === undefined) continue;
    text += `${text === "" ? "" : ","}${JSON.stringify(key)}:${canonicalJson(member)}`;
  }
  return `{${text}}`;
}

/** Array.isArray does not narrow to a read-only list. */
function isList(value: readonly JsonValue[] | object): value is readonly JsonValue[] {
  return Array.isArray(value);
}
