import { expect, it } from 'vitest'
import { doctypes } from '#shared/doctypes/registry.ts'
import { activityTitle, actionText, withDetail } from './activity-text.ts'

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

it('continues with the detail of an entry, in the user’s language if it has parts', () => {
  const detail = { detail: 'with mia@acme.example (Can edit)', detail_i18n: null }
  expect(withDetail(actionText('Site.share'), detail)).toBe('shared the site with mia@acme.example (Can edit)')
  expect(withDetail(activityTitle('Site.share'), {})).toBe('Shared the site')
})

it('words a denied look by the label of its action, and ends without a colon where there is no detail', () => {
  expect(actionText('Site.list_shares')).toBe('asked for “Shared with”')
  expect(withDetail(actionText('Site.run_sql'), { detail: null })).toBe('ran an SQL statement on the site')
  expect(withDetail(actionText('Site.run_sql'), { detail: 'SELECT' })).toBe('ran an SQL statement on the site: SELECT')
})
