import { controller, type Controller } from '#server/contracts/controller.ts'
import { typesByName } from '#server/contracts/type-by-name.ts'
import type { Session } from '#server/contracts/session.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { admitInsert } from '#server/documents/documents.ts'
import type { EngineWith } from '#server/engines/facets.ts'
import { assertAtRest } from '#server/jobs/enqueue.ts'
import { isContinuing, type RefusedJob } from '#server/jobs/waiting-jobs.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { siteReference } from '#shared/rules/display-name.ts'
import type { SitesDeps } from '../deps.ts'
import { findEngine, requireCapability } from '../engine-of.ts'
import { copiedSite } from './clone-job.ts'

const typeByName = typesByName(doctypes)

/** Fields of the source that its copy starts with. */
const copied = ['site_type', 'multisite', 'php_version', 'admin_user', 'admin_email'] as const
/** Settings that the engine copies. */
const copiedSettings = ['database', 'memory_mb', 'upload_mb', 'http_auth_user'] as const

/** `clone`: inserts the new site like a client that creates one, so everything that applies to new sites applies to it. */
export function cloneAction(deps: SitesDeps): Controller {
  return controller(SiteDoctype, {
    actions: {
      async clone(source, args, { tx, session }) {
        const { engine } = await requireCapability(deps, tx, source, 'clone')
        await assertWithinReach(deps, tx, source, args.server)
        return insertCopy({ tx, session, engine }, source, {
          chosen: {
            domain: args.domain,
            title: args.title || source.title || args.domain,
            server: args.server || source.server,
          },
          fields: { http_auth_password: await tx.secret(SiteDoctype, source.name, 'http_auth_password') },
          action: 'clone',
        })
      },
    },
  })
}

/** Inserts a copy of a site like a client that creates a site; the job that makes it starts with that. */
export async function insertCopy(
  { tx, session, engine }: { readonly tx: Tx; readonly session: Session; readonly engine: EngineWith<'clone'> },
  source: Site,
  {
    chosen,
    fields,
    action,
  }: {
    readonly chosen: Pick<Site, 'domain' | 'title' | 'server'>
    readonly fields: Partial<Site> & { readonly http_auth_password: string | null }
    readonly action: 'clone' | 'create_staging'
  },
): Promise<{ job: string; name: string }> {
  assertCopyable(engine, source, action === 'create_staging')
  // A queued copy is the source's job, and holds nothing of it.
  const waited = isContinuing(tx)
  const { wanted } = await admitInsert({ db: tx.trx, session, typeByName }, SiteDoctype, {
    ...valuesOf(source, copied),
    organization: source.organization,
    ...chosen,
  })
  const made = await tx.insert(SiteDoctype.name, {
    ...wanted,
    ...valuesOf(source, copiedSettings),
    ...fields,
    cloned_from: source.name,
  })
  const job = String(made['job'])
  await assertAtRest(tx, SiteDoctype.name, source, { waited, refused: await refusedCopy(tx, source, job) })
  // Until the job records how it goes on.
  await tx.activity({
    ...copiedSite({ source, domain: String(made['domain']), isStaging: action === 'create_staging' }),
    organization: source.organization,
    result: 'Started',
    job,
  })
  return { job, name: made.name }
}

/** Throws AppError `unsupported` now for what the job on the server could only fail with. */
function assertCopyable({ copies }: EngineWith<'clone'>, source: Site, isStaging: boolean): void {
  const hasOwnDatabase = source.site_type === 'php' && source.with_database === 1
  const refused = copies.refusal({ isNetwork: source.multisite !== null, hasOwnDatabase, isStaging })
  if (refused !== null) throw new AppError('unsupported', refused.reason, { nextAction: refused.nextAction })
}

/** The copy as a job of its source, while it waits for that to be at rest: there is no new site yet. */
async function refusedCopy(tx: Tx, source: Site, job: string): Promise<RefusedJob> {
  const { job_type: type, label, args } = (await tx.get(JobDoctype, job)) ?? {}
  return {
    type: type ?? '',
    label: label ?? '',
    ...siteReference(source),
    organization: source.organization,
    args: args ?? {},
  }
}

/** Engines that reach their servers from anywhere copy from one to another; the others copy files on one machine. */
async function assertWithinReach(deps: SitesDeps, tx: Tx, source: Site, server: string | null): Promise<void> {
  if (!server || server === source.server) return
  const found = await tx.get(ServerDoctype, server)
  // One that doesn't exist, or belongs to another organization, is refused like one that is out of reach.
  const other = found?.organization === source.organization ? found : null
  const engine = other === null || other.engine !== source.engine ? undefined : findEngine(deps.engines, other)
  if (other !== null && engine?.reach === 'network') {
    await requireCapability(deps, tx, { engine: other.engine, server: other.name }, 'clone')
    return
  }
  const host = other?.engine_host ?? null
  if (host !== null && host === source.engine_host) return
  if (findEngine(deps.engines, source)?.reach === 'network')
    throw new AppError('invalid', msg`A site on a server can only be cloned to servers of the same kind.`, {
      field: 'server',
      nextAction: msg`Choose another server, or restore a backup as a new site.`,
    })
  throw new AppError('invalid', msg`A site can only be cloned to a server on the same machine.`, {
    field: 'server',
    nextAction: msg`Choose the server of the site.`,
  })
}

function valuesOf<K extends keyof Site>(site: Site, names: readonly K[]): Pick<Site, K> {
  return Object.fromEntries(names.map((name) => [name, site[name]])) as Pick<Site, K>
}
