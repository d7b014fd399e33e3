import { expect, it } from 'vitest'
import { doctypes } from '#shared/doctypes/registry.ts'
import { activityTitle, actionText } from './activity-text.ts'

it('has a text for every activity that a doctype can log', () => {
  const keys = doctypes.flatMap(({ name, track_activity: tracked, actions = {} }) => [
    ...(tracked === false ? [] : ['insert', 'update', 'delete'].map((verb) => `${name}.${verb}`)),
    ...Object.entries(actions)
      .filter(([, { reads }]) => !reads)
      .map(([action]) => `${name}.${action}`),
  ])
  expect(keys.filter((key) => actionText(key).endsWith(')'))).toEqual([])
})

it('shows an unknown key of another release as its own words', () => {
  expect(actionText('Site.paint_blue')).toBe('paint blue (site)')
  expect(activityTitle('Site.paint_blue')).toBe('Paint blue (site)')
  expect(activityTitle('Member Invite.accept')).toBe('Accepted an invitation')
})
