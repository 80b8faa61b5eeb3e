import type { UsageEvent } from "./billing.js";
import type { Client } from "./client.js";

/** The same organization's billing admin. */
export function billingAdmin(client: Client): Client {
  return client.as({ "x-user-role": "admin" });
}

/** The service's operator, asking about the same organization. */
export function operator(client: Client): Client {
  return client.as({ "x-user-role": "operator" });
}

/** The present UTC day, YYYY-MM-DD. */
export function today(): string {
  return new Date().toISOString().slice(0, 10);
}

/** A call reported by another system; by default a read. */
export function reported(
  id: string,
  time: string,
  data: Partial<UsageEvent["data"]> = {},
): UsageEvent {
  const source = "urn:example:shop";
  return { id, source, time, data: { tool_name: "search", intent: "read_select", ...data } };
}

/** The expected refusal of a caller who is not a billing admin. */
export const DENIED = { code: "POLICY_DENIED", grpc: "PERMISSION_DENIED", rest: 403 };

/** The expected refusal of this parameter. */
export function wrong(field: string) {
  return { code: "INVALID_ARGUMENT", grpc: "INVALID_ARGUMENT", rest: 400, field };
}
