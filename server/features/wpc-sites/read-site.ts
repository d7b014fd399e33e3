import type { Tx } from '#server/contracts/transaction.ts'
import { formatTimestamp } from '#server/jobs/clock.ts'
import type { WpCloud } from '#server/providers/wpcloud/wpcloud.ts'
import type { WpcSite } from '#shared/doctypes/wpc-site.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { checkFormat } from '#shared/rules/formats.ts'
import { accountOfJob, writeWpcSite, type WpcContext, type WpcJob } from './wpc-context.ts'

/** Reads a site at WP Cloud as fields of its document. Throws AppError `conflict` if it was deleted there. */
async function readSite(
  context: WpcContext,
  cloud: WpCloud,
  id: string,
  signal: AbortSignal,
): Promise<Partial<WpcSite>> {
  const found = await cloud.find(id, signal)
  if (!found)
    throw new AppError('conflict', msg`WP Cloud no longer has this site.`, {
      nextAction: msg`If it was deleted there, delete it here, too.`,
    })
  const numberOf = async (name: Parameters<WpCloud['setting']>[1]) => {
    const value = await cloud.setting(id, name, signal)
    return value !== null && /^\d{1,15}$/.test(value) ? Number(value) : null
  }
  const defended = await cloud.defendedUntil(id, signal)
  const now = context.clock.now()
  return {
    // A vendor's answer is not believed to be what it should be.
    ...(checkFormat('domain', found.domain) === null && { domain: found.domain }),
    wordpress_version: short(found.wordpressVersion),
    php_version: short((await cloud.setting(id, 'php_version', signal)) ?? found.phpVersion),
    data_center: short(await cloud.setting(id, 'geo_affinity', signal)),
    space_quota: short(await cloud.setting(id, 'space_quota', signal)),
    space_used: await numberOf('space_used'),
    memory_mb: await numberOf('php_memory_limit'),
    workers: await numberOf('default_php_conns'),
    burst: (await cloud.setting(id, 'burst_php_conns', signal)) === '0' ? 0 : 1,
    status: (await cloud.setting(id, 'suspended', signal)) === null ? 'Live' : 'Suspended',
    usr_alias_domains: (await aliasesOf(cloud, id, signal)).join('\n') || null,
    defensive_until: defended * 1000 > now ? formatTimestamp(defended * 1000) : null,
    checked_at: formatTimestamp(now),
  }
}

const short = (text: string | null): string | null => (/^[\w.-]{1,10}$/.test(text ?? '') ? text : null)

const aliasesOf = async (cloud: WpCloud, id: string, signal: AbortSignal) =>
  (await cloud.aliases(id, signal)).filter((one) => checkFormat('domain', one) === null)

/** The last step of each job: what the document says is what WP Cloud says now. */
export const readStep = (context: WpcContext) => ({
  key: 'read',
  label: 'Read the site at WP Cloud',
  deadlineSeconds: 300,
  async run(job: WpcJob) {
    const { cloud, id } = await accountOfJob(context, job)
    const fields = await readSite(context, cloud, id, job.signal)
    await job.transaction((tx: Tx) => writeWpcSite(tx, job.referenceName, { ...fields, ...reasonless }))
  },
})

const reasonless = { failure_reason: null, failure_reason_i18n: null, failure_since: null } as const
