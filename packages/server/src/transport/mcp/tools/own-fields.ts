import { AppError } from "@steward/kernel/errors.js";

/**
 * Renames the fields in an operation's errors to those of the tool that called it, because an LLM
 * knows only the tool's fields.
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
