import { call } from './api.ts'

/** Makes an organization the current one. The caller reloads: sockets and lists belong to the organization. */
export async function switchOrganization(slug: string): Promise<void> {
  await call('easydash.easydash.doctype.user_meta.user_meta.switch_organization', { organization: slug })
}
