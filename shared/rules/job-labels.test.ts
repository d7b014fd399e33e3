import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jobLabelMessage } from '../localized-message.ts'
import { labelsWithTitleFirst, labelsWithTitleLast, namedLabel } from './job-labels.ts'

const filled = (id: string, values: readonly string[]): string =>
  // In one go: a name can look like a place.
  id.replace(/\{([01])\}/g, (_, place: string) => values[Number(place)] ?? '')

test.each([...labelsWithTitleFirst, ...labelsWithTitleLast])('%s: the name is a value, whatever it is', (id) => {
  const isFirst = labelsWithTitleFirst.some((one) => one === id)
  fc.assert(
    // Titles are names of sites, which have no spaces.
    fc.property(fc.stringMatching(/^[a-z0-9.-]{1,20}$/), fc.string({ minLength: 1, maxLength: 30 }), (title, name) => {
      const values = isFirst ? [title, name] : [name, title]
      const label = filled(id, values)
      const found = namedLabel(label, title)
      expect(found && filled(found.id, found.values)).toBe(label)
      expect(jobLabelMessage(label, title)).toMatchObject({ text: label, id: found?.id, values: found?.values })
    }),
  )
})

test.each([
  ['Clone blog to shop', 'shop', 'Clone {0} to {1}', ['blog', 'shop']],
  ['Roll blog back to WordPress 6.5.5', 'blog', 'Roll {0} back to WordPress {1}', ['blog', '6.5.5']],
  ['Roll back Hello Dolly on blog', 'blog', 'Roll back {0} on {1}', ['Hello Dolly', 'blog']],
])('%s', (label, title, id, values) => {
  expect(namedLabel(label, title)).toEqual({ id, values })
})

test.each([
  ['Delete blog', 'blog'],
  ['Roll back the push to blog', 'blog'],
  ['Clone  to', 'to'],
])('%s has no name beside the title', (label, title) => {
  expect(namedLabel(label, title)).toBeNull()
})
