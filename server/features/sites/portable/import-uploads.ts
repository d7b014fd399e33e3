import * as z from 'zod/mini'
import type { UploadKind } from '#server/contracts/resumable-upload.ts'
import type { Session } from '#server/contracts/session.ts'
import { typesByName } from '#server/contracts/type-by-name.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { admitInsert } from '#server/documents/documents.ts'
import type { EngineWith } from '#server/engines/facets.ts'
import type { ArchiveContent } from '#server/engines/site-imports.ts'
import { serverRef } from '#server/engines/site-ref.ts'
import { ownHost } from '#server/engines/hosts.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { SiteDoctype, siteTypes, type Site } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { isOneOf } from '#shared/is-one-of.ts'
import { msg } from '#shared/localized-message.ts'
import { siteDatabases, type SiteDatabaseKind } from '#shared/rules/site-databases.ts'
import { maxImportBytes } from '#shared/rules/site-imports.ts'
import type { SitesDeps } from '../deps.ts'
import { requireCapability, translateEngineErrors } from '../engine-of.ts'

const typeByName = typesByName(doctypes)
const importKind = 'site-import'

/** What the uploader chose. */
interface Wanted {
  readonly server: string
  readonly domain: string
  /** Kind of the database of a WordPress. */
  readonly database: SiteDatabaseKind
}

/** The kind of upload that becomes a new site. The site is inserted like by a client that creates one. */
export function importUploads(deps: SitesDeps): UploadKind {
  const run = <T>(session: Session, work: (tx: Tx) => Promise<T>) => deps.documents().transaction(session, work)
  return {
    name: importKind,
    tokens: 'sites:write',
    maxSize: maxImportBytes,
    invalidIsFinal: true,
    async check(session, { metadata }) {
      if (!hasTarget(metadata)) {
        if (session.organization === null)
          throw new AppError('forbidden', msg`You cannot create sites outside of an organization.`)
        return
      }
      const wanted = wantedOf(metadata)
      await run(session, async (tx) => {
        await engineOn(deps, tx, session, wanted)
        await admit(tx, session, valuesOf(wanted, { siteType: 'html', title: null, phpVersion: null }, []))
      })
    },
    async finish(session, { id, fileName, metadata }, path) {
      if (!hasTarget(metadata)) return keepArchive(deps, id, path)
      const wanted = wantedOf(metadata)
      const made = await run(session, (tx) => madeBefore(tx, session, id))
      if (made !== null) return made
      const engine = await run(session, (tx) => engineOn(deps, tx, session, wanted))
      const content = await translateEngineErrors(engine.imports.take(id, path))
      try {
        return await run(session, async (tx) => {
          const on = await tx.get(ServerDoctype, wanted.server)
          const versions = on === null ? [] : engine.phpVersions(serverRef(on))
          const admitted = await admit(tx, session, valuesOf(wanted, content, versions))
          const site = await tx.insert(SiteDoctype.name, {
            ...admitted,
            import_archive: id,
            import_file: fileName.slice(0, 255),
          })
          return { job: String(site['job']), site: site.name }
        })
      } catch (error) {
        await engine.imports.discard(id)
        throw error
      }
    },
    discard: (id) => discardArchive(deps, id),
  }
}

/** Forgets an archive: until its site is known, several engines can have it. */
export async function discardArchive({ engines }: Pick<SitesDeps, 'engines'>, archive: string): Promise<void> {
  for (const { imports } of Object.values(engines)) await imports?.discard(archive)
}

/** Without a target, the site is inserted later, and names the upload. */
const hasTarget = ({ server, domain }: Readonly<Record<string, string>>): boolean =>
  server !== undefined || domain !== undefined

/** What is answered for an upload whose site is inserted later. */
const keptArchive = z.object({
  site_type: z.enum(siteTypes),
  title: z.nullable(z.string()),
  php_version: z.nullable(z.string()),
  /** Names of the engines that keep it: which one it is for is known with the site. */
  engines: z.array(z.string()),
})

/** Has every engine of this process keep an archive that can make a site of it. Throws the refusal of the first if none can. */
async function keepArchive(deps: SitesDeps, id: string, path: string): Promise<Record<string, unknown>> {
  const engines: string[] = []
  const refusals: AppError[] = []
  let content: ArchiveContent | null = null
  // What reads archives of others has more to say about them.
  const known = Object.values(deps.engines).toSorted(
    (a, b) => Number(a.reach === 'network') - Number(b.reach === 'network'),
  )
  for (const { name, imports } of known) {
    if (imports === undefined) continue
    try {
      const found = await translateEngineErrors(imports.take(id, path))
      content ??= found
      engines.push(name)
    } catch (error) {
      if (!(error instanceof AppError) || !['invalid', 'unsupported'].includes(error.code)) throw error
      refusals.push(error)
    }
  }
  if (content === null)
    throw refusals[0] ?? new AppError('unsupported', msg`No server of this installation imports sites.`)
  const { siteType: site_type, title, phpVersion: php_version } = content
  return { upload: id, ...({ site_type, title, php_version, engines } satisfies z.infer<typeof keptArchive>) }
}

