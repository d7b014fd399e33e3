import { randomBytes } from 'node:crypto'
import type { Tx } from '#server/contracts/transaction.ts'
import { capabilitiesOf } from '#server/engines/facets.ts'
import { thisMachine, type SiteRef } from '#server/engines/site-ref.ts'
import type { SiteBackup } from '#shared/doctypes/site-backup.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { archiveMachine } from '../archive-machine.ts'
import type { SitesDeps } from '../deps.ts'
import { engineFor, serverOf, siteRef } from '../engine-of.ts'
import { placeOf } from '../enqueue-site.ts'

/** Where backups of a site are made sites of. */
export interface RehearsalPlace {
  /** Name of the engine that does it. */
  readonly engine: string
  /** See `placeOf`. */
  readonly place: { readonly host: string | null; readonly server: string | null; readonly remote: boolean }
  /** Version of PHP that the site has, and the one that is there instead; null: it has its own. */
  readonly otherPhp: { readonly own: string; readonly there: string } | null
  /** See `rehearsalOf`. */
  siteOf(id: string, begin: string): SiteRef
}

/** A site that is made of a backup. Its name is `begin` and something that can't be guessed. */
export const rehearsalOf = (ref: Omit<SiteRef, 'id'>, id: string, begin: string): SiteRef => ({
  ...ref,
  id,
  domain: `${begin}-${randomBytes(10).toString('hex')}`,
})

/**
 * Where a backup is tried out: by the engine of its site, or else on the machine of this installation, whatever engine the site runs on or ran
 * on. Null if neither can.
 */
export async function findRehearsalPlace(deps: SitesDeps, tx: Tx, backup: SiteBackup): Promise<RehearsalPlace | null> {
  const site = await tx.get(SiteDoctype, backup.site)
  const own = site && (await ownPlace(deps, tx, site))
  if (own) return own
  const machine = await archiveMachine(deps, tx)
  if (machine === null) return null
  const versions =
    Object.values(deps.engines)
      .find(({ name }) => name === machine.engine)
      ?.phpVersions(null) ?? []
  const { id: _id, isFound: _isFound, isSecure: _isSecure, ...ref } = siteRef(site ?? asSite(backup), thisMachine)
  const there = ref.siteType === 'html' || versions.includes(ref.phpVersion) ? null : (versions.at(-1) ?? null)
  return {
    engine: machine.engine,
    place: { host: machine.host, server: site?.server ?? null, remote: false },
    otherPhp: there === null ? null : { own: ref.phpVersion, there },
    siteOf: (id, begin) => rehearsalOf({ ...ref, phpVersion: there ?? ref.phpVersion }, id, begin),
  }
}

async function ownPlace(deps: SitesDeps, tx: Tx, site: Site): Promise<RehearsalPlace | null> {
  const own = engineFor(deps.engines, site)
  const server = await serverOf(tx, site)
  if (!capabilitiesOf(own, server).rehearse.supported) return null
  return {
    engine: own.name,
    place: placeOf(deps, site),
    otherPhp: null,
    siteOf: (id, begin) => rehearsalOf(siteRef(site, server), id, begin),
  }
}

/** What a backup says of its site, which is gone. */
const asSite = ({ site, site_domain, site_type, php_version }: SiteBackup) => ({
  ...{ name: site, domain: site_domain ?? '', site_type: site_type ?? 'wp', php_version },
})

/** The same, for what somebody asks for. Throws AppError `unsupported` without such a place. */
export async function rehearsalPlace(deps: SitesDeps, tx: Tx, backup: SiteBackup): Promise<RehearsalPlace> {
  const found = await findRehearsalPlace(deps, tx, backup)
  if (found) return found
  throw new AppError('unsupported', msg`Nothing here can make a site of the backup.`, {
    nextAction: msg`Download the backup instead.`,
  })
}
