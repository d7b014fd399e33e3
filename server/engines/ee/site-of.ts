import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../engine.ts'
import type { SiteRef } from '../site-ref.ts'
import { assertSite } from './arguments.ts'
import type { EeContext } from './ee-context.ts'
import { isEnabled, readInventory, siteIn, type EeRow, type EeSite } from './inventory.ts'

/** What the server of a site has of it now. */
export async function readSite(context: EeContext, site: SiteRef, signal?: AbortSignal): Promise<EeSite> {
  assertSite(site)
  return siteIn(await readInventory(context, site.server, signal), site)
}

/** A site that exists. Throws EngineError `not_found` for any other. */
export async function existingSite(
  context: EeContext,
  site: SiteRef,
  signal?: AbortSignal,
): Promise<EeSite & { readonly row: EeRow }> {
  const found = await readSite(context, site, signal)
  if (found.row !== null) return { ...found, row: found.row }
  throw new EngineError('not_found', msg`The site does not exist on its server.`, {
    nextAction: msg`Somebody may have deleted it there. Restore it from a backup, or delete it here, too.`,
  })
}

/** A site that runs. Throws EngineError `conflict` for one that does not. */
export async function enabledSite(
  context: EeContext,
  site: SiteRef,
  signal?: AbortSignal,
): Promise<EeSite & { readonly row: EeRow }> {
  const found = await existingSite(context, site, signal)
  assertEnabled(found.row)
  return found
}

/** Throws EngineError `conflict` for a site that does not run. */
export function assertEnabled(row: EeRow): void {
  if (isEnabled(row)) return
  throw new EngineError('conflict', msg`The site does not run at the moment.`, {
    nextAction: msg`Resume the site first.`,
  })
}

/** A WordPress site that exists. Throws EngineError `conflict` for one without. */
export async function existingWordPress(
  context: EeContext,
  site: SiteRef,
  signal?: AbortSignal,
): Promise<EeSite & { readonly row: EeRow }> {
  const found = await existingSite(context, site, signal)
  if (found.row.site_type === 'wp') return found
  throw new EngineError('conflict', msg`This site has no WordPress.`, { nextAction: msg`Choose a WordPress site.` })
}

/** Where the document root of a site is inside of its container. */
export const workdirOf = (row: EeRow): string => row.site_container_fs_path ?? '/var/www/htdocs'
