import { usageError } from "../cli-error.js";

/** The whole number that an option was given. @throws CliError. */
export function wholeNumber(flag: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw usageError(`${flag} ${text} is not a whole number`, `give ${flag} a whole number`);
}
