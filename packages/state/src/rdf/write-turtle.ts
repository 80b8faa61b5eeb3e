import type { Writer } from "n3";
import type { Quad } from "../index.js";

/** Common prefixes. */
const PREFIXES = {
  rdf: "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
  rdfs: "http://www.w3.org/2000/01/rdf-schema#",
  owl: "http://www.w3.org/2002/07/owl#",
  xsd: "http://www.w3.org/2001/XMLSchema#",
};

/** Characters per chunk. */
const CHUNK_LENGTH = 64 * 1024;

/**
 * Serializes Turtle or TriG. The RDF version 1.2 is announced only before the first quad that needs
 * it, so that readers of RDF 1.1 can read all other documents.
 */
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
  let writer = new n3.Writer(output, { format, prefixes: PREFIXES });
  let isAnnounced = false;
  for (const quad of quads) {
    if (!isAnnounced && needsRdf12(quad)) {
      isAnnounced = true;
      await ended(writer);
      writer = new n3.Writer(output, { format, prefixes: PREFIXES, version: "1.2" });
    }
    writer.addQuad(quad);
    if (text.length < CHUNK_LENGTH) continue;
    yield text;
    text = "";
  }
  await ended(writer);
  yield text;
}

function needsRdf12({ object }: Quad): boolean {
  return object.termType === "Quad" || (object.termType === "Literal" && object.direction !== "");
}

function ended(writer: Writer): Promise<void> {
  return new Promise((resolve, reject) => {
    writer.end((error) => {
      if (error instanceof Error) reject(error);
      else resolve();
    });
  });
}
