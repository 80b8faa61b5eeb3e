/** The memory operations of a scenario over any protocol; answers have REST's member names. */
export interface Memory {
  search(request: SearchInput): Promise<readonly SearchResult[]>;
  add(entry: NewEntry): Promise<Entry>;
  get(entryId: string): Promise<Entry>;
  list(query?: EntryQuery): Promise<EntryPage>;
  /** @returns the number of deleted entries. */
  remove(entryId: string): Promise<number>;
  removeSession(sessionId: string): Promise<number>;
  stats(): Promise<MemoryStats>;
  /** In days; null: without limit. */
  retention(): Promise<number | null>;
  setRetention(days: number | null): Promise<number | null>;
}

export interface SearchInput {
  readonly query?: string;
  readonly top_k?: number;
  readonly org_id?: string | null;
  readonly mode?: string;
  readonly filter?: EntryFilter & {
    readonly content?: {
      readonly path: string;
      readonly equals: string | number | boolean | null;
    };
  };
  readonly min_score?: number;
  readonly explain?: boolean;
}

export interface EntryFilter {
  readonly session_id?: string;
  readonly created_from?: string;
  readonly created_before?: string;
  readonly tool_name?: string;
  readonly intent?: string;
}

export interface EntryQuery extends EntryFilter {
  readonly limit?: number;
  readonly cursor?: string;
}

export interface SearchResult {
  readonly entry_id: string;
  readonly score: number;
  readonly content: string;
  readonly created_at: string;
  readonly related_cascade_targets: readonly string[];
  readonly explain?: {
    readonly rank: number;
    readonly vector_rank?: number;
    readonly text_rank?: number;
    readonly fused_score?: number;
  };
}

export interface NewEntry {
  readonly session_id?: string;
  readonly content: string;
}

export interface Entry {
  readonly entry_id: string;
  readonly session_id: string;
  readonly content: string;
  readonly created_at: string;
  readonly tool_name?: string;
  readonly intent?: string;
}

export interface EntryPage {
  readonly entries: readonly Entry[];
  readonly next_cursor?: string;
}

export interface MemoryStats {
  readonly entries: number;
  readonly waiting_calls: number;
  readonly quarantined_vectors: number;
  readonly model: string;
  readonly dimension: number;
}
