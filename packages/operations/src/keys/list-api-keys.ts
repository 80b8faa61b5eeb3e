import * as z from "zod";
import { operation } from "../operation.js";
import { cursor, nextCursor, pageLimit } from "../page.js";
import { apiKey } from "./api-key.js";

export const listApiKeys = operation({
  name: "listApiKeys",
  action: "keys:read",
  summary: "List API keys, newest first",
  description:
    "Keys of your organization without their secrets, revoked ones too, a page at a time.",
  tag: "Keys",
  input: z.strictObject({
    limit: pageLimit(200).describe("Keys on the page"),
    cursor,
  }),
  output: z
    .object({
      keys: z.array(apiKey).readonly().describe("Newest first"),
      next_cursor: nextCursor,
    })
    .meta({ id: "ApiKeyPage", description: "A page of API keys" }),
  errors: [403],
  rest: { method: "GET", path: "/api/keys", answered: "A page of keys" },
});
