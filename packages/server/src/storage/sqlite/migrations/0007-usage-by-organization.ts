/** The daily totals of whole organizations beside each other, for the operator's report over all of them. */
export const indexUsageByOrganization: string = `
CREATE INDEX usage_totals_by_organization ON usage_totals (org_id, bucket_ms)
  WHERE dimension = 'total' AND grain = 'day';
`;
