import { NAME_LENGTH_MAX } from "../../kernel/limits.js";
import { invalidArgument, parseInstant } from "../instant.js";
import { parseUsd } from "../money.js";
import { PRICE_SCOPES, type Price } from "./pricing.js";

/** A price in a request. */
export interface PriceInput {
  readonly scope: string;
  /** What the price applies to; absent for `aau`. */
  readonly subject?: string | undefined;
  /** Decimal dollars with up to nine places: per AAU for the scope `aau`, otherwise per call. */
  readonly amount_usd: string;
  /** Date or RFC 3339; absent: now. */
  readonly from?: string | undefined;
  /** Date or RFC 3339, exclusive; absent: no end. */
  readonly until?: string | undefined;
  /** The organization that pays the price; absent: the caller's own. */
  readonly org_id?: string | undefined;
}

/**
 * Validates a price.
 * @throws AppError `INVALID_ARGUMENT` naming the field.
 */
export function parsePrice(input: PriceInput, id: string, nowMs: number): Price {
  const scope = PRICE_SCOPES.find((candidate) => candidate === input.scope);
  if (scope === undefined) {
    throw invalidArgument("scope", `must be one of ${PRICE_SCOPES.join(", ")}`);
  }
  const amount = parseUsd(input.amount_usd);
  if (amount === undefined) {
    throw invalidArgument("amount_usd", "must be a decimal number with at most nine places");
  }
  const { subject = "" } = input;
  if (subject.length > NAME_LENGTH_MAX) {
    throw invalidArgument("subject", `must have at most ${String(NAME_LENGTH_MAX)} characters`);
  }
  return {
    id,
    scope,
    subject,
    amount,
    fromMs: input.from === undefined ? nowMs : parseInstant("from", input.from),
    untilMs: input.until === undefined ? undefined : parseInstant("until", input.until),
  };
}
