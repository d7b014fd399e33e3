import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../engine.ts'
import type { SiteRef } from '../site-ref.ts'
import type { FakeContext } from './fake-context.ts'
import { assertRef, type FakeSite } from './fake-site.ts'

/** The stored site; null if there is none. */
export function readSite(context: FakeContext, id: string): FakeSite | null {
  try {
    return JSON.parse(readFileSync(fileOf(context, id), 'utf8')) as FakeSite
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** Stores a site, replacing its previous version. */
export function writeSite(context: FakeContext, site: FakeSite): void {
  const file = fileOf(context, site.id)
  writeFileSync(`${file}.tmp`, JSON.stringify(site))
  renameSync(`${file}.tmp`, file)
}

/** Removes a site, if it is stored. */
export function removeSite(context: FakeContext, id: string): void {
  rmSync(fileOf(context, id), { force: true })
}

/** Ids of all stored sites. */
export function siteIds({ options }: FakeContext): string[] {
  return readdirSync(options.folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -5))
}

/** The stored site. Throws EngineError `not_found` if there is none. */
export function existingSite(context: FakeContext, site: SiteRef): FakeSite {
  assertRef(site)
  const known = readSite(context, site.id)
  if (known === null)
    throw new EngineError('not_found', msg`This machine does not have the site.`, {
      nextAction: msg`Refresh the page.`,
    })
  return known
}

/** The stored site. Throws EngineError `unsupported` if it has no WordPress. */
export function existingWordPress(context: FakeContext, site: SiteRef): FakeSite {
  const known = existingSite(context, site)
  if (known.siteType === 'wp') return known
  throw new EngineError('unsupported', msg`Only a WordPress site has this.`, {
    nextAction: msg`Choose a WordPress site.`,
  })
}

/** The stored site. Throws EngineError `unsupported` without WordPress, `conflict` while it does not run. */
export function runningWordPress(context: FakeContext, site: SiteRef): FakeSite {
  const known = existingWordPress(context, site)
  if (known.state === 'running') return known
  throw new EngineError('conflict', msg`WordPress can only be managed while the site is ready.`, {
    nextAction: msg`Wait until the site is ready.`,
  })
}

const fileOf = ({ options }: FakeContext, id: string): string => join(options.folder, `${id}.json`)
