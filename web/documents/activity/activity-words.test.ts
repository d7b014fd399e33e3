import { expect, it } from 'vitest'
import { doctypes } from '#shared/doctypes/registry.ts'
import { activityTitle, activityWords } from './activity-words.ts'

it('has words for whatever a described document can leave in the log', () => {
  const keys = doctypes.flatMap(({ name, track_activity: tracked, actions = {} }) => [
    ...(tracked === false ? [] : ['insert', 'update', 'delete'].map((verb) => `${name}.${verb}`)),
    ...Object.entries(actions)
      .filter(([, { reads }]) => !reads)
      .map(([action]) => `${name}.${action}`),
  ])
  expect(keys.filter((key) => activityWords(key).endsWith(')'))).toEqual([])
})

it('says a key of another release by its own words', () => {
  expect(activityWords('Site.paint_blue')).toBe('paint blue (site)')
  expect(activityTitle('Site.paint_blue')).toBe('Paint blue (site)')
  expect(activityTitle('Member Invite.accept')).toBe('Accepted an invitation')
})
