import * as z from "zod";
import { operation } from "../operation.js";

export const retryWebhookDeliveries = operation({
  name: "retryWebhookDeliveries",
  action: "webhooks:write",
  audit: { kind: "webhook.retry", time: "withEffect" },
  summary: "Send webhook messages again",
  description:
    "Sends the messages of your organization again that have failed for good, and those now that wait " +
    "for their next attempt, with all attempts before them. Their ids stay the same.",
  tag: "Webhooks",
  input: z
    .strictObject({
      target: z.string().exactOptional().describe("Only deliveries to this target"),
      message_id: z.string().exactOptional().describe("Only deliveries of this message"),
    })
    .meta({
      id: "WebhookRetry",
      description: "Which deliveries are sent again; nothing named: all",
      examples: [{ target: "ops" }],
    }),
  output: z
    .object({
      retried: z
        .int()
        .describe(
          "How many deliveries are sent again, 1000 at most: ask again when there may be more",
        ),
    })
    .meta({
      id: "WebhookRetried",
      description: "How many deliveries are sent again",
      examples: [{ retried: 3 }],
    }),
  errors: [403, 404],
  rest: {
    method: "POST",
    path: "/api/webhooks/deliveries/retry",
    answered: "How many are sent again",
  },
  retry: true,
});
