import { expect, test } from 'vitest'
import { siteUrgency } from './site-attention.ts'

test('the most urgent state of a site counts; an archived one needs nothing', () => {
  const states = [
    [5, { status: 'Live', health: 'Down', wordpress_checksum: 'Modified' }],
    [4, { status: 'Failed', health: 'Not Checked' }],
    [3, { status: 'Live', health: 'Asleep', wordpress_checksum: 'Modified' }],
    [2, { status: 'Suspended', health: 'Up' }],
    [1, { status: 'Live', health: 'Up', wordpress_health: 'Needs Attention' }],
    [0, { status: 'Live', health: 'Up', wordpress_checksum: 'Verified' }],
    [0, { status: 'Archived', health: 'Down', wordpress_checksum: 'Modified' }],
  ] as const
  for (const [urgency, state] of states) expect([state, siteUrgency(state)]).toEqual([state, urgency])
})
