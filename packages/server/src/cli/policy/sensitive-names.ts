/*
 * Columns whose names say that they hold personal or secret values. A guess: whoever reads the
 * written policies adds what it has missed, and takes out what it has found wrongly.
 */

/** Words of which one is enough. */
const WORDS: ReadonlySet<string> = new Set(
  `email mail phone telephone mobile fax address street postcode zip birth birthday birthdate dob gender
  ssn passport iban bic swift cvv cvc pan salary wage income password passwd pwd passphrase secret
  token credential credentials pin otp salt hash signature biometric diagnosis religion ethnicity`.split(
    /\s+/,
  ),
);

/** Words that count next to each other. */
const PAIRS: ReadonlySet<string> = new Set([
  ...["api key", "private key", "access key", "secret key", "encryption key", "e mail"],
  ...["card number", "credit card", "account number", "tax id", "tax number", "vat id"],
  ...["national id", "social security", "security number", "security code", "ip address"],
  ...["health insurance", "medical record", "drivers license", "driver license"],
]);

/** Whether a column's name says that it holds personal or secret values. */
export function isSensitive(column: string): boolean {
  const words = wordsOf(column);
  return (
    words.some((word) => WORDS.has(word) || WORDS.has(word.replace(/e?s$/, ""))) ||
    words.some((word, index) => PAIRS.has(`${word} ${words[index + 1] ?? ""}`))
  );
}

/** The words of a name such as `customerEmail`, `customer_email` or `APIKey`. */
function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== "");
}
