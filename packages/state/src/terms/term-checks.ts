import { AppError } from "@steward/kernel/errors.js";
import type { TermLike } from "./term.js";

/** Characters that are not allowed in an IRI. */
export const IRI_REFUSED: RegExp = /[\0-\x20<>"{}|^`\\]/;
const LABEL_REFUSED = /[\0-\x20]/;
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
const LANGUAGE = /^[a-z]{1,8}(?:-[a-z0-9]{1,8})*$/;

/**
 * Checks that an IRI can be stored.
 * @throws AppError `INVALID_ARGUMENT`.
 */
export function checkIri(value: string): string {
  if (!IRI_REFUSED.test(value) && value !== "") return checkText(value, "an IRI");
  const shown = JSON.stringify(value.slice(0, 80));
  throw new AppError(
    "INVALID_ARGUMENT",
    `${shown} is not an IRI: it is empty or has characters that an IRI cannot have`,
  );
}

/**
 * Checks that a blank node's label can be stored.
 * @throws AppError `INVALID_ARGUMENT`.
 */
export function checkLabel(value: string): string {
  if (!LABEL_REFUSED.test(value) && value !== "") return checkText(value, "a blank node's label");
  const shown = JSON.stringify(value.slice(0, 80));
  throw new AppError(
    "INVALID_ARGUMENT",
    `${shown} is not a label of a blank node: it is empty or has spaces`,
  );
}

/**
 * Checks that a text has no unpaired surrogates.
 * @throws AppError `INVALID_ARGUMENT`.
 */
export function checkText(value: string, what: string): string {
  if (!LONE_SURROGATE.test(value)) return value;
  throw new AppError(
    "INVALID_ARGUMENT",
    `There is half a surrogate pair in ${what}: it is not valid Unicode`,
  );
}

/**
 * Checks a language tag and converts it to lower case.
 * @throws AppError `INVALID_ARGUMENT`.
 */
export function checkLanguage(language: string): string {
  const lower = language.toLowerCase();
  if (LANGUAGE.test(lower)) return lower;
  const shown = JSON.stringify(language.slice(0, 80));
  throw new AppError("INVALID_ARGUMENT", `${shown} is not a language tag (BCP 47)`);
}

/**
 * Checks a base direction.
 * @throws AppError `INVALID_ARGUMENT`.
 */
export function checkDirection(direction: string): string {
  if (direction === "ltr" || direction === "rtl") return direction;
  const shown = JSON.stringify(direction.slice(0, 80));
  throw new AppError("INVALID_ARGUMENT", `${shown} is not a base direction: it must be ltr or rtl`);
}

/**
 * @throws AppError `INVALID_ARGUMENT` when a literal has a base direction and is no
 * rdf:dirLangString.
 */
export function refuseDirection({ direction }: TermLike): void {
  if (direction === undefined || direction === null || direction === "") return;
  throw new AppError(
    "INVALID_ARGUMENT",
    "A literal with a base direction must have a language and the datatype rdf:dirLangString",
  );
}
