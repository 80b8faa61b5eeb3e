/**
 * A copy of an answer, without members that have no value, as JSON would make it. Answers share lists and objects with
 * the plans that the engine holds, and a program may change what it was given.
 * @param value JSON, but for such members.
 */
export function plainCopy<Value>(value: Value): Value {
  // A copy has the type of its original.
  return copyOf(value) as Value;
}

function copyOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf);
  const copy: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    if (member !== undefined) copy[name] = copyOf(member);
  }
  return copy;
}
