/**
 * Backups of default sites, and their proofs with the picture of the homepage: clicked to the end, with sites that are asleep. The product's
 * limits (5 s, 15 s) assume an idle machine; the creation of a site, which takes 5.3 s there, is what they are compared with elsewhere.
 */
import type { Figure } from '../../scripts/bench-run.ts'
import { startProduct } from '#tests/e2e/support/harness.ts'
import {
  allAsleep,
  backedUp,
  benchSettings,
  createWordPress,
  finished,
  median,
  signUpOwner,
  timed,
  visit,
} from './bench-product.ts'

/** Figures of three sites, each backed up twice: the first time as a whole, then what changed. The first one is opened as a site, too. */
export async function bench(): Promise<Figure[]> {
  const product = await startProduct({
    env: { EASYDASH_RATE_LIMITS: benchSettings.EASYDASH_RATE_LIMITS, EASYDASH_SITE_IDLE_MINUTES: '0.05' },
  })
  try {
    const owner = await signUpOwner(product)
    const creations: number[] = []
    const first: number[] = []
    const later: number[] = []
    const proofs: number[] = []
    const openings: number[] = []
    for (let round = 0; round < 3; round += 1) {
      let site = ''
      creations.push(await timed(async () => void (site = await createWordPress(owner, `new-${round}`))))
      for (const backups of [first, later]) {
        await allAsleep(product)
        const { backup, proof, made } = await backedUp(owner, site, timed)
        if (made.thumbnail === null) throw new Error('The proof took no picture.')
        backups.push(backup)
        proofs.push(proof)
        if (backups !== first) continue
        openings.push(
          await timed(async () => {
            const call = { dt: 'Site Backup', dn: made.name, method: 'open', args: '{}' }
            const opened = await owner.browser.app
              .call()
              .post<{ message: { job: string; url: string } }>('run_doc_method', call)
            await finished(owner.browser, opened.message.job)
            const name = new URL(opened.message.url).hostname.replace(/\.localhost$/, '')
            const { status } = await visit(product, name, '/')
            if (status !== 200) throw new Error(`The opened backup answered ${status}.`)
          }),
        )
      }
    }
    const created = median(creations)
    const figures = (name: string, list: readonly number[], seconds: number, limit: number): Figure[] => [
      { name: `${name}, median`, value: median(list) / 1000, unit: `s (${seconds})` },
      { name: `${name} / creation of a site`, value: median(list) / created, unit: 'ratio', limit },
    ]
    return [
      { name: 'creation of a site, median', value: created / 1000, unit: 's' },
      ...figures('first backup', first, 5, 1.1),
      ...figures('backup of what changed', later, 5, 1.1),
      ...figures('proof with its picture', proofs, 15, 2.8),
      ...figures('a backup opens, until its homepage is there', openings, 20, 3.7),
    ]
  } finally {
    await product.close()
  }
}
