import { Client, credentials } from "@grpc/grpc-js";
import fc from "fast-check";
import { expect } from "vitest";
import { type KnownValues, meaningOf, namesIn, unknownTwin } from "./known-values.js";
import { type Life, live, sees } from "./lives.js";
import {
  type Answer,
  grpcOperations,
  type Operation,
  type Request,
  restOperations,
} from "./operations.js";
import { type Mode, MODES, type StoreEngine, World } from "./world.js";

/**
 * The source of a request's texts: A's own, ids that the service gave B, or also texts that B has
 * written.
 */
type Source = "own" | "foreign id" | "foreign text" | "example";

/** One request of A: the operation, the mode, and the source of the text in each field. */
interface Draw {
  readonly operation: number;
  readonly mode: Mode;
  readonly fields: readonly { readonly from: Source; readonly which: number }[];
}

/** Knowledge of A in each phase: once A itself writes B's texts, it may read them too. */
const PHASES: readonly (readonly Source[])[] = [
  ["own", "example"],
  ["foreign id", "own", "example"],
  ["foreign text", "foreign id", "own", "example"],
];

/**
 * Two organizations use the service. Then A sends requests with its own texts and B's, in phases
 * with increasing knowledge of B: every operation of both protocols in each mode, and a number of
 * random requests. No answer may contain a name of B that A has not sent before, and the answer to
 * a name of B must mean the same as the answer to an unknown name. At the end B must see the same
 * data as before.
 */
export async function keepsApart(
  engine: StoreEngine,
  { requests, everyMode }: { readonly requests: number; readonly everyMode: boolean },
): Promise<void> {
  await using world = await World.open(engine);
  const own = await live(world, world.a);
  const foreign = await live(world, world.b);
  const before = await sees(world, world.b);
  const secrets = secretsOf(foreign, namesIn(own.answers));
  expect(secrets.length).toBeGreaterThan(15);
  const client = new Client(world.address, credentials.createInsecure());
  const operations = [...(await restOperations(world.url)), ...grpcOperations(client)];
  const trial = new Trial(world, { operations, own: own.known, foreign: foreign.known, secrets });
  try {
    for (const [phase, sources] of PHASES.entries()) {
      const fields = sources.slice(0, 1).map((from) => ({ from, which: 0 }));
      for (const operation of operations.keys()) {
        const modes = everyMode ? MODES : [MODES[(operation + phase) % MODES.length] ?? "proxy"];
        for (const mode of modes) await trial.run({ operation, mode, fields });
      }
      const draws = fc.asyncProperty(drawOf(operations.length, sources), (draw) => trial.run(draw));
      await fc.assert(draws, { numRuns: requests, endOnFailure: true });
    }
    expect(await sees(world, world.b)).toEqual(before);
  } finally {
    client.close();
  }
}

/**
 * Names that B has and A does not; roots of schemas are not names, because equal schemas have equal
 * roots.
 */
function secretsOf({ known, answers }: Life, shared: ReadonlySet<string>): readonly string[] {
  const roots = ["base_root", "target_root"].flatMap((name) => known.of(name));
  return [...namesIn(answers)].filter((name) => !shared.has(name) && !roots.includes(name));
}

function drawOf(operations: number, sources: readonly Source[]): fc.Arbitrary<Draw> {
  return fc.record({
    operation: fc.nat(operations - 1),
    mode: fc.constantFrom(...MODES),
    fields: fc.array(fc.record({ from: fc.constantFrom(...sources), which: fc.nat(50) }), {
      minLength: 1,
      maxLength: 8,
    }),
  });
}

interface TrialParts {
  readonly operations: readonly Operation[];
  readonly own: KnownValues;
  readonly foreign: KnownValues;
  /** Names of B. */
  readonly secrets: readonly string[];
}

/** Sends requests of A and checks the answers. */
class Trial {
  readonly #world: World;
  readonly #parts: TrialParts;
  /** Names of B that A has sent: A may read what it wrote. */
  readonly #said = new Set<string>();
  /** Names of B, and unknown names in their place. */
  readonly #foreignNames: ReadonlySet<string>;

  constructor(world: World, parts: TrialParts) {
    this.#world = world;
    this.#parts = parts;
    this.#foreignNames = new Set(parts.secrets.flatMap((name) => [name, unknownTwin(name)]));
  }

  async run({ operation, mode, fields }: Draw): Promise<void> {
    const { operations, secrets } = this.#parts;
    const asked = operations[operation];
    if (asked === undefined) throw new Error("an operation that there is not");
    const chosen: (string | undefined)[] = [];
    const request = asked.request((name) => {
      const field = fields[chosen.length % fields.length];
      const values = this.#valuesOf(name, field?.from ?? "example");
      const value = values[(field?.which ?? 0) % Math.max(values.length, 1)];
      chosen.push(value);
      return value;
    });
    let place = 0;
    const twin = asked.request(() => {
      const value = chosen[place++];
      return value !== undefined && this.#isForeign(value) ? unknownTwin(value) : value;
    });
    const who = this.#world.a.identity[mode];
    const about = `${asked.name} (${mode}) of ${request.text}`;
    for (const name of namesIn(request.text)) this.#said.add(name);
    const answer = await request.send(who);
    const answered = answer.text.toLowerCase();
    const told = secrets.filter((name) => answered.includes(name) && !this.#said.has(name));
    expect({ about, told }).toEqual({ about, told: [] });
    if (twin.text === request.text) return;
    const unknown = await twin.send(who);
    if (this.#showsOwnText(answer) || this.#showsOwnText(unknown)) return;
    const meaning = ({ status, text }: Answer): object =>
      isComputed(asked, request) ? { status } : { status, text: meaningOf(text) };
    expect({ about, ...meaning(answer) }).toEqual({ about, ...meaning(unknown) });
  }

  #valuesOf(name: string, from: Source): readonly string[] {
    const { own, foreign } = this.#parts;
    switch (from) {
      case "own":
        // After revoking or rotating its own key, A would have no identity for the rest of the
        // test.
        return own.of(name).filter((value) => value !== this.#world.a.keyId);
      case "foreign id":
        return foreign.idsOf(name);
      case "foreign text":
        return foreign.of(name);
      case "example":
        return [];
    }
  }

  /**
   * Whether an answer contains A's own text, including names of B that A has sent: at most as often
   * as A has written them.
   */
  #showsOwnText({ status, text }: Answer): boolean {
    const isDone = status === "OK" || status.startsWith("2");
    return isDone && [...namesIn(text)].some((name) => this.#foreignNames.has(name));
  }

  #isForeign(value: string): boolean {
    return [...namesIn(value)].some((name) => this.#parts.secrets.includes(name));
  }
}

/**
 * Whether an answer is computed from the sent text, such as scores, proofs and measurements, or
 * from earlier requests: the event of a tool call that is not B's, a second import, merge or revert
 * on a branch.
 */
function isComputed({ name }: Operation, { text }: Request): boolean {
  if (/search|prove|metrics|importState|revertState|mergeState/i.test(name)) return true;
  return /reportUsage/i.test(name) && !/"(id|eventId)":"[^"]*zq/.test(text);
}
