import { expect, it } from 'vitest'
import { createReplacedSids } from './replaced-sids.ts'

it('a replaced sid is known for a minute', () => {
  let at = 0
  const replaced = createReplacedSids(() => at)
  replaced.addHere('old')
  expect([replaced.has('old'), replaced.has('other'), replaced.has(null)]).toEqual([true, false, false])
  at = 60_001
  expect(replaced.has('old')).toBe(false)
})

it('as many logins as anyone can make leave no more than a bounded number behind', () => {
  const replaced = createReplacedSids(() => 0)
  for (let nth = 0; nth < 10_500; nth += 1) replaced.addHere(`sid-${nth}`)
  expect([replaced.has('sid-0'), replaced.has('sid-10499')]).toEqual([false, true])
})
