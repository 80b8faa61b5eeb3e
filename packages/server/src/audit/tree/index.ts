/**
 * Merkle trees of logs (RFC 6962) in tiles (C2SP tlog-tiles), and their signed checkpoints. Nothing
 * here knows what the leaves contain.
 *
 * - entry: the bytes of one leaf
 * - tile: up to 256 hashes of one level
 * - checkpoint: the size of a tree and its root
 * - signed note: a text with signatures; a witness adds its own (a cosignature)
 */
export { HASH_BYTES, leafHash } from "./hashing.js";
export {
  entriesOf,
  entryBundle,
  TILE_WIDTH,
  tileNamed,
  tilePath,
  tileWidth,
  type TileName,
} from "./tiles.js";
export { TreeEdge, type ChangedTile } from "./tree-edge.js";
export {
  consistencyProof,
  inclusionProof,
  isConsistent,
  readTiles,
  rootOfInclusion,
  type ReadTiles,
} from "./proofs.js";
export {
  cosignedAt,
  noteText,
  parseNote,
  parseVerifierKey,
  rawKey,
  signersOf,
  verifierKey,
  verifierKeyText,
  type VerifierKey,
} from "./signed-note.js";
export {
  checkpointText,
  parseCheckpoint,
  verifiedCheckpoint,
  type Checkpoint,
} from "./checkpoint.js";
