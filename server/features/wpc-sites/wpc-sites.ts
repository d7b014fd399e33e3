import { controller, type Behavior, type Controller, type HookContext } from '#server/contracts/controller.ts'
import type { Feature } from '#server/contracts/feature.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { assertNotLocked } from '#server/jobs/enqueue.ts'
import { generatePassword } from '#server/platform/secrets/generate-password.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { WpcSiteDoctype, type WpcSite } from '#shared/doctypes/wpc-site.ts'
import { AppError } from '#shared/errors.ts'
import { labelMessage, msg } from '#shared/localized-message.ts'
import { checkFormat } from '#shared/rules/formats.ts'
import { spaceGbOf, wpcDefenseMinutes, wpcMemoryMb, wpcSpaceGb } from '#shared/rules/wp-cloud.ts'
import { backupJob, deleteBackupJob, restoreJob } from './backup-jobs.ts'
import { wpcChangeJobs, type WpcChange } from './change-jobs.ts'
import { createWpcSiteJob } from './create-job.ts'
import { deleteWpcSiteJob } from './delete-job.ts'
import { directActions } from './direct-actions.ts'
import { wpcMethods } from './methods.ts'
import { enqueueFor, openContext, type WpcContext, type WpcDeps } from './wpc-context.ts'

/** Sites at WP Cloud, where Automattic runs them: documents, their jobs, and what new ones can be given. */
export function createWpcSites(deps: WpcDeps): Feature {
  const context = openContext(deps)
  return {
    controllers: [wpcSiteController(context)],
    methods: wpcMethods(context),
    jobs: [
      createWpcSiteJob(context),
      deleteWpcSiteJob(context),
      backupJob(context),
      deleteBackupJob(context),
      restoreJob(context),
      ...wpcChangeJobs(context),
    ],
  }
}

const invalid = (field: string, message: ReturnType<typeof msg>) => new AppError('invalid', message, { field })

function wpcSiteController(context: WpcContext): Controller {
  return controller(WpcSiteDoctype, {
    before_insert: (site, hook) => prepareNew(context, site, hook),
    async after_insert(site, { tx }) {
      // One that is there already is read.
      const type = site.atomic_site_id === null ? 'wpc_site.create' : 'wpc_site.resync'
      site.job = await enqueueFor(context, tx, site, type)
    },
    // Only for client requests: nobody deletes a site at WP Cloud without saying so.
    async delete_request(site, { tx }) {
      if (site.is_ordered === 1)
        throw new AppError('invalid', msg`The site would go on at WP Cloud, and be billed there.`, {
          nextAction: msg`Use Delete permanently: that deletes it there, too.`,
        })
      await assertNotLocked(tx, site)
      await tx.delete(WpcSiteDoctype, site.name)
      return {}
    },
    actions: {
      ...changeActions(context),
      ...directActions(context),
      backup: async (site, { kind }, { tx }) => start(context, tx, site, 'backup', kind),
      delete_backup: async (site, { backup }, { tx }) => start(context, tx, site, 'delete_backup', idArgument(backup)),
      restore: async (site, { backup }, { tx }) => start(context, tx, site, 'restore', idArgument(backup)),
      delete_permanently: async (site, _args, { tx }) => start(context, tx, site, 'delete_permanently'),
    },
  })
}

