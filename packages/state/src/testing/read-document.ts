import { systemClock } from "@steward/kernel/clock.js";
import { MemoryBlockStore, type Quad, TripleStore } from "../index.js";
import type { RdfFormat } from "../ports.js";
import { documentParser } from "../rdf/read-document.js";

/** The quads that a document says, as a dataset has them. */
export async function readDocument(text: string, format: RdfFormat): Promise<readonly Quad[]> {
  const parser = documentParser(format);
  parser.push(Buffer.from(text));
  const { quads, bodies } = await parser.finish();
  const blocks = new MemoryBlockStore(systemClock);
  blocks.put(bodies);
  const triples = new TripleStore(blocks, systemClock);
  for (const _ of triples.loading(quads));
  return [...triples.now.match()];
}
