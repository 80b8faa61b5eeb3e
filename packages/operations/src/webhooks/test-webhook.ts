import * as z from "zod";
import { operation } from "../operation.js";

const target = z.string().describe("The target's name in the tools file");

export const testWebhook = operation({
  name: "testWebhook",
  action: "webhooks:write",
  audit: { kind: "webhook.test", time: "around" },
  summary: "Send a test message to a webhook target",
  description:
    "Sends a signed message of the type webhook.test once, and answers with what the target " +
    "answered. The operator's tools file names the targets.",
  tag: "Webhooks",
  input: z.strictObject({ target }).meta({
    id: "WebhookTest",
    description: "Which target gets a test message",
    examples: [{ target: "ops" }],
  }),
  output: z
    .object({
      target,
      message_id: z.string().describe("The header webhook-id of the test message"),
      is_accepted: z
        .boolean()
        .describe("Whether the target answered with a status from 200 to 299"),
      status: z.int().exactOptional().describe("The status of the answer; absent: there was none"),
      error: z.string().exactOptional().describe("Why the message does not count as accepted"),
      duration_ms: z.int().describe("How long the answer took, in ms"),
    })
    .meta({
      id: "WebhookTested",
      description: "How a target answered a test message",
      examples: [
        {
          target: "ops",
          message_id: "msg_test_5f0b0e52-3c55-4e0e-8e6a-3a4f5b2c1d0e",
          is_accepted: false,
          status: 500,
          error: "the target answered 500",
          duration_ms: 12,
        },
      ],
    }),
  errors: [403, 404],
  rest: { method: "POST", path: "/api/webhooks/test", answered: "What the target answered" },
  retry: false,
});
