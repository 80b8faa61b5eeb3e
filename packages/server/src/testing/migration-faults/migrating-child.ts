import { once } from "node:events";
import { createInterface } from "node:readline";
import { ADMIN } from "@steward/kernel/testing/nobody.js";
import { AppError } from "@steward/kernel/errors.js";
import type { Migration } from "@steward/schema";
import type { FaultyOrder } from "@steward/schema/testing/fault-place.js";
import { dieAfter } from "./die-after-statement.js";
import { type FilePlaces, openFileService } from "./file-service.js";

/** What the process is told, in one line of JSON on standard input. */
export type ChildOrder = FaultyOrder & FilePlaces;

/** What it says, each in a line of JSON on standard output. */
export type ChildReport =
  | { readonly begun: true }
  | { readonly diedAfter: string }
  | { readonly done: Migration }
  | { readonly refused: { readonly code: AppError["code"]; readonly message: string } };

const [line] = (await once(createInterface(process.stdin), "line")) as [string];
// Written by whoever has started this.
const order = JSON.parse(line) as ChildOrder;
await using opened = openFileService(order);
dieAfter(order.statement, order.isSlow);
say(await apply());
process.stdin.destroy();

async function apply(): Promise<ChildReport> {
  try {
    const { id, acceptDataLoss } = order;
    return { done: await opened.service.apply(ADMIN, id, { acceptDataLoss }) };
  } catch (error) {
    const { code, message } = AppError.from(error);
    return { refused: { code, message } };
  }
}

function say(report: ChildReport): void {
  process.stdout.write(`${JSON.stringify(report)}\n`);
}
