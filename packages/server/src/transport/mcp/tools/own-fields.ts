import { AppError } from "@steward/kernel/errors.js";

/**
 * Has the errors of an operation name the fields of the tool that calls it, because an LLM knows only these.
 * @param ownField the tool's field for one of the operation.
 */
export async function inOwnFields<Output>(
  ownField: (field: string) => string,
  work: () => Promise<Output>,
): Promise<Output> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof AppError) || thrown.details.length === 0) throw thrown;
    const { code, message, retryAfterMs, details } = thrown;
    const [first] = details;
    const begin = `${String(first?.field)}: `;
    const isNamed = first !== undefined && message.startsWith(begin);
    const said = isNamed ? `${ownField(first.field)}: ${message.slice(begin.length)}` : message;
    throw new AppError(code, said, {
      cause: thrown,
      details: details.map(({ field, reason }) => ({ field: ownField(field), reason })),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });
  }
}
