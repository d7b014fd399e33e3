/** The method that reads an organization's members and invitations. */
export const peopleMethod = 'run_doc_method'

/** What it is asked for. */
export const askFor = (organization: string, method: 'list_members' | 'list_invitations') =>
  ({ dt: 'Organization', dn: organization, method }) as const
