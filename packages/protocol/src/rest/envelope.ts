import * as z from "zod";

/** Every successful REST body: the payload under the single key `data` (Contract §4). */
export interface Data<Payload> {
  readonly data: Payload;
}

/** The schema of a payload's body. */
export function dataOf<Payload>(payload: z.ZodType<Payload>): z.ZodType<Data<Payload>> {
  return z.object({ data: payload.describe("The payload") });
}
