import type { StepContext } from '../engine.ts'
import type { ManifestFile } from '../site-manifest.ts'
import type { SiteRef } from '../site-ref.ts'
import { packedArchive } from './backups.ts'
import type { EeContext } from './ee-context.ts'
import { dumpedDatabase, packedFiles } from './known-content.ts'
import { createEeServices } from './services.ts'
import { contentNow, keepContent, noteSource } from './staging-content.ts'
import { dumpIn, manifestIn } from './unpack-archive.ts'

/** Makes a copy that is ready a staging site: keeps what both sites are like on its server, and has its email caught. */
export async function becomeStaging(
  context: EeContext,
  source: SiteRef,
  staging: SiteRef,
  step: StepContext,
): Promise<void> {
  const archive = packedArchive(context, staging)
  const files: ManifestFile[] = []
  const { manifest } = await manifestIn(archive, (file) => void files.push(file))
  const isWordPress = manifest.type === 'wp'
  const base = {
    files: packedFiles(files, isWordPress ? 'wp-config.php' : null),
    database: isWordPress ? await dumpedDatabase(dumpIn(archive), manifest.table_prefix ?? 'wp_') : null,
  }
  await keepContent(context, staging, 'base', base, step.signal)
  await keepContent(context, staging, 'start', await contentNow(context, staging, staging, step), step.signal)
  await noteSource(context, staging, source, step.signal)
  if (staging.siteType !== 'html') await createEeServices(context).setMailCatcher(staging, true)
  step.log('Kept what both sites are like now')
}
