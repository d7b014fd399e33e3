import { isDeepStrictEqual } from 'node:util'
import type { Tx } from '#server/contracts/transaction.ts'
import type { Engine } from '#server/engines/engine.ts'
import type { EngineHost } from '#server/engines/hosts.ts'
import { systemSession } from '#server/jobs/session.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { SiteQuotaDoctype } from '#shared/doctypes/site-quota.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { effectiveQuota, type QuotaOverrides, type SiteStorage } from '#shared/rules/site-quotas.ts'
import { defaultSiteQuotas } from '#shared/rules/default-site-quotas.ts'
import { msg } from '#shared/localized-message.ts'
import type { SitesDeps } from './deps.ts'
import { siteRef } from './engine-of.ts'
import { writeSite } from './job-parts.ts'
import { storageFields } from './storage-fields.ts'

/** Updates the disk usage of a machine's sites in their documents. */
export function watchStorage(deps: SitesDeps, engine: Engine): void {
  /** Latest reported usage of sites with a write in progress; null once that value is being written. */
  const pending = new Map<string, SiteStorage | null>()
  /** Writes of a site are serialized: a late older one would overwrite newer data, e.g. leave the site suspended. */
  const write = async (id: string): Promise<void> => {
    for (let storage = pending.get(id) ?? null; storage !== null; storage = pending.get(id) ?? null) {
      pending.set(id, null)
      try {
        await writeStorage(deps, id, storage)
      } catch (error) {
        deps.log.warn('The disk space of a site could not be written', { site: id, error })
      }
    }
    pending.delete(id)
  }
  engine.quotas?.onStorage((id, storage) => {
    const isWriting = pending.has(id)
    pending.set(id, storage)
    if (!isWriting) void write(id)
  })
}

/** What applying quotas needs to know of a site. */
const limitedFields = ['name', 'organization', 'domain', 'site_type', 'php_version', 'status', 'storage'] as const

type LimitedSite = Pick<Site, (typeof limitedFields)[number]>

/**
 * Sends the quotas of its sites to an engine: those of their kind, or the organization's overrides, and which sites belong
 * together. Does not measure. A failure for one site does not affect the others.
 * @returns the sites
 */
export async function pushQuotas(deps: SitesDeps, { engine, name }: EngineHost): Promise<readonly LimitedSite[]> {
  const { quotas } = engine
  if (quotas === undefined) return []
  const { rows, ofKinds, overrides } = await deps.documents().transaction(systemSession('schedule'), async (tx) => {
    const stored = await tx.list(SiteQuotaDoctype, [])
    const sites = await tx.listFields(SiteDoctype, limitedFields, [['engine_host', '=', name]])
    return {
      rows: sites,
      ofKinds: new Map(stored.map((row) => [row.site_type, row])),
      overrides: await overridesOf(tx, sites),
    }
  })
  quotas.setTenants(new Map(rows.map((site) => [site.name, site.organization])))
  for (const site of rows) {
    const ofKind = ofKinds.get(site.site_type) ?? defaultSiteQuotas[site.site_type]
    const ofOrganization = overrides.get(site.organization) ?? null
    await logFailure(deps, site, () => quotas.set(site.name, effectiveQuota(ofKind, ofOrganization)))
  }
  return rows
}

/** Names in a filter, so that a host with sites of many organizations doesn't make one huge query. */
const namesPerQuery = 500

/** What the organizations of the sites were granted instead of the quotas of a kind of site, by their names. */
async function overridesOf(tx: Tx, sites: readonly LimitedSite[]): Promise<Map<string, QuotaOverrides | null>> {
  const names = [...new Set(sites.map(({ organization }) => organization))]
  const found = new Map<string, QuotaOverrides | null>()
  for (let at = 0; at < names.length; at += namesPerQuery) {
    const batch = names.slice(at, at + namesPerQuery)
    const rows = await tx.listFields(OrganizationDoctype, ['name', 'site_quota_overrides'], [['name', 'in', batch]])
    for (const row of rows) found.set(row.name, row.site_quota_overrides)
  }
  return found
}

/** Like `pushQuotas`; also reactivates sites whose suspension ended unnoticed, which may measure them. */
export async function applyQuotas(deps: SitesDeps, host: EngineHost): Promise<void> {
  for (const site of await pushQuotas(deps, host)) {
    if (site.status !== 'Suspended' || site.storage?.state !== 'suspended') continue
    await logFailure(deps, site, async () => {
      const { storage } = await host.engine.observe(siteRef(site, host.server))
      if (storage !== null) await writeStorage(deps, site.name, storage)
    })
  }
}

async function logFailure(deps: SitesDeps, site: Pick<Site, 'name'>, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    deps.log.warn('The quotas of a site could not be applied', { site: site.name, error })
  }
}

/** Smaller changes are not written. */
const minChange = { bytes: 1_048_576, files: 100 }

/**
 * A changed state is a normal update. If only the size changed, `modified` stays, so that it does not look like an edit to
 * somebody with the form open.
 */
async function writeStorage(deps: SitesDeps, id: string, storage: SiteStorage): Promise<void> {
  await deps.documents().transaction(systemSession('schedule'), async (tx) => {
    const site = await tx.get(SiteDoctype, id, { lock: true })
    if (site === null || !['Live', 'Suspended'].includes(site.status ?? '')) return
    const before = site.storage
    const isSuspended = storage.state === 'suspended'
    const wasSuspended = site.status === 'Suspended' && before?.state === 'suspended'
    const diskUsed = storage.bytes + storage.log_bytes + storage.outbox_bytes
    if (before?.state !== storage.state || isSuspended !== wasSuspended) {
      await writeSite(tx, id, {
        ...storageFields({ diskUsed, storage }),
        ...(isSuspended ? { status: 'Suspended' as const, failure: suspension } : {}),
        ...(!isSuspended && wasSuspended && site.suspended_at === null
          ? { status: 'Live' as const, failure: null }
          : {}),
      })
    } else if (hasChangedEnough(before, storage)) {
      await tx.updateColumns(SiteDoctype, id, storageFields({ diskUsed, storage }))
    }
  })
}

const suspension = msg`The site uses more disk space than its quota allows, or has folders that cannot be measured, so it was stopped. Ask the platform admin for a larger quota or to look at its folders, or delete the site.`

function hasChangedEnough(before: SiteStorage | null, now: SiteStorage): boolean {
  if (before === null || !isDeepStrictEqual(before.quota, now.quota) || before.at_least !== now.at_least) return true
  return (
    Math.abs(before.bytes - now.bytes) >= minChange.bytes ||
    Math.abs(before.files - now.files) >= minChange.files ||
    Math.abs(before.log_bytes - now.log_bytes) >= minChange.bytes ||
    Math.abs(before.outbox_bytes - now.outbox_bytes) >= minChange.bytes
  )
}
