import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { insist, type Address } from "./plan-driver.js";

/** Tool calls of another system in one report. */
const BATCH_SIZE = 7;
/** Pause between two reports, in ms; most of the server's time should be left for plans. */
const PAUSE_MS = 30;
/** Start of the prices. */
const LONG_AGO = "2020-01-01";
const ADMIN = { "x-user-role": "admin" };
const OPERATOR = { "x-user-role": "operator" };

/** Nanodollars for each AAU, from the first call on. */
export const AAU_PRICE: bigint = 7n;
/**
 * Nanodollars for each call of the plans' tool: the final price, after all calls are priced again.
 */
export const TOOL_PRICE: bigint = 11n;

/** What a client has reported and was acknowledged. */
export interface ReportedUsage {
  readonly requestIds: readonly string[];
  readonly calls: number;
}

export const NOTHING_REPORTED: ReportedUsage = { requestIds: [], calls: 0 };

export async function setFirstPrice(url: Address): Promise<void> {
  const price = { scope: "aau", amount_usd: "0.000000007", from: LONG_AGO };
  await setPrice(url, price);
}

/** Sets the final price, and prices all recorded calls again. */
export async function setLastPrice(url: Address): Promise<void> {
  const price = { scope: "tool", subject: "sql", amount_usd: "0.000000011", from: LONG_AGO };
  await setPrice(url, price);
  await priceAnew(url);
}

/**
 * Reports late calls of another system, repeating each batch until it is answered, and prices them
 * again. @returns the ids of the requests, and the number of distinct reported calls.
 */
export async function reportUsage(url: Address, isOver: () => boolean): Promise<ReportedUsage> {
  const requestIds: string[] = [];
  while (!isOver()) {
    const events = Array.from({ length: BATCH_SIZE }, () => ({
      specversion: "1.0",
      id: randomUUID(),
      source: "urn:example:faults",
      type: "tool-call",
      time: "2024-02-29T23:59:59Z",
      data: { tool_name: "create_order" },
    }));
    const requestId = randomUUID();
    await insist(url, "/billing/events", events, { ...ADMIN, "x-request-id": requestId });
    requestIds.push(requestId);
    await priceAnew(url);
    await delay(PAUSE_MS);
  }
  return { requestIds, calls: requestIds.length * BATCH_SIZE };
}

/** An existing price was set by a request whose answer was lost. */
async function setPrice(url: Address, price: object): Promise<void> {
  try {
    await insist(url, "/billing/prices", price, OPERATOR);
  } catch (error) {
    if (!String(error).includes("overlaps the price")) throw error;
  }
}

async function priceAnew(url: Address): Promise<void> {
  await insist(url, "/billing/reprice", { from: LONG_AGO, until: "2100-01-01" }, OPERATOR);
}
