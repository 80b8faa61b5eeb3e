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
} from "./basic-graph-pattern.js";
export { BlockCache } from "./block-cache.js";
export { cidOf } from "./cid.js";
export { commitNamed } from "./named-commit.js";
export { type ClonedParts, ClonedRepositories } from "./cloned-repositories.js";
export { type Commit, commitId, commitOfId, readCommit, type Roots } from "./commit.js";
export { type CopiedState, copyToOrigin } from "./copy-to-origin.js";
export { type CommitProof, proveQuad, verifyQuad } from "./commit-proof.js";
export { CorruptedBlock } from "./corrupted-block.js";
export { diffTrees, type KeyChange } from "./diff.js";
export { checkStore, type Fault } from "./fsck.js";
export { collectGarbage, type Collection, GRACE_MS } from "./garbage.js";
export { GarbageSchedule } from "./garbage-schedule.js";
export { type Hash, hashOf } from "./hash.js";
export { log, type LogEntry, mergeBase, resolve } from "./history.js";
export { MemoryBlockStore } from "./memory-block-store.js";
export { type MergeOrder, type MergeOutcome, mergeIntoBranch } from "./merge-branches.js";
export { type Conflict, type MergePreview, mergeTrees, type Side, type ThreeWay } from "./merge.js";
export { jsonAtomicTerm, jsonQuad, jsonTerm } from "./json-term.js";
export { nQuad, termText } from "./n-quads.js";
export { NQuadsReader, readNQuads } from "./read-n-quads.js";
export { noRepositories } from "./no-repositories.js";
export { OwnRepositories } from "./own-repositories.js";
export {
  type BlockReader,
  type BlockStore,
  type BlockStores,
  type Clones,
  type CollectionClaim,
  type DocumentContent,
  type FetchedBlocks,
  type JournalRecord,
  type JsonAtomicTerm,
  type JsonQuad,
  type JsonTerm,
  type MoveOutcome,
  type OpenStore,
  type Origin,
  type OriginRefs,
  type QueryAnswer,
  RDF_FORMATS,
  type RdfCodec,
  type RdfDocument,
  type RdfFormat,
  type Ref,
  type RefMove,
  type Repositories,
  type SparqlEngine,
  type StateUpkeep,
  type StoredDataset,
} from "./ports.js";
export { type RevertOrder, type RevertOutcome, revertOnBranch } from "./revert-commit.js";
export { collectReachable } from "./reachable.js";
export { datasetRoots } from "./dataset-root.js";
export { collecting } from "./bulk-load.js";
export { type Proof, prove, verifyProof } from "./proof.js";
export { MIGRATIONS_BRANCH, schemaBranch } from "./service-branches.js";
export { checkQuad, ownTerm, type Position } from "./quad-key.js";
export { type Pattern, Snapshot } from "./snapshot.js";
export { type QuadTable, QuadTableBuilder } from "./quad-table.js";
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
  RDF_DIR_LANG_STRING,
  RDF_LANG_STRING,
  type Subject,
  type Term,
  type TermLike,
  text,
  type TripleTerm,
  tripleTerm,
  typed,
  XSD_STRING,
} from "./term.js";
export type {
  CommitSummary,
  ImportOrder,
  ImportOutcome,
  StateDiff,
  StateExport,
  StatePage,
} from "./state-answers.js";
export { type StateParts, StateService } from "./state-service.js";
export { parseTerm, parseTermOrVariable } from "./term-text.js";
export { copyMissing } from "./transfer.js";
export { type CommitNote, TripleStore } from "./triple-store.js";
