import { iri, quad, type Quad, text } from "@steward/state";

/** One of some thousand quads, occasionally with a long text. */
export function anyQuad(random: () => number): Quad {
  const pick = (count: number): number => Math.floor(random() * count);
  const object = pick(20) === 0 ? text("long ".repeat(60 + pick(20))) : text(String(pick(50)));
  return quad(iri(`http://e/s${pick(400)}`), iri(`http://e/p${pick(5)}`), object);
}
