import type { Db } from './documents/types.ts'
import { verifyChains } from './features/activity/chain.ts'

/** Proves every chain of the activity log and says what was found, a line each. Returns whether all of them fit. */
export async function verifyAudit(db: Db, say: (line: string) => void): Promise<boolean> {
  let intact = true
  await verifyChains(db, ({ chain, fitting, lastHash, problem }) => {
    intact &&= problem === null
    const subject = chain === '' ? 'platform' : chain
    const entries = `${fitting} ${fitting === 1 ? 'entry fits' : 'entries fit'}`
    say(problem === null ? `✓ ${subject}: ${entries}, last hash ${lastHash}` : `✗ ${subject}: ${problem}; ${entries}`)
  })
  say(
    intact ? 'The activity log is whole.' : 'The activity log was tampered with. The first broken link is named above.',
  )
  return intact
}
