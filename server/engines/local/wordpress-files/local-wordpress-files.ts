import { verifyPackages } from '../../wordpress-checksums.ts'
import type { WordPressFiles } from '../../wordpress-files.ts'
import type { LocalContext } from '../local-context.ts'
import { withoutUse } from '../processes/awake-sites.ts'
import { managedRecord, scriptsOf } from '../wordpress/run-script.ts'
import { compareWithOriginal } from './compare.ts'
import { createOriginals } from './originals.ts'

/** Files are read in the site's own process, or by a process that has become the site's user. */
export function createWordPressFiles(context: LocalContext): WordPressFiles {
  return {
    async verifyPackages(site, signal = AbortSignal.timeout(120_000)) {
      const record = managedRecord(context, site)
      const run = scriptsOf({ ...context, awake: withoutUse(context.awake) }, record)
      return verifyPackages(run, createOriginals(context, record, signal), signal)
    },
    compare: async (site, path, signal = AbortSignal.timeout(60_000)) =>
      compareWithOriginal(context, managedRecord(context, site), path, signal),
  }
}
