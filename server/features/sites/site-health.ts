import { isDeepStrictEqual } from 'node:util'
import type { Tx } from '#server/contracts/transaction.ts'
import { formatTimestamp, systemClock } from '#server/jobs/clock.ts'
import { redactMessage } from '#server/jobs/failure.ts'
import { systemSession } from '#server/jobs/session.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { serializeMessage, type LocalizedMessage } from '#shared/localized-message.ts'
import type { SitesDeps } from './deps.ts'
import { writeSite } from './job-parts.ts'
import { closeIncidents, openIncident } from './monitoring/incidents.ts'
import { healthOf, type PageCheckResult } from './page-check.ts'

const nowOf = (deps: SitesDeps) => formatTimestamp((deps.clock ?? systemClock).now())

/** Marks a live site as down, with the reason. */
export async function markDown(deps: SitesDeps, site: Pick<Site, 'name'>, reason: LocalizedMessage): Promise<void> {
  const failure = redactMessage(reason)
  await changeLive(deps, site.name, async (tx, now) => {
    const { failure_reason, failure_reason_i18n } = now
    const isReported = isDeepStrictEqual(
      { failure_reason, failure_reason_i18n },
      serializeMessage('failure_reason', failure),
    )
    const checked = { health_checked_at: nowOf(deps) }
    if (now.maintenance !== 1 && now.locked_by_job === null)
      await openIncident(tx, now, checked.health_checked_at, failure)
    if (now.health === 'Down' && isReported) await tx.updateColumns(SiteDoctype, now.name, checked)
    else await writeSite(tx, now.name, { health: 'Down', failure, ...checked })
  })
}

/** Marks a site that went to sleep. One that is down stays so: it slept with its problem. */
export async function markAsleep(deps: SitesDeps, name: string): Promise<void> {
  await changeLive(deps, name, async (tx, now) => {
    if (now.health !== 'Down') await setHealth(tx, now, 'Asleep')
  })
}

/** Marks a site that woke shortly after its last check by what that one measured. */
export async function markAwake(deps: SitesDeps, name: string): Promise<void> {
  await changeLive(deps, name, async (tx, now) => {
    if (now.health === 'Asleep') await setHealth(tx, now, now.response_ms === null ? 'Up' : healthOf(now.response_ms))
  })
}

/** Stores the result of a check. */
export async function writeHealth(deps: SitesDeps, name: string, page: PageCheckResult): Promise<void> {
  await changeLive(deps, name, async (tx, now) => {
    const at = nowOf(deps)
    const checked = { health_checked_at: at, last_answer_at: at }
    if (now.health === 'Down' || now.failure_reason !== null) {
      await writeSite(tx, name, { ...page, ...checked, failure: null })
      await closeIncidents(tx, [name], at)
      return
    }
    await tx.updateColumns(SiteDoctype, name, { response_ms: page.response_ms, ...checked })
    await setHealth(tx, now, page.health)
  })
}

/** Runs `change` on the site's row, locked, if it is live. */
async function changeLive(deps: SitesDeps, name: string, change: (tx: Tx, now: Site) => Promise<void>): Promise<void> {
  await deps.documents().transaction(systemSession('schedule'), async (tx) => {
    const now = await tx.get(SiteDoctype, name, { lock: true })
    if (now?.status === 'Live') await change(tx, now)
  })
}

/**
 * A site wakes and sleeps many times a day, so `modified` stays: to somebody with its form open it would look like an edit.
 */
async function setHealth(tx: Tx, site: Site, health: NonNullable<Site['health']>): Promise<void> {
  if (site.health === health) return
  await tx.updateColumns(SiteDoctype, site.name, { health })
  const stored = await tx.get(SiteDoctype, site.name)
  if (stored) tx.emitEvents(SiteDoctype, [stored])
}
