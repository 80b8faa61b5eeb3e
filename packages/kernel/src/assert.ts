/**
 * States what must hold if this program is right. A failure is our own mistake, never a caller's,
 * so it stays on in production.
 * @throws Error naming the broken statement.
 */
export function assert(condition: boolean, statement: string): asserts condition {
  if (!condition) throw new Error(`assertion failed: ${statement}`);
}

/** Marks the end of an exhaustive switch: reaching it does not compile. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${String(value)}`);
}
