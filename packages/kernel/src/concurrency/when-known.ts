/**
 * Continues with a value at once when it is known, and else when its promise resolves. Each `await`
 * costs a promise and a turn of the microtask queue, also of a value that is known already; most decisions on a
 * step depend on nothing that has to be read.
 * @returns a promise when the value was one, and for an error: it always rejects.
 */
export function whenKnown<Value, Answer>(
  value: Value | Promise<Value>,
  next: (value: Value) => Answer | Promise<Answer>,
): Answer | Promise<Answer> {
  if (value instanceof Promise) return value.then(next);
  try {
    return next(value);
  } catch (error) {
    // What is thrown inside the promise's function becomes a rejection.
    return new Promise(() => {
      throw error;
    });
  }
}
