import { randomInt } from 'node:crypto'
import type { Tx } from '#server/contracts/transaction.ts'
import type { Engine } from '#server/engines/engine.ts'
import type { ServerRef } from '#server/engines/site-ref.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { checkSiteName, siteNameOf } from '#shared/rules/site-name.ts'
import { msg } from '#shared/localized-message.ts'
import { domainHolder, lockNames } from './domains/domain-table.ts'
import { anyPhpVersion } from './engine-of.ts'

const suffixLength = 4
const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789'

function randomSuffix(): string {
  return Array.from({ length: suffixLength }, () => alphabet[randomInt(alphabet.length)]).join('')
}

/** The domain of an engine's sites, e.g. `localhost`; null if its URLs have another form. */
export function sitesDomain(engine: Engine, server: ServerRef): string | null {
  const { hostname } = new URL(
    engine.siteUrl({ id: 'x', domain: 'x', siteType: 'html', phpVersion: anyPhpVersion, server }),
  )
  return hostname.startsWith('x.') ? hostname.slice(2) : null
}

/** Validates the name chosen for a site; `blog.localhost` counts as `blog`. Throws with the field `domain`. */
export function chosenName(engine: Engine, server: ServerRef, text: string): string {
  const domain = sitesDomain(engine, server)
  const name = domain ? siteNameOf(text, domain) : text
  const problem = checkSiteName(name)
  if (problem) throw new AppError('invalid', problem, { field: 'domain', excType: 'InvalidNameError' })
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

/** The site that has a name as an alias. */
async function aliasSite(tx: Tx, name: string): Promise<Site | null> {
  const row = await domainHolder(tx, name)
  return row && tx.get(SiteDoctype, row.site)
}
