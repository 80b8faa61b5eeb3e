/** What has to be known of a step's output beside its JSON: `OutputMetadata` as JSON, where there is any. */
export const createOutputMetadata: string = `
ALTER TABLE plan_steps ADD COLUMN output_metadata TEXT;
`;
