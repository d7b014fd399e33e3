import { controller, type Controller, type HookContext } from '#server/contracts/controller.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import type { Engine } from '#server/engines/engine.ts'
import { capabilitiesOf } from '#server/engines/facets.ts'
import { serverRef, type ServerRef } from '#server/engines/site-ref.ts'
import { hostNameOf } from '#server/engines/hosts.ts'
import { assertNotLocked } from '#server/jobs/enqueue.ts'
import { fieldLabel, fieldNames } from '#shared/doctype.ts'
import { DeploymentDoctype } from '#shared/doctypes/deployment.ts'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { SiteDoctype, siteTypeLabels, type Site } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import type { Field } from '#shared/fields.ts'
import { isLocale } from '#shared/rules/wordpress-settings.ts'
import { firstVersionProblem } from '#shared/rules/supported-wordpress.ts'
import { sameValue } from '#shared/same-value.ts'
import { msg, labelMessage } from '#shared/localized-message.ts'
import { enqueueClone } from './copies/clone-job.ts'
import { enqueueImport } from './portable/import-job.ts'
import { useUpload } from './portable/import-uploads.ts'
import { enqueueFor } from './enqueue-site.ts'
import type { SitesDeps } from './deps.ts'
import { engineFor, siteRef } from './engine-of.ts'
import { generatePassword } from '#server/platform/secrets/generate-password.ts'
import { chosenName, freeName, takeDomain } from './site-names.ts'

/** Additional required fields of a WordPress site. */
const wordpressFields = ['title', 'admin_user', 'admin_email'] as const

