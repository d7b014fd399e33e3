/** kill -9 of the server while a site is created; `kill.full.e2e.ts` has the other parts and moments. */
import { expect, test } from '@playwright/test'
import { crashPointName } from '#server/jobs/crash-point.ts'
import { endedJob, leftovers, liveComplaints } from './support/kill-checks.ts'
import { killAndWait, openKillProduct, until } from './support/kill-product.ts'

test.skip(process.platform !== 'linux', 'needs /proc')

test('a site whose creation is killed with the server is Live after the next start, and nothing is left over', async () => {
  const at = await openKillProduct({})
  try {
    await at.stopAt(crashPointName('site.create', 'after-run', 'install'))
    const { site, job } = await at.create('killed')
    await at.stopped()
    // Processes whose parent dies can be attributed to the product only if recorded before.
    await at.product.processes()
    await killAndWait(await at.serverPid())
    await at.product.restart()
    const ended = await until('the end of the job', () => endedJob(at, job))
    expect(ended.status).toBe('Done')
    expect(await liveComplaints(at, site, ended)).toEqual([])
    await expect.poll(() => leftovers(at)).toEqual([])
  } finally {
    await at.close()
  }
})
