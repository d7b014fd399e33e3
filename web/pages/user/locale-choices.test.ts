import { expect, test } from 'vitest'
import { languageChoices, timeZoneChoices } from './locale-choices.ts'

test('offers complete languages by their own names and keeps what is stored', () => {
  expect(languageChoices('en')).toEqual([{ value: 'en', label: 'English' }])
  expect(languageChoices('de')).toEqual([
    { value: 'en', label: 'English' },
    { value: 'de', label: 'Deutsch' },
  ])
  expect(languageChoices('no tag')).toContainEqual({ value: 'no tag', label: 'no tag' })
})

test('names time zones with their present distance from UTC', () => {
  const zones = timeZoneChoices(null, new Date('2026-07-01T00:00:00Z'))
  expect(zones[0]?.value).toBe('UTC')
  expect(zones).toContainEqual({ value: 'Europe/Berlin', label: 'Europe/Berlin (GMT+2)' })
  expect(zones.find(({ value }) => value === 'America/New_York')?.label).toBe('America/New York (GMT-4)')
  expect(timeZoneChoices('Mars/Base')[0]).toEqual({ value: 'Mars/Base', label: 'Mars/Base' })
})
