import type { Quad } from "../../state/index.js";

/** Abbreviations that everybody knows. */
const PREFIXES = {
  rdf: "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
  rdfs: "http://www.w3.org/2000/01/rdf-schema#",
  owl: "http://www.w3.org/2002/07/owl#",
  xsd: "http://www.w3.org/2001/XMLSchema#",
};

/** Characters of text that are handed on at once. */
const CHUNK_LENGTH = 64 * 1024;

/** Writes Turtle or TriG. */
export async function* writeTurtle(
  quads: Iterable<Quad>,
  format: "turtle" | "trig",
): AsyncGenerator<string> {
  const { default: n3 } = await import("n3");
  let text = "";
  const output = {
    write(chunk: string, _encoding: string, done?: () => void) {
      text += chunk;
      done?.();
    },
    end(done?: () => void) {
      done?.();
    },
  };
  const writer = new n3.Writer(output, { format, prefixes: PREFIXES });
  for (const quad of quads) {
    writer.addQuad(quad);
    if (text.length < CHUNK_LENGTH) continue;
    yield text;
    text = "";
  }
  await new Promise<void>((resolve, reject) => {
    writer.end((error) => {
      if (error instanceof Error) reject(error);
      else resolve();
    });
  });
  yield text;
}
