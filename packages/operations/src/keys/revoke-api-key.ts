import * as z from "zod";
import { operation } from "../operation.js";
import { KEY_ID, keyId } from "./api-key.js";

export const revokeApiKey = operation({
  name: "revokeApiKey",
  action: "keys:write",
  audit: { kind: "key.revoke", time: "withEffect" },
  summary: "Revoke an API key",
  description:
    "The key is revoked permanently; within a second no server accepts it. Repeating the request gives the same answer.",
  tag: "Keys",
  input: z.strictObject({ key_id: keyId }).meta({ examples: [{ key_id: KEY_ID }] }),
  output: z
    .object({
      key_id: keyId,
      revoked: z.literal(true).describe("Within a second no server takes the key any more"),
    })
    .meta({
      id: "RevokedApiKey",
      description: "The key is revoked",
      examples: [{ key_id: KEY_ID, revoked: true }],
    }),
  errors: [403, 404],
  rest: { method: "DELETE", path: "/api/keys/{key_id}", answered: "The key is revoked" },
  retry: true,
});
