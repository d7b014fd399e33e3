import type { WordPressFiles } from '../../wordpress-files.ts'
import type { LocalContext } from '../local-context.ts'
import { withoutUse } from '../processes/awake-sites.ts'
import { managedRecord } from '../wordpress/run-script.ts'
import { compareWithOriginal } from './compare.ts'
import { verifyPackages } from './verify-packages.ts'

/** Files are read in the site's own process, or by a process that has become the site's user. */
export function createWordPressFiles(context: LocalContext): WordPressFiles {
  return {
    verifyPackages: async (site, signal = AbortSignal.timeout(120_000)) =>
      verifyPackages({ ...context, awake: withoutUse(context.awake) }, managedRecord(context, site), signal),
    compare: async (site, path, signal = AbortSignal.timeout(60_000)) =>
      compareWithOriginal(context, managedRecord(context, site), path, signal),
  }
}
