/**
 * A backup of a default site, and its proof with the picture of the homepage: clicked to the end. The product's limits (5 s, 15 s) assume
 * an idle machine.
 */
import type { Figure } from '../../scripts/bench-run.ts'
import type { SiteBackup } from '#shared/doctypes/site-backup.ts'
import type { Job } from '#shared/doctypes/job.ts'
import { startProduct } from '#tests/e2e/support/harness.ts'
import {
  allAsleep,
  benchSettings,
  createWordPress,
  finished,
  median,
  signUpOwner,
  siteAction,
  timed,
  type BenchOwner,
} from './bench-product.ts'

/** Figures of one WordPress site, asleep before each backup. */
export async function bench(): Promise<Figure[]> {
  const product = await startProduct({
    env: { EASYDASH_RATE_LIMITS: benchSettings.EASYDASH_RATE_LIMITS, EASYDASH_SITE_IDLE_MINUTES: '0.05' },
  })
  try {
    const owner = await signUpOwner(product)
    const site = await createWordPress(owner, 'backed')
    const rounds: { backup: number; proof: number }[] = []
    for (let round = 0; round < 4; round += 1) {
      await allAsleep(product)
      rounds.push(await backedUp(owner, site))
    }
    const [first, ...later] = rounds
    return [
      { name: 'backup, the first one', value: (first?.backup ?? 0) / 1000, unit: 's (5)' },
      {
        name: 'backup of what changed, median of 3',
        value: median(later.map(({ backup }) => backup)) / 1000,
        unit: 's (5)',
      },
      {
        name: 'proof with its picture, median of 4',
        value: median(rounds.map(({ proof }) => proof)) / 1000,
        unit: 's (15)',
      },
    ]
  } finally {
    await product.close()
  }
}

/** Milliseconds of a backup and of its proof, which begins when the backup has ended. Fails unless it is Proven and has a picture. */
async function backedUp(owner: BenchOwner, site: string): Promise<{ backup: number; proof: number }> {
  const db = owner.browser.app.db()
  let made = ''
  const backup = await timed(async () => {
    const { name, job } = await siteAction<{ name: string; job: string }>(owner, site, 'backup')
    made = name
    await finished(owner.browser, job)
  })
  const proof = await timed(async () => {
    const [job] = await db.getDocList<Job>('Job', { filters: [['reference_name', '=', made]], fields: ['name'] })
    await finished(owner.browser, job?.name ?? '')
  })
  const seen = await db.getDoc<SiteBackup>('Site Backup', made)
  if (seen.proof !== 'Proven' || seen.thumbnail === null)
    throw new Error(`The backup is ${String(seen.proof)}: ${JSON.stringify(seen.proof_detail)}`)
  return { backup, proof }
}
