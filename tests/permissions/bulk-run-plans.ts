const bulkRun = <A extends { readonly organization: 'acme' | 'globex' }>(key: string, attributes: A) => ({
  doctype: 'Bulk Run',
  key,
  row: 'Job, get_job_logs',
  attributes,
  values: {
    organization: attributes.organization,
    action: 'flush_cache',
    label: `${attributes.organization}-marker bulk run`,
    status: 'Done',
  },
})

/** Bulk runs of the organization, of the member, and of another organization. */
export const bulkRunPlans = [
  bulkRun('plain', { organization: 'acme' }),
  bulkRun('own', { organization: 'acme', owner: 'member' } as const),
  bulkRun('foreign', { organization: 'globex', owner: 'stranger' } as const),
]