/** The module is on, the account exists, and what is ordered is something that WP Cloud has. */
async function prepareNew({ deps }: WpcContext, site: WpcSite, { session, tx }: HookContext): Promise<void> {
  const organization = await tx.get(OrganizationDoctype, site.organization)
  if (organization?.module_wpc !== 1)
    throw new AppError('invalid', msg`WP Cloud is off in this organization.`, {
      nextAction: msg`Owners turn it on in the organization’s settings.`,
    })
  site.createdby_email = session.user
  if (site.atomic_site_id !== null) {
    site.status = 'Setting Up'
    return
  }
  for (const field of ['admin_user', 'admin_email'] as const)
    if (!site[field])
      throw new AppError(
        'invalid',
        msg`Error: Value missing for ${labelMessage('WPC Site')}: ${labelMessage(field === 'admin_user' ? 'Admin user' : 'Admin email')}`,
        {
          field,
          excType: 'MandatoryError',
        },
      )
  await deps.wpCloudOf(tx, site)
  for (const field of ['php_version', 'data_center', 'geo_affinity'] as const)
    if (site[field] !== null && !/^[a-z0-9][a-z0-9.-]{0,9}$/.test(site[field]))
      throw invalid(field, msg`This is not a valid value.`)
  site.space_quota = spaceArgument(site.space_quota ?? `${wpcSpaceGb.billed}G`, 'space_quota')
  Object.assign(site, {
    status: 'Setting Up',
    admin_password: generatePassword(),
  } satisfies Partial<WpcSite>)
}

async function start(context: WpcContext, tx: Tx, site: WpcSite, action: string, value?: string) {
  return { job: await enqueueFor(context, tx, site, `wpc_site.${action}`, value === undefined ? {} : { value }) }
}

function idArgument(backup: string): string {
  if (/^\d{1,16}$/.test(backup)) return backup
  throw invalid('backup', msg`Backups of WP Cloud have numbers.`)
}

function spaceArgument(value: string, field: string): string {
  const gb = spaceGbOf(value)
  if (gb !== null) return `${gb}G`
  throw invalid(field, msg`The storage is ${wpcSpaceGb.min} to ${wpcSpaceGb.max} GB, for example 50G.`)
}

/** Actions that send one value, as WP Cloud writes it. */
function changeActions(context: WpcContext) {
  const begin = (tx: Tx, site: WpcSite, action: WpcChange, value?: string) => start(context, tx, site, action, value)
  return {
    resync: (site, _args, { tx }) => begin(tx, site, 'resync'),
    purge_cache: (site, _args, { tx }) => begin(tx, site, 'purge_cache'),
    suspend: (site, _args, { tx }) => begin(tx, site, 'suspend'),
    resume: (site, _args, { tx }) => begin(tx, site, 'resume'),
    async set_php_version(site, { value }, { tx }) {
      if (!/^\d{1,2}\.\d{1,2}$/.test(value)) throw invalid('value', msg`Choose a version such as 8.4.`)
      return begin(tx, site, 'set_php_version', value)
    },
    async set_memory(site, { value }, { tx }) {
      if (!wpcMemoryMb.some((one) => one === value))
        throw invalid('value', msg`PHP memory must be one of ${[...wpcMemoryMb]} MB.`)
      return begin(tx, site, 'set_memory', String(value))
    },
    set_workers: (site, { value }, { tx }) => begin(tx, site, 'set_workers', String(value)),
    set_burst: (site, { value }, { tx }) => begin(tx, site, 'set_burst', String(value)),
    set_space: async (site, { value }, { tx }) => begin(tx, site, 'set_space', spaceArgument(value, 'value')),
    async set_domain(site, { value }, { tx }) {
      if (value === site.domain) throw invalid('value', msg`This is the domain of the site already.`)
      return begin(tx, site, 'set_domain', value)
    },
    async set_aliases(site, { value }, { tx }) {
      const domains = [...new Set(value ?? [])]
      for (const domain of domains) {
        const problem = checkFormat('domain', domain)
        if (problem) throw invalid('value', msg`${domain}: ${problem}`)
        if (domain === site.domain) throw invalid('value', msg`${domain} is the domain of the site already.`)
      }
      return begin(tx, site, 'set_aliases', domains.join('\n'))
    },
    async set_defensive_mode(site, { value }, { tx }) {
      const { min, max } = wpcDefenseMinutes
      if (value !== 0 && value < min) throw invalid('value', msg`Defensive mode is on for ${min} to ${max} minutes.`)
      const until = value === 0 ? 0 : Math.ceil(context.clock.now() / 1000) + value * 60
      return begin(tx, site, 'set_defensive_mode', String(until))
    },
  } satisfies Behavior<typeof WpcSiteDoctype>['actions']
}
