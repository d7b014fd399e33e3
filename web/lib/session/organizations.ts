import { call } from '../api/api.ts'

let switching = false

/** Whether this tab is switching organizations, which reloads it anyway. */
export function isSwitching(): boolean {
  return switching
}

/** Switches the current organization. The caller reloads, because sockets and lists belong to the organization. */
export async function switchOrganization(slug: string): Promise<void> {
  switching = true
  try {
    await chooseOrganization(slug)
  } catch (error) {
    switching = false
    throw error
  }
}

/** Makes an organization the current one again, for a page that never left it. */
export async function chooseOrganization(slug: string): Promise<void> {
  await call('easydash.easydash.doctype.user_meta.user_meta.switch_organization', { organization: slug })
}
