/**
 * A conservative count of a text's tokens: one token for every three letters begun of a word, one
 * for each digit, punctuation mark and line break, one for each run of spaces, and one for each
 * byte of any other character. Tokenizers of current models make fewer tokens of ordinary text,
 * because they join a space with the word that follows and keep common words whole.
 */
export function countTokens(text: string): number {
  let tokens = 0;
  for (const [run] of text.matchAll(/[A-Za-z]+|[ \t]+|[!-~]|\n|\r|[^\t\n\r -~]/gu)) {
    tokens += tokensOf(run);
  }
  return tokens;
}

function tokensOf(run: string): number {
  if (/^[A-Za-z]/.test(run)) return Math.ceil(run.length / LETTERS_PER_TOKEN);
  return /^[\t\n\r -~]/.test(run) ? 1 : Buffer.byteLength(run);
}

const LETTERS_PER_TOKEN = 3;
