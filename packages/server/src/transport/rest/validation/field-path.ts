/**
 * The path of a field in error messages: `steps[2].depends_on[0]`.
 * @param root the path of the value in which the keys start.
 */
export function fieldPath(keys: readonly PropertyKey[], root = ""): string {
  return keys.reduce<string>(
    (path, key) =>
      typeof key === "number" ? `${path}[${String(key)}]` : fieldWithin(path, String(key)),
    root,
  );
}

/** The path of a field of the object at a path. */
export function fieldWithin(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}
