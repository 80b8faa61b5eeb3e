import * as z from "zod";

/**
 * The body of every successful REST response: the payload under the single key `data` (Contract
 * §4).
 */
export interface Data<Payload> {
  readonly data: Payload;
}

/** The schema of a body with this payload. */
export function dataOf<Payload>(payload: z.ZodType<Payload>): z.ZodType<Data<Payload>> {
  return z.object({ data: payload.describe("The payload") });
}
