import * as z from "zod";
import { operation } from "../operation.js";
import { issuedApiKey, KEY_ID, keyId } from "./api-key.js";

export const rotateApiKey = operation({
  name: "rotateApiKey",
  action: "keys:write",
  audit: { kind: "key.rotate", time: "withEffect" },
  summary: "Give an API key a new secret",
  description:
    "The key keeps its id. Its present secret stays valid for overlap_seconds, so that clients can switch to the new one.",
  tag: "Keys",
  input: z
    .strictObject({
      key_id: keyId,
      overlap_seconds: z
        .int()
        .exactOptional()
        .describe("For how long the present secret stays valid; default: 0"),
    })
    .meta({
      description: "How a key is rotated",
      examples: [{ key_id: KEY_ID, overlap_seconds: 3600 }],
    }),
  output: issuedApiKey,
  errors: [403, 404],
  rest: {
    method: "POST",
    path: "/api/keys/{key_id}/rotate",
    body: "RotateApiKey",
    answered: "The key with its new secret",
  },
  // If the answer was lost, a second request would replace the secret again.
  retry: false,
});
