import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { datasetOf, MATCH_ROWS, nTriples, propertyIri, valueText } from "./dataset.js";
import { type Figures, growthMb, matchFigures, median, round, timed, timesOf } from "./figures.js";
import { openSqliteBlockStore, state, systemClock } from "./server-modules.js";

const note = { author: "bench", message: "a change" };

/** Measures Steward's store, in files, with both durability modes. */
export async function stewardRun(triples: number): Promise<Figures> {
  const dataset = datasetOf(triples);
  const dir = mkdtempSync(join(tmpdir(), "steward-bench-state-"));
  const path = join(dir, "state.db");
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  const blocks = openSqliteBlockStore(path, systemClock, "NORMAL");
  const store = new state.TripleStore(blocks, systemClock);
  const loadMs = await timed(() => {
    store.load(state.readNQuads(nTriples(dataset)));
    store.commit(note);
  });
  const growth = await growthMb(before);
  const bytes = statSync(path).size + statSync(`${path}-wal`).size;
  const figures = {
    store: "steward",
    triples: store.now.size,
    "load s": round(loadMs / 1000),
    "growth MB": growth,
    "bytes per triple": round(bytes / dataset.triples),
    ...matchFigures(500, (index) => matchOnce(store, index, dataset.values)),
    "count(?,p,?) µs": median(
      timesOf(500, (index) => store.now.count({ predicate: property(index) })),
    ),
    ...writes(store),
    "commit NORMAL ms": commitMs(store),
  };
  blocks[Symbol.dispose]();
  const durable = openSqliteBlockStore(path, systemClock, "FULL");
  const full = { "commit FULL ms": commitMs(new state.TripleStore(durable, systemClock)) };
  durable[Symbol.dispose]();
  rmSync(dir, { recursive: true });
  return { ...figures, ...full };
}

type Store = InstanceType<typeof state.TripleStore>;

function property(index: number): ReturnType<typeof state.iri> {
  return state.iri(propertyIri(index % 10));
}

function matchOnce(store: Store, index: number, values: number): void {
  const object = state.parseTerm(valueText(index % 10, (index * 31) % values), "object");
  let rows = 0;
  for (const quad of store.now.match({ predicate: property(index), object })) {
    if (quad.subject.value !== "") rows += 1;
  }
  if (rows !== MATCH_ROWS) throw new Error(`${rows} rows instead of ${MATCH_ROWS}`);
}

function writes(store: Store): Figures {
  const added = timesOf(4000, (index) =>
    store.add(
      state.quad(state.iri(`http://example.org/new/${index}`), property(index), state.text("new")),
    ),
  );
  const from = store.commit(note);
  for (let index = 0; index < 100; index++) {
    const subject = state.iri(`http://example.org/resource/1000${index}`);
    store.add(state.quad(subject, property(index), state.text("changed")));
  }
  const to = store.commit(note);
  const [old, young] = [store.at(from).roots.spog, store.at(to).roots.spog];
  const diffUs = timesOf(200, () => {
    const changes = [...state.diffTrees(store.blocks, old, young)];
    if (changes.length !== 100) throw new Error(`${changes.length} changes instead of 100`);
  });
  const mean = added.reduce((sum, time) => sum + time, 0) / added.length;
  return { "insert µs": round(mean), "diff of 100 ms": round(median(diffUs) / 1000) };
}

/** One change and its commit. */
function commitMs(store: Store): number {
  const times = timesOf(300, (index) => {
    const subject = state.iri(`http://example.org/resource/${index * 37}`);
    store.add(state.quad(subject, property(index), state.text(`commit ${performance.now()}`)));
    store.commit(note);
  });
  return round(median(times) / 1000);
}
