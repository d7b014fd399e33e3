/** The calls that read an organization's members and invitations. */
export function peopleReads(organization: string) {
  const ask = (method: string) => ({ dt: 'Organization', dn: organization, method })
  return { method: 'run_doc_method', members: ask('list_members'), invitations: ask('list_invitations') } as const
}