/** Hooks of a Site: validation, its final name, and the job that creates it. */
export function siteHooks(deps: SitesDeps): Controller {
  return controller(SiteDoctype, {
    async before_insert(site, { tx, session }) {
      // It exists already.
      if (site.is_found === 1) return
      // Clients of the protocol know the address alone.
      site.import_upload = site.import_upload?.replace(/^(?:https?:\/\/[^/]{1,300})?\/api\/uploads\//, '') ?? null
      site.import_archive ??= site.import_upload
      requireFields(site)
      if (site.import_upload !== null) await useUpload(deps, tx, session, site)
      const server = await usableServer(tx, site)
      const engine = serverEngine(deps, server)
      const on = serverRef(server)
      checkType(engine, on, site)
      checkMultisite(engine, on, site)
      const host = hostNameOf(server)
      const name = chosenName(deps, engine, on, site.domain)
      site.domain =
        engine.siteNames === 'domain'
          ? await takeDomain(tx, host, name)
          : await freeName(tx, host, site.organization, name)
      // Again, now that nobody can change it before the site is there. Rows are locked after the lock of names.
      await usableServer(tx, site, { lock: true, category: server.server_category })
      choosePhp(engine, on, site)
      chooseDatabase(engine, on, site)
      checkSsl(engine, on, site)
      checkOptions(engine, on, site)
      checkWordPressChoice(engine, on, site)
      Object.assign(site, {
        engine: engine.name,
        engine_host: host,
        cloud_provider: server.cloud_provider,
        status: 'Setting Up',
        health: 'Not Checked',
        url: engine.siteUrl(siteRef(site, on)),
        createdby_email: session.user,
        // A copy has the users of its source, with their passwords.
        // An imported site has the users of its archive.
        admin_password:
          site.site_type === 'wp' && site.cloned_from === null && site.import_archive === null
            ? generatePassword()
            : null,
      })
    },

    async after_insert(doc, { tx }) {
      if (doc.is_found === 1) return
      const source = doc.cloned_from === null ? null : await tx.get(SiteDoctype, doc.cloned_from)
      if (doc.import_archive !== null) {
        doc.job = (await enqueueImport(deps, tx, doc)).job
        return
      }
      const made = source ? enqueueClone(deps, tx, doc, source) : enqueueFor(deps, tx, doc, 'site.create')
      doc.job = (await made).job
    },

    async validate(doc, before) {
      if (!before) return
      // Our own writes run without hooks, so this is a user edit.
      if (doc.php_version !== before.php_version) {
        throw new AppError(
          'invalid',
          msg`The PHP version is changed by its own action, which restarts and checks the site.`,
          { field: 'php_version' },
        )
      }
      if (before.status !== 'Archived' || doc.status !== 'Archived') return
      const changed = fieldNames(SiteDoctype).find((name) => !sameValue(doc[name], before[name]))
      if (changed)
        throw new AppError('invalid', msg`An archived site cannot be changed. Restore it from the archive first.`, {
          field: changed,
        })
    },

    async after_delete(doc, { tx }) {
      await tx.deleteWhere(DeploymentDoctype, [['site', '=', doc.name]])
    },

    delete_request: (site, context) => requestDeletion(deps, site, context),
  })
}

/** Reports all missing fields at once, in the format of the wire's MandatoryError. */
function requireFields(site: Site): void {
  const hasUsers = site.site_type !== 'wp' || site.import_archive !== null
  const wanted = ['domain', 'server', ...(hasUsers ? [] : wordpressFields)] as const
  const missing = wanted.filter((name) => site[name] === null || site[name] === '')
  if (missing.length === 0) return
  throw new AppError('invalid', msg`[Site, ]: ${missing}`, {
    field: missing[0] as string,
    excType: 'MandatoryError',
    messages: missing.map((field) => ({
      field,
      message: msg`Error: Value missing for ${labelMessage(SiteDoctype.name)}: ${labelMessage(fieldLabel(field, SiteDoctype.fields[field] as Field))}`,
    })),
  })
}

/**
 * The chosen server, if it accepts new sites now. Members may use it only if its category is development, which the gate has
 * checked; `category` is the one it had then.
 */
async function usableServer(
  tx: Tx,
  site: Site,
  { lock = false, category }: { lock?: boolean; category?: Server['server_category'] } = {},
): Promise<Server> {
  const server = await tx.get(ServerDoctype, site.server, { lock })
  if (!server || server.organization !== site.organization) {
    throw new AppError('invalid', msg`Could not find Server: ${site.server}`, {
      field: 'server',
      excType: 'LinkValidationError',
    })
  }
  if (server.status !== 'Healthy') {
    throw new AppError(
      'invalid',
      msg`${server.hostname} is ${labelMessage(String(server.status))}. Choose a healthy server.`,
      {
        field: 'server',
      },
    )
  }
  if (category !== undefined && server.server_category !== category)
    throw new AppError('conflict', msg`${server.hostname} was changed a moment ago. Try again.`, { field: 'server' })
  return server
}

function serverEngine(deps: SitesDeps, server: Server): Engine {
  try {
    return engineFor(deps.engines, server)
  } catch (error) {
    throw new AppError('invalid', msg`Sites cannot be created on ${server.hostname}.`, {
      field: 'server',
      cause: error,
    })
  }
}

function checkType(engine: Engine, server: ServerRef, site: Site): void {
  const type = site.site_type ?? 'wp'
  const capability = capabilitiesOf(engine, server)[`create_${type}`]
  if (!capability.supported)
    throw new AppError('invalid', msg`${labelMessage(siteTypeLabels[type])}: ${labelMessage(capability.reason)}`, {
      field: 'site_type',
    })
}

/** Networks are made of WordPress, and of the kinds that the server can run. An import says itself what it is. */
function checkMultisite(engine: Engine, server: ServerRef, site: Site): void {
  if (site.multisite === null) return
  if (site.site_type !== 'wp' || site.import_archive !== null)
    throw new AppError('invalid', msg`Only a new WordPress site can be a network.`, { field: 'multisite' })
  const name = site.multisite === 'subdom' ? 'multisite_subdomains' : 'create_multisite'
  const capability = capabilitiesOf(engine, server)[name]
  if (!capability.supported) throw new AppError('unsupported', labelMessage(capability.reason), { field: 'multisite' })
}

/** Requires a PHP version the server has; static HTML has none, and only the default, which nobody chose, is left out. */
function choosePhp(engine: Engine, server: ServerRef, site: Site): void {
  if (site.site_type === 'html') {
    if (site.php_version !== null && site.php_version !== SiteDoctype.fields.php_version.default)
      throw new AppError('unsupported', msg`A plain HTML site runs no PHP.`, { field: 'php_version' })
    site.php_version = null
    return
  }
  const versions = engine.phpVersions(server)
  if (site.php_version === null || !versions.includes(site.php_version)) {
    throw new AppError('invalid', msg`PHP must be one of ${versions} on this server.`, { field: 'php_version' })
  }
}

/** What the engine has without a choice, unless a WordPress is to be on MySQL where there is one. */
function chooseDatabase(engine: Engine, server: ServerRef, site: Site): void {
  if (site.database !== 'mysql') {
    site.database = null
    return
  }
  const field = 'database'
  if (site.site_type !== 'wp')
    throw new AppError('invalid', msg`Only a WordPress site can have a MySQL database.`, { field })
  const { mysql } = capabilitiesOf(engine, server)
  if (!mysql.supported) throw new AppError('invalid', labelMessage(mysql.reason), { field })
}

/** A certificate for a new site, where its server can get one. A copy has its source's settings only. */
function checkSsl(engine: Engine, server: ServerRef, site: Site): void {
  if (site.initial_ssl === null) return
  const { tls } = capabilitiesOf(engine, server)
  if (!tls.supported) throw new AppError('unsupported', labelMessage(tls.reason), { field: 'initial_ssl' })
}

/** What only some servers can give a new site. A copy or an import is what its source is. */
function checkOptions(engine: Engine, server: ServerRef, site: Site): void {
  const capabilities = capabilitiesOf(engine, server)
  if (site.with_database === 1) {
    const field = 'with_database'
    if (site.site_type !== 'php' || site.import_archive !== null || site.cloned_from !== null)
      throw new AppError('invalid', msg`Only a new PHP site can have this.`, { field })
    const { php_database: capability } = capabilities
    if (!capability.supported) throw new AppError('unsupported', labelMessage(capability.reason), { field })
  }
  for (const field of ['object_cache', 'vip'] as const) {
    if (site[field] !== 1) continue
    if (site.site_type !== 'wp' || site.import_archive !== null || site.cloned_from !== null)
      throw new AppError('invalid', msg`Only a new WordPress site can have this.`, { field })
    const capability = capabilities[field]
    if (!capability.supported) throw new AppError('unsupported', labelMessage(capability.reason), { field })
  }
}

/** Language and version of a new WordPress, where its server has a choice. */
function checkWordPressChoice(engine: Engine, server: ServerRef, site: Site): void {
  const { initial_locale: locale, initial_version: version } = site
  const field = locale !== null ? 'initial_locale' : 'initial_version'
  if (locale === null && version === null) return
  if (site.site_type !== 'wp' || site.import_archive !== null || site.cloned_from !== null)
    throw new AppError('invalid', msg`Only a new WordPress site can have this.`, { field })
  const { wordpress_choice: capability } = capabilitiesOf(engine, server)
  if (!capability.supported) throw new AppError('unsupported', labelMessage(capability.reason), { field })
  if (locale !== null && !isLocale(locale)) throw new AppError('invalid', msg`Choose a language.`, { field })
  const problem = version === null ? null : firstVersionProblem(version)
  if (problem) throw new AppError('invalid', problem, { field: 'initial_version' })
}

/** DELETE in the API: archives a site first; deletes an archived or half-created one permanently. */
async function requestDeletion(deps: SitesDeps, site: Site, { tx }: HookContext): Promise<Record<string, unknown>> {
  await assertNotLocked(tx, site)
  if (site.status === 'Archived' || (site.status === 'Failed' && !wasLive(site)))
    return enqueueFor(deps, tx, site, 'site.delete')
  if (site.status === 'Live' || site.status === 'Failed' || site.status === 'Suspended')
    return enqueueFor(deps, tx, site, 'site.archive')
  throw new AppError('locked', msg`The site cannot be deleted while it is ${labelMessage(String(site.status))}.`)
}

/** Whether the site ever worked: only then is there something to archive. */
export function wasLive(site: Site): boolean {
  return site.health_checked_at !== null
}
