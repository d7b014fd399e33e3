import { Readable } from 'node:stream'
import { namesBelow } from '#server/platform/tree-files/tree-path.ts'
import { msg } from '#shared/localized-message.ts'
import type { BackupParts } from '#shared/rules/backups.ts'
import { assertTables, differInNetwork } from '../backup-parts.ts'
import { EngineError } from '../engine.ts'
import { networkIn, type ManifestSummary } from '../site-manifest.ts'
import type { SiteRef } from '../site-ref.ts'
import type { EeContext } from './ee-context.ts'
import { encodedPath } from './files-call.ts'
import { networkOf, type EeRow } from './inventory.ts'
import { workdir } from './swaps.ts'
import { askWp, tablePrefixOf } from './wp.ts'

/** Throws for parts that the backup has not, or whose names must not become words of a script. */
export function assertParts(manifest: ManifestSummary, parts: BackupParts): void {
  assertTables(manifest, parts)
  for (const table of parts.tables)
    if (!/^[\w$-]{1,64}$/.test(table)) throw new TypeError(`Not the name of a table: ${table}`)
  for (const path of parts.paths) namesBelow(path)
}

/** Names under which `remote/restore-parts.sh` expects tables beside those of the site. */
export const besideNames = ({ id }: SiteRef, { tables }: BackupParts): ReadonlyMap<string, string> =>
  new Map(tables.map((table, number) => [table, `easydash_${id}_new_${number}`]))

/** Parts as `remote/restore-parts.sh` reads them, a line each. */
export const listOf = ({ paths, tables }: BackupParts): AsyncIterable<Buffer> =>
  Readable.from(
    [...paths.map((path) => `path ${encodedPath(path)}\n`), ...tables.map((table) => `table ${table}\n`)].map((line) =>
      Buffer.from(line),
    ),
  )

/** Refuses a backup whose database would not be that of the site's configuration. */
export async function assertSame(
  context: EeContext,
  site: SiteRef,
  { row, manifest }: { readonly row: EeRow; readonly manifest: ManifestSummary },
  signal: AbortSignal,
): Promise<void> {
  const { type, table_prefix: prefix } = manifest
  if (type !== 'wp') return
  if ((networkIn(manifest) !== null) !== (networkOf(row) !== null || (await isConverted(context, site, signal))))
    throw differInNetwork()
  if ((await tablePrefixOf(context, site, workdir, signal)) !== prefix)
    throw new EngineError('conflict', msg`The configuration of the site names other tables than the backup has.`, {
      nextAction: msg`Restore the backup as a new site.`,
    })
}

/** Whether somebody made a network of a site that EasyEngine made as a single one. */
async function isConverted(context: EeContext, site: SiteRef, signal: AbortSignal): Promise<boolean> {
  try {
    return /^(?:1|true)$/im.test(await askWp(context, site, { workdir, args: ['config', 'get', 'MULTISITE'], signal }))
  } catch (error) {
    // It is not defined.
    if (error instanceof EngineError && error.code === 'unavailable') return false
    throw error
  }
}
