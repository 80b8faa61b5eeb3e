import * as z from "zod";

/** The member `limit` of a query: items on a page. @param max how many a caller may ask for. */
export function pageLimit(max: number): z.ZodExactOptional<z.ZodCoercedNumber> {
  return z.coerce.number().int().min(1).max(max).exactOptional();
}

/** The member `cursor` of a query. */
export const cursor = z.string().exactOptional().describe("next_cursor of the page before");

/** The member `next_cursor` of a page. */
export const nextCursor = z
  .string()
  .exactOptional()
  .describe("Cursor of the next page; absent on the last page");
