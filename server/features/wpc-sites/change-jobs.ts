import type { JobDefinition, JobStepDefinition, StepWait } from '#server/contracts/job.ts'
import { authorizeReference } from '#server/jobs/authorize.ts'
import type { WpCloud, WpCloudSetting } from '#server/providers/wpcloud/wpcloud.ts'
import type { ActionName } from '#shared/doctype.ts'
import { WpcSiteDoctype } from '#shared/doctypes/wpc-site.ts'
import { AppError } from '#shared/errors.ts'
import { msg, untranslated, type LocalizedMessage } from '#shared/localized-message.ts'
import { readStep } from './read-site.ts'
import {
  accountOfJob,
  failureFields,
  untilDone,
  writeWpcSite,
  type WpcContext,
  type WpcJob,
  type WpcJobArgs,
} from './wpc-context.ts'

/** An action that changes a site: one call of WP Cloud, or several. Returns the job of WP Cloud that it started, if any. */
interface Change {
  readonly label: (title: string) => string
  readonly step: string
  readonly detail?: (value: string) => LocalizedMessage
  readonly run: (at: { cloud: WpCloud; id: string }, value: string, job: WpcJob) => Promise<string | void>
}

const to = (value: string) => msg`to ${value}`

/** A setting that WP Cloud keeps as meta data. It is read again: what it did not take is an error. */
const setting = (name: WpCloudSetting, label: Change['label'], detail: Change['detail'] = to): Change => ({
  label,
  step: 'Change it at WP Cloud',
  detail,
  async run({ cloud, id }, value, { signal }) {
    await cloud.set(id, name, value, signal)
    const now = await cloud.setting(id, name, signal)
    if (now === value) return
    throw new AppError('unavailable', msg`WP Cloud took the change, but says ${now ?? '–'} instead of ${value}.`, {
      nextAction: msg`Use Resync in a few minutes to see what holds.`,
    })
  },
})

/** WP Cloud's own choice for sites that their owner suspended: their files stay reachable. */
const suspendedStatus = '480'

const changes = {
  resync: { label: (title) => `Resync ${title}`, step: '', run: async () => undefined },
  purge_cache: {
    label: (title) => `Purge the cache of ${title}`,
    step: 'Purge the cache',
    run: ({ cloud, id }, _value, { signal }) => cloud.purgeCache(id, signal),
  },
  set_php_version: setting('php_version', (title) => `Change PHP of ${title}`),
  set_memory: setting(
    'php_memory_limit',
    (title) => `Change the PHP memory of ${title}`,
    (value) => msg`to ${value} MB`,
  ),
  set_workers: setting('default_php_conns', (title) => `Change the PHP workers of ${title}`),
  set_burst: setting(
    'burst_php_conns',
    (title) => `Change the burst of ${title}`,
    (value) => (value === '1' ? msg`to on` : msg`to off`),
  ),
  set_space: setting('space_quota', (title) => `Change the storage of ${title}`),
  set_domain: {
    label: (title) => `Change the domain of ${title}`,
    step: 'Change the domain at WP Cloud',
    detail: to,
    async run({ cloud, id }, domain, { signal }) {
      return (await cloud.find(id, signal))?.domain === domain ? undefined : cloud.changeDomain(id, domain, signal)
    },
  },
  set_aliases: {
    label: (title) => `Change the aliases of ${title}`,
    step: 'Change the aliases at WP Cloud',
    detail: (value) => untranslated(value === '' ? '–' : value.split('\n').join(', ')),
    async run({ cloud, id }, value, { signal }) {
      const wanted = value === '' ? [] : value.split('\n')
      const now = await cloud.aliases(id, signal)
      for (const domain of wanted) if (!now.includes(domain)) await cloud.addAlias(id, domain, signal)
      for (const domain of now) if (!wanted.includes(domain)) await cloud.removeAlias(id, domain, signal)
    },
  },
  set_defensive_mode: {
    label: (title) => `Change defensive mode of ${title}`,
    step: 'Change it at WP Cloud',
    // Seconds since the epoch.
    detail: (until) => (until === '0' ? msg`to off` : msg`to on`),
    run: ({ cloud, id }, until, { signal }) => cloud.defendUntil(id, Number(until), signal),
  },
  suspend: {
    label: (title) => `Suspend ${title}`,
    step: 'Suspend it at WP Cloud',
    run: ({ cloud, id }, _value, { signal }) => cloud.set(id, 'suspended', suspendedStatus, signal),
  },
  resume: {
    label: (title) => `Resume ${title}`,
    step: 'Resume it at WP Cloud',
    run: ({ cloud, id }, _value, { signal }) => cloud.unset(id, 'suspended', signal),
  },
} satisfies Partial<Record<ActionName<typeof WpcSiteDoctype>, Change>>

/** An action with a job that changes a site. */
export type WpcChange = keyof typeof changes

/** `wpc_site.ACTION` for each of them. */
export const wpcChangeJobs = (context: WpcContext): JobDefinition<WpcJobArgs>[] =>
  Object.entries(changes).map(([action, change]) => changeJob(context, action, change))

function changeJob(
  context: WpcContext,
  action: string,
  { label, step, detail, run }: Change,
): JobDefinition<WpcJobArgs> {
  const change: JobStepDefinition = {
    key: 'change',
    label: step,
    deadlineSeconds: 300,
    async run(job) {
      const vendorJob = await run(await accountOfJob(context, job), String(job.args['value'] ?? ''), job)
      if (typeof vendorJob === 'string') job.keep({ vendor_job: vendorJob })
    },
  }
  const wait: JobStepDefinition = {
    key: 'wait',
    label: 'Wait for WP Cloud',
    deadlineSeconds: 2700,
    isNeedless: ({ kept }) => typeof kept['vendor_job'] !== 'string',
    async run(job): Promise<StepWait | undefined> {
      const { cloud } = await accountOfJob(context, job)
      return untilDone(cloud, String(job.kept['vendor_job']), job.signal)
    },
  }
  return {
    type: `wpc_site.${action}`,
    label: ({ referenceTitle }) => label(referenceTitle),
    ...(detail && { detail: ({ value = '' }) => detail(value) }),
    deadlineSeconds: 3600,
    cancel: { possible: false, reason: 'A change at WP Cloud is not stopped half way.' },
    authorize: authorizeReference(WpcSiteDoctype, { action }),
    steps: async () => [
      ...(action === 'resync' ? [] : [change]),
      ...(action === 'set_domain' ? [wait] : []),
      readStep(context),
    ],
    // What holds is what was read last. A site that was added was never read.
    failed: (job, { message, nextAction }) =>
      job.transaction(async (tx) => {
        const site = await tx.get(WpcSiteDoctype, job.referenceName, { lock: true })
        if (site?.status !== 'Setting Up') return
        const reason = failureFields(context, msg`${message} ${nextAction}`)
        await writeWpcSite(tx, site.name, { status: 'Failed', ...reason })
      }),
  }
}
