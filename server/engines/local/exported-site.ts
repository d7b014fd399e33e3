import { assertSiteRef, type SiteRecord } from './site-store.ts'

const siteTypes: readonly string[] = ['wp', 'php', 'html'] satisfies SiteRecord['siteType'][]
const states: readonly string[] = [
  'creating',
  'ready',
  'archiving',
  'archived',
  'restoring',
] satisfies SiteRecord['state'][]

/**
 * Reads a site's record that comes from another installation: only what a record has, in the form it has there. Throws
 * when it is none of site `id`.
 */
export function readExportedRecord(text: string, id: string): SiteRecord {
  const given = JSON.parse(text) as Record<string, unknown>
  const textOr = (name: string, fallback: string | null) => {
    const value = given[name]
    return typeof value === 'string' && value.length <= 300 ? value : fallback
  }
  const numberOr = (name: string) => (typeof given[name] === 'number' ? (given[name] as number) : null)
  const record: SiteRecord = {
    id: textOr('id', '') as string,
    domain: textOr('domain', '') as string,
    siteType: textOr('siteType', '') as SiteRecord['siteType'],
    phpVersion: textOr('phpVersion', '') as string,
    state: textOr('state', '') as SiteRecord['state'],
    copied: given['copied'] === true,
    installed: given['installed'] === true,
    uid: numberOr('uid'),
    wordpressVersion: textOr('wordpressVersion', null),
    nextCronAt: numberOr('nextCronAt'),
    createdAt: numberOr('createdAt') ?? 0,
  }
  assertSiteRef(record)
  const fits =
    record.id === id &&
    siteTypes.includes(record.siteType) &&
    states.includes(record.state) &&
    /^\d\.\d{1,2}$/.test(record.phpVersion)
  if (!fits) throw new Error(`The record of the site ${id} is not one.`)
  return record
}
