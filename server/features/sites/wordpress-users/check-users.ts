import type { Tx } from '#server/contracts/transaction.ts'
import { typesByName } from '#server/contracts/type-by-name.ts'
import { loadFor } from '#server/documents/documents.ts'
import { formatTimestamp, systemClock } from '#server/jobs/clock.ts'
import { initiatorSessionIn, systemSession } from '#server/jobs/session.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'
import { AppError } from '#shared/errors.ts'
import type { SitesDeps } from '../deps.ts'
import { enqueueFor } from '../enqueue-site.ts'
import { scheduleUserChecks, sitesToCheck, wordpressUsersOf, type StoredUserRow } from './user-table.ts'

/** Time until a change that a job did not finish is tried again, in seconds. */
const retrySeconds = 6 * 3600

/** The users of a site by what is to be done with them. */
interface CheckedUsers {
  readonly keep: readonly StoredUserRow[]
  /** While their organization or their account is disabled people have no rights, but what they wrote keeps its authors. */
  readonly pause: readonly StoredUserRow[]
  readonly remove: readonly StoredUserRow[]
}

/**
 * Starts a job for each site that has users of people who lost their rights, or have them again. A site that is archived, suspended
 * or in use by another job is checked when its WordPress answers again. With `only`, checks no other site.
 */
export async function checkWordPressUsers(deps: SitesDeps, only: string | null = null): Promise<void> {
  const now = formatTimestamp((deps.clock ?? systemClock).now())
  const system = systemSession('schedule')
  for (const name of await deps.documents().transaction(system, (tx) => sitesToCheck(tx, now, only))) {
    try {
      await deps.documents().transaction(system, (tx) => checkSite(deps, tx, name))
    } catch (error) {
      deps.log.warn('The WordPress users of a site could not be checked', { site: name, error })
    }
  }
}

async function checkSite(deps: SitesDeps, tx: Tx, name: string): Promise<void> {
  const site = await tx.get(SiteDoctype, name, { lock: true })
  if (!site || (site.status !== 'Live' && site.status !== 'Failed') || site.locked_by_job !== null) return
  if (isChange(await checkUsersOf(deps, tx, site))) await enqueueFor(deps, tx, site, 'site.sync_users')
}

/** Whether the site does not have its users like that yet. */
const isChange = ({ keep, pause, remove }: CheckedUsers): boolean =>
  remove.length > 0 || pause.some(({ paused }) => !paused) || keep.some(({ paused }) => paused)

/**
 * What each user of a site may do now, by the rights of their person. If that changes something, they are checked again later
 * unless it was done by then; otherwise not until rights change.
 */
export async function checkUsersOf(deps: SitesDeps, tx: Tx, site: Site): Promise<CheckedUsers> {
  const rows = await wordpressUsersOf(tx, site.name)
  const organization = await tx.get(OrganizationDoctype, site.organization)
  const checked = organization?.enabled === 1 ? await byRights(tx, site, rows) : { keep: [], pause: rows, remove: [] }
  const retryAt = formatTimestamp((deps.clock ?? systemClock).now() + retrySeconds * 1000)
  // The rows are locked: rights that are lost after they were read here set a new time after this one.
  await scheduleUserChecks(tx, site.name, isChange(checked) ? retryAt : null)
  return checked
}

async function byRights(tx: Tx, site: Site, rows: readonly StoredUserRow[]): Promise<CheckedUsers> {
  const checked = { keep: [] as StoredUserRow[], pause: [] as StoredUserRow[], remove: [] as StoredUserRow[] }
  for (const row of rows) {
    const { person } = row
    if (person !== null && (await mayOpenAdmin(tx, site, person))) checked.keep.push(row)
    else if (person !== null && (await isDisabledMember(tx, site, person))) checked.pause.push(row)
    else checked.remove.push(row)
  }
  return checked
}

async function isDisabledMember(tx: Tx, { organization }: Site, person: string): Promise<boolean> {
  const account = await tx.get(UserDoctype, person)
  if (account?.enabled !== 0) return false
  const member = await tx.find(OrganizationMemberDoctype, [
    ['parent', '=', organization],
    ['user', '=', person],
  ])
  return member !== null
}

const typeByName = typesByName(doctypes)

/** Whether a person has the right that "Open admin" requires, as the gate decides it for them at this moment. */
async function mayOpenAdmin(tx: Tx, site: Site, person: string): Promise<boolean> {
  try {
    const session = await initiatorSessionIn(tx, person, site.organization)
    await loadFor({ db: tx.trx, session, typeByName }, SiteDoctype, site.name, 'write')
    return true
  } catch (error) {
    if (error instanceof AppError && (error.code === 'forbidden' || error.code === 'not_found')) return false
    throw error
  }
}
