import { randomInt } from 'node:crypto'
import type { Tx } from '#server/contracts/transaction.ts'
import type { Engine } from '#server/engines/engine.ts'
import type { ServerRef } from '#server/engines/site-ref.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { parseSiteDomain, sharesVolumes } from '#shared/rules/site-domains.ts'
import { checkSiteName, siteNameOf } from '#shared/rules/site-name.ts'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'
import { domainHolder, lockNames } from './domains/domain-table.ts'
import type { SitesDeps } from './deps.ts'
import { anyPhpVersion } from './engine-of.ts'

const suffixLength = 4
const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789'

function randomSuffix(): string {
  return Array.from({ length: suffixLength }, () => alphabet[randomInt(alphabet.length)]).join('')
}

/** The domain of an engine's sites, e.g. `localhost`; null if they have domains of their own, or its URLs another form. */
export function sitesDomain(engine: Engine, server: ServerRef): string | null {
  if (engine.siteNames === 'domain') return null
  const { hostname } = new URL(
    engine.siteUrl({ id: 'x', domain: 'x', siteType: 'html', phpVersion: anyPhpVersion, server }),
  )
  return hostname.startsWith('x.') ? hostname.slice(2) : null
}

const wrongName = (problem: LocalizedMessage, excType = 'InvalidNameError'): AppError =>
  new AppError('invalid', problem, { field: 'domain', excType })

/** Validates the name chosen for a site; `blog.localhost` counts as `blog`. Throws with the field `domain`. */
export function chosenName(
  { dashboardHost = '' }: Pick<SitesDeps, 'dashboardHost'>,
  engine: Engine,
  server: ServerRef,
  text: string,
): string {
  if (engine.siteNames === 'domain') {
    const parsed = parseSiteDomain(text, { sitesDomain: null, dashboardHost })
    if ('problem' in parsed) throw wrongName(parsed.problem)
    return parsed.domain
  }
  const domain = sitesDomain(engine, server)
  const name = domain ? siteNameOf(text, domain) : text
  const problem = checkSiteName(name)
  if (problem) throw wrongName(problem)
  return name
}

/**
 * The final name of a new site on its machine. If the same organization uses the name (also for archived sites): a field
 * error. If another organization uses it: a random suffix, which does not reveal what others have. Aliases count as well.
 * Serializes site creation until the end of the transaction.
 */
export async function freeName(tx: Tx, engineHost: string, organization: string, name: string): Promise<string> {
  await lockNames(tx)
  let candidate = name
  for (;;) {
    const holder = await tx.find(SiteDoctype, [
      ['engine_host', '=', engineHost],
      ['domain', '=', candidate],
    ])
    const alias = holder ? null : await aliasSite(tx, candidate)
    if (!holder && !alias) return candidate
    if (alias?.organization === organization && candidate === name)
      throw new AppError(
        'invalid',
        msg`“${name}” is already an alias of your site ${alias.domain}. Choose another name.`,
        {
          field: 'domain',
          excType: 'UniqueValidationError',
        },
      )
    if (holder?.organization === organization && candidate === name) {
      const taken =
        holder.status === 'Archived'
          ? msg`“${name}” is already the name of an archived site of yours. Choose another name.`
          : msg`“${name}” is already the name of a site of yours. Choose another name.`
      throw new AppError('invalid', taken, {
        field: 'domain',
        excType: 'UniqueValidationError',
      })
    }
    candidate = `${name}-${randomSuffix()}`
  }
}

/**
 * Takes a full domain for a new site of a server. Throws with the field `domain` if a site of the server has it, another site has it as
 * an alias, or the server could not tell its files from those of another site. Serializes site creation until the end of the transaction.
 */
export async function takeDomain(tx: Tx, engineHost: string, domain: string): Promise<string> {
  await lockNames(tx)
  const sites = await tx.listFields(SiteDoctype, ['domain'], [['engine_host', '=', engineHost]])
  const names = sites.map((site) => site.domain)
  if (names.includes(domain) || (await aliasSite(tx, domain)))
    throw wrongName(msg`“${domain}” is already in use. Choose another domain.`, 'UniqueValidationError')
  const alike = names.find((name) => sharesVolumes(name, domain))
  if (alike !== undefined)
    throw wrongName(
      msg`“${domain}” and “${alike}” are equal without dots and hyphens, so EasyEngine would mix up their files. Choose another domain, or another server.`,
      'UniqueValidationError',
    )
  return domain
}

/** The site that has a name as an alias. */
async function aliasSite(tx: Tx, name: string): Promise<Site | null> {
  const row = await domainHolder(tx, name)
  return row && tx.get(SiteDoctype, row.site)
}
