import { option, positional } from '#server/platform/ssh/quote.ts'
import { labelMessage, msg, type LocalizedMessage } from '#shared/localized-message.ts'
import { checkDomain, checkEmail, checkUsername } from '#shared/rules/formats.ts'
import { isLocale } from '#shared/rules/wordpress-settings.ts'
import { firstVersionProblem } from '#shared/rules/supported-wordpress.ts'
import { EngineError, type SiteSpec } from '../engine.ts'
import type { ServerRef, SiteRef } from '../site-ref.ts'
import { eeLacks, isOlderThan, lacksVip } from './lacks.ts'

/** PHP versions that sites can have: those of EasyEngine that PHP's makers still support. */
export const eePhpVersions: readonly string[] = ['8.2', '8.3', '8.4', '8.5']

const invalid = (problem: LocalizedMessage): EngineError =>
  new EngineError('invalid', problem, { nextAction: msg`Enter another value.` })

/**
 * Checks what identifies a site. EasyEngine pastes arguments into command lines of a root shell, inside of quotes that our own quoting
 * knows nothing of, so every value has to be of characters that no shell interprets.
 */
export function assertSite({ id, domain }: Pick<SiteRef, 'id' | 'domain'>): void {
  if (!/^[a-z0-9]{10}$/.test(id)) throw invalid(msg`This is not the id of a site.`)
  const problem = checkDomain(domain)
  if (problem) throw invalid(problem)
}

/** The first EasyEngine that has them (`img-versions.json` of its releases); all that is supported has the others. */
const phpSince: Readonly<Record<string, string>> = { '8.4': '4.8.0', '8.5': '4.10.0' }

/** PHP versions that sites of a server can have; null, or a server whose EasyEngine nobody knows: all. */
export function phpVersionsOn(server: ServerRef | null): readonly string[] {
  return eePhpVersions.filter((version) => server === null || !isOlderThan(server, phpSince[version] ?? '0'))
}

/** A version that can be chosen. Throws EngineError `invalid` for any other. */
export function assertPhp(version: string, server: ServerRef): string {
  const versions = phpVersionsOn(server)
  if (versions.includes(version)) return version
  throw invalid(msg`PHP must be one of ${versions} on this server.`)
}

/** An option whose value consists of characters that no shell interprets. Throws a TypeError for others: they were to be checked before. */
export function safeOption(name: string, value: string): string {
  if (!/^[A-Za-z0-9._@+,:/-]*$/.test(value)) throw new TypeError(`Not safe as the value of --${name}.`)
  return option(name, value)
}

/** A site that EasyEngine creates. */
export interface EeSpec extends SiteSpec {
  /** Of its tables; default: that of WordPress. */
  readonly tablePrefix?: string
}

/** The arguments after `ee site create`: the domain, then the options. */
export function createArguments(spec: EeSpec, databaseName: string): string[] {
  assertSite(spec)
  const { siteType, domain } = spec
  // Without the type, EasyEngine takes `--php` for "a PHP site" and forgets the version.
  const words = [positional(domain), safeOption('type', siteType)]
  if (spec.multisite !== undefined && siteType !== 'wp')
    throw new EngineError('unsupported', msg`Only a WordPress site can be a network.`, {
      nextAction: msg`Create a single site.`,
    })
  if (spec.database === 'mysql')
    throw new EngineError('unsupported', labelMessage(eeLacks.mysql), { nextAction: msg`Leave the choice out.` })
  if (siteType === 'html') return words
  words.push(safeOption('php', assertPhp(spec.phpVersion, spec.server)))
  // A name of our own: by default, `a.b.com` and `a-b.com` get the same one, and the second creation removes the database of the first.
  const database = safeOption('dbname', databaseName)
  if (siteType === 'php')
    return spec.withDatabase
      ? // Equal names, because those in the code of its original may be equal, too.
        [...words, '--with-db', database, safeOption('dbuser', databaseName)]
      : [...words, safeOption('admin-email', `${databaseName}@${domain}`)]
  const problem = checkUsername(spec.adminUser) ?? checkEmail(spec.adminEmail)
  if (problem) throw invalid(problem)
  words.push(database, safeOption('admin-user', spec.adminUser), safeOption('admin-email', spec.adminEmail))
  if (spec.tablePrefix !== undefined) words.push(safeOption('dbprefix', spec.tablePrefix))
  if (spec.multisite !== undefined) words.push(safeOption('mu', spec.multisite))
  if (spec.objectCache) words.push('--cache')
  if (spec.vip) {
    const reason = lacksVip(spec.server)
    if (reason !== null)
      throw new EngineError('unsupported', labelMessage(reason), { nextAction: msg`Leave the choice out.` })
    words.push('--vip')
  }
  words.push(...wordpressChoice(spec))
  return [...words, '--yes']
}

/** What is installed of WordPress; without a choice, the newest in the language that the server is configured for. */
function wordpressChoice({ locale, wordpressVersion: version }: SiteSpec): string[] {
  if (locale !== undefined && !isLocale(locale)) throw invalid(msg`Choose a language.`)
  const problem = version === undefined ? null : firstVersionProblem(version)
  if (problem) throw invalid(problem)
  return [
    ...(locale === undefined ? [] : [safeOption('locale', locale)]),
    ...(version === undefined ? [] : [safeOption('version', version)]),
  ]
}
