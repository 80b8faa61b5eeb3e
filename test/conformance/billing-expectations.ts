import type { UsageEvent } from "./billing.js";
import type { Client } from "./client.js";

/** The same organization's billing admin. */
export function billingAdmin(client: Client): Client {
  return client.as({ "x-user-role": "admin" });
}

/** The same organization, asked about by the operator of the service. */
export function operator(client: Client): Client {
  return client.as({ "x-user-role": "operator" });
}

/** The UTC day of now, YYYY-MM-DD. */
export function today(): string {
  return new Date().toISOString().slice(0, 10);
}

/** A call that another system reports: one that reads, unless said otherwise. */
export function reported(
  id: string,
  time: string,
  data: Partial<UsageEvent["data"]> = {},
): UsageEvent {
  const source = "urn:example:shop";
  return { id, source, time, data: { tool_name: "search", intent: "read_select", ...data } };
}

/** How a caller is told that they are no billing admin. */
export const DENIED = { code: "POLICY_DENIED", grpc: "PERMISSION_DENIED", rest: 403 };

/** How a caller is told that this parameter is wrong. */
export function wrong(field: string) {
  return { code: "INVALID_ARGUMENT", grpc: "INVALID_ARGUMENT", rest: 400, field };
}
