import { expect, test } from 'vitest'
import { timeZoneChoices } from '#web/lib/i18n/time-zone-choices.ts'
import { languageChoices } from './locale-choices.ts'

test('offers complete languages by their own names and keeps the stored one', () => {
  expect(languageChoices('en')).toEqual([{ value: 'en', label: 'English' }])
  expect(languageChoices('de')).toEqual([
    { value: 'en', label: 'English' },
    { value: 'de', label: 'Deutsch' },
  ])
  expect(languageChoices('no tag')).toContainEqual({ value: 'no tag', label: 'no tag' })
})

test('offers the browser’s time zones and keeps an unknown stored one', () => {
  const zones = timeZoneChoices('Europe/Berlin')
  expect(zones[0]).toEqual({ value: 'UTC', label: 'UTC' })
  expect(zones).toContainEqual({ value: 'America/New_York', label: 'America/New York' })
  expect(zones.filter(({ value }) => value === 'Europe/Berlin')).toHaveLength(1)
  expect(zones).toContainEqual({ value: 'Asia/Kolkata', label: 'Asia/Kolkata' })
  expect(zones.map(({ label }) => label)).not.toContain('Asia/Calcutta')
  const former = timeZoneChoices('Asia/Calcutta')
  expect(former.filter(({ label }) => label === 'Asia/Kolkata')).toEqual([
    { value: 'Asia/Calcutta', label: 'Asia/Kolkata' },
  ])
  expect(timeZoneChoices('Mars/Base')[0]).toEqual({ value: 'Mars/Base', label: 'Mars/Base' })
})
