import type { JobDefinition } from '#server/contracts/job.ts'
import type { SitesDeps } from '../deps.ts'
import { settingsJob } from './settings-job.ts'
import { resumeJob, suspendJob } from './suspend-jobs.ts'

/** Jobs about the settings of sites. */
export function settingsJobs(deps: SitesDeps): JobDefinition[] {
  return [
    settingsJob(deps, { type: 'site.set_limits', label: (site) => `Change the PHP limits of ${site}` }),
    settingsJob(deps, { type: 'site.start_debug', label: (site) => `Turn on debug mode of ${site}` }),
    settingsJob(deps, { type: 'site.stop_debug', label: (site) => `Turn off debug mode of ${site}` }),
    settingsJob(deps, { type: 'site.set_protection', label: (site) => `Change the protection of ${site}` }),
    suspendJob(deps),
    resumeJob(deps),
  ]
}
