/**
 * State: datasets of RDF quads, content-addressed and versioned.
 *
 * Glossary. **Term**: an IRI, a blank node, a literal or a triple term. **Triple term**: a triple
 * used as a term, so that statements can be made about it. **Key**: a quad's encoded terms, in one
 * order. **Tree**: a set of keys. **Node**: a block of a tree. **Root**: the hash of a tree's
 * topmost node, which identifies the set. **Block**: bytes, identified by their hash. **Body**: a
 * block with the text of a long literal. **Novelty**: changes that are not written into the trees
 * yet. **Journal**: the durable record of the novelty. **Snapshot**: a readable version of a
 * dataset. **Ref**: a name of a commit, such as a branch or a tag. **Repository**: an
 * organization's store, as services use it. **Origin**: the authoritative store that several nodes
 * share. **Clone**: a node's copy of an origin's blocks.
 */
export {
  type Bindings,
  type QuadPattern,
  solve,
  substitute,
  type Variable,
  variable,
} from "./datasets/basic-graph-pattern.js";
export { AnswerBytes, answerTooLong } from "./service/answer-bytes.js";
export { BlockCache, checkedBlock } from "./tree/block-cache.js";
export { cidOf } from "./blocks/cid.js";
export { commitNamed } from "./history/named-commit.js";
export { type ClonedParts, ClonedRepositories } from "./sync/cloned-repositories.js";
export { type Commit, commitId, commitOfId, readCommit, type Roots } from "./datasets/commit.js";
export { type CopiedState, copyToOrigin } from "./sync/copy-to-origin.js";
export { type CommitProof, proveQuad, verifyQuad } from "./history/commit-proof.js";
export { CorruptedBlock } from "./blocks/corrupted-block.js";
export { diffTrees } from "./tree/diff.js";
export { checkStore, type Fault } from "./upkeep/fsck.js";
export { collectGarbage, type Collection, GRACE_MS } from "./upkeep/garbage.js";
export { GarbageSchedule } from "./upkeep/garbage-schedule.js";
export { type Hash, hashOf } from "./blocks/hash.js";
export { log, mergeBase, resolve } from "./history/history.js";
export type { LogEntry } from "./datasets/commit-walk.js";
export { MemoryBlockStore } from "./blocks/memory-block-store.js";
export { type MergeOrder, type MergeOutcome, mergeIntoBranch } from "./history/merge-branches.js";
export { type Conflict, type Side } from "./history/merge.js";
export { jsonAtomicTerm, jsonQuad, jsonTerm } from "./terms/json-term.js";
export { nQuad, termText } from "./terms/n-quads.js";
export { NQuadsReader, readNQuads } from "./terms/read-n-quads.js";
export { noRepositories } from "./sync/no-repositories.js";
export { OwnRepositories } from "./sync/own-repositories.js";
export { type RevertOrder, type RevertOutcome, revertOnBranch } from "./history/revert-commit.js";
export { collectReachable } from "./upkeep/reachable.js";
export { datasetRoots } from "./datasets/dataset-root.js";
export { collecting } from "./datasets/bulk-load.js";
export { pull } from "./sync/pull.js";
export { MIGRATIONS_BRANCH, schemaBranch } from "./history/service-branches.js";
export { checkQuad, ownTerm } from "./terms/quad-key.js";
export { type Pattern, Snapshot } from "./datasets/snapshot.js";
export { QuadTableBuilder } from "./datasets/quad-table.js";
export {
  blank,
  blankLabels,
  type BlankNode,
  DEFAULT_GRAPH,
  type DefaultGraph,
  type Direction,
  type Graph,
  iri,
  Literal,
  type NamedNode,
  type ObjectTerm,
  quad,
  Quad,
  type QuadLike,
  RDF_LANG_STRING,
  type Subject,
  type Term,
  type TermLike,
  text,
  type TripleTerm,
  tripleTerm,
  typed,
  XSD_INTEGER,
  XSD_STRING,
} from "./terms/term.js";
export type {
  CommitSummary,
  ImportOrder,
  ImportOutcome,
  StateDiff,
  StateExport,
  StatePage,
} from "./service/state-answers.js";
export { type StateParts, StateService } from "./service/state-service.js";
export { parseTerm, parseTermOrVariable } from "./datasets/term-text.js";
export { type CommitNote, TripleStore } from "./datasets/triple-store.js";