/** Makes a site that is being inserted one of the uploaded archive that it names. */
export async function useUpload(deps: SitesDeps, tx: Tx, session: Session, site: Site): Promise<void> {
  const field = 'import_upload'
  const { kind, fileName, response } = await deps.claimUpload(tx, session, site.import_upload ?? '', field)
  const { data } = keptArchive.safeParse(response)
  if (kind !== importKind || !data) throw new AppError('invalid', msg`The upload is no archive of a site.`, { field })
  const database = site.database === 'mysql' ? 'mysql' : 'sqlite'
  const engine = await engineOn(deps, tx, session, { server: site.server, domain: site.domain, database })
  if (!data.engines.includes(engine.name))
    throw new AppError('invalid', msg`The chosen server can’t make a site of this archive.`, {
      field,
      nextAction: msg`Choose another server.`,
    })
  const on = await tx.get(ServerDoctype, site.server)
  const { php_version: own } = data
  const isChosen = site.php_version !== SiteDoctype.fields.php_version.default
  const isThere = on !== null && own !== null && engine.phpVersions(serverRef(on)).includes(own)
  Object.assign(site, {
    site_type: data.site_type,
    title: site.title || data.title || site.domain,
    ...(data.site_type === 'html' ? { php_version: null } : isThere && !isChosen ? { php_version: own } : {}),
    import_file: fileName.slice(0, 255),
  })
}

function wantedOf({ server = '', domain = '', database = 'sqlite' }: Readonly<Record<string, string>>): Wanted {
  if (server === '') throw new AppError('invalid', msg`Choose a server.`, { field: 'server' })
  if (domain === '') throw new AppError('invalid', msg`Enter a name.`, { field: 'domain' })
  if (!isOneOf(siteDatabases, database))
    throw new AppError('invalid', msg`Database must be one of ${siteDatabases}.`, { field: 'database' })
  return { server, domain, database }
}

/** After a crash, the same upload ends again: its site is there already. */
async function madeBefore(tx: Tx, session: Session, archive: string): Promise<{ job: string; site: string } | null> {
  const site = await tx.find(SiteDoctype, [
    ['import_archive', '=', archive],
    ['organization', '=', session.organization],
  ])
  if (!site) return null
  const job = await tx.find(JobDoctype, [
    ['reference_name', '=', site.name],
    ['job_type', '=', 'site.import'],
  ])
  return { site: site.name, job: job?.name ?? '' }
}

/** The engine of a server of the organization, whose machine gets the upload. */
async function engineOn(
  deps: SitesDeps,
  tx: Tx,
  session: Session,
  { server: name, database }: Wanted,
): Promise<EngineWith<'import'>> {
  const server = await tx.get(ServerDoctype, name)
  if (!server || server.organization !== session.organization)
    throw new AppError('invalid', msg`Could not find Server: ${name.slice(0, 140)}`, { field: 'server' })
  const site = { engine: server.engine, server: name }
  const { engine } = await requireCapability(deps, tx, site, 'import')
  // Refused before anything is sent.
  if (database === 'mysql') await requireCapability(deps, tx, site, 'mysql')
  const isElsewhere =
    engine.reach !== 'network' && deps.machine && server.engine_host !== ownHost(engine, deps.machine).name
  if (!isElsewhere) return engine
  throw new AppError(
    'invalid',
    msg`An archive can only be imported on a server of the machine that you are connected to.`,
    {
      field: 'server',
      nextAction: msg`Choose another server.`,
    },
  )
}

async function admit(tx: Tx, session: Session, values: Record<string, unknown>): Promise<Record<string, unknown>> {
  const { wanted } = await admitInsert({ db: tx.trx, session, typeByName }, SiteDoctype, {
    ...values,
    organization: session.organization,
  })
  return wanted
}

function valuesOf(
  { server, domain, database }: Wanted,
  { siteType, title, phpVersion }: ArchiveContent,
  versions: readonly string[],
): Record<string, unknown> {
  return {
    server,
    domain,
    site_type: siteType,
    database: siteType === 'wp' && database === 'mysql' ? database : null,
    title: title || domain,
    php_version: siteType === 'html' ? null : phpVersion !== null && versions.includes(phpVersion) ? phpVersion : '8.3',
  }
}
