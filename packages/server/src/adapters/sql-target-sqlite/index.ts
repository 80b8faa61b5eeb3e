/**
 * SQLite databases that agents work on.
 *
 * Glossary. **Child**: a process that runs statements, a **reader** or the **writer**. **Job**: a
 * statement with its pending result. **Marker**: the row that a write leaves beside its changes.
 * **Guard**: makes the engine refuse operations that an intent does not cover.
 */
export { SqliteTarget } from "./sqlite-target.js";
