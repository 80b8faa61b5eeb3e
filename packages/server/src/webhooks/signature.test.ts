import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { expect, it } from "vitest";
import { isWebhookSecret, signedHeaders } from "./signature.js";

it("signs as the specification's example does", () => {
  const message = { messageId: "msg_p5jXN8AQM9LWM0D4loKWxJek", body: '{"test": 2432232314}' };
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  expect(signedHeaders(message, [secret], 1_614_265_330_999)).toMatchObject({
    "webhook-id": message.messageId,
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  });
});

it("signs any body so that the authors' library verifies it with each secret, and with no other", () => {
  const secretOf = (bytes: number): string => `whsec_${randomBytes(bytes).toString("base64")}`;
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 24, max: 64 }), (value, bytes) => {
      const secrets = [secretOf(bytes), secretOf(32)];
      expect(secrets.every(isWebhookSecret)).toBe(true);
      const body = JSON.stringify({ value });
      const headers = signedHeaders({ messageId: "msg_1", body }, secrets, Date.now());
      for (const secret of secrets) {
        expect(new Webhook(secret).verify(body, { ...headers })).toEqual(JSON.parse(body));
      }
      expect(() => new Webhook(secretOf(32)).verify(body, { ...headers })).toThrow();
    }),
  );
});

it.each(["", "whsec_", "whsec_c2hvcnQ=", `whsec_${"A".repeat(200)}`, "whsec_!".padEnd(50, "A")])(
  "takes %j for no secret",
  (text) => {
    expect(isWebhookSecret(text)).toBe(false);
  },
);
