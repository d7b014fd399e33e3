import '#tests/web/pseudo-language.ts'
import { expect, test } from 'vitest'
import { ActivityDoctype } from '#shared/doctypes/activity.ts'
import { pseudoText } from '#web/lib/i18n/pseudo-language.ts'
import { describeFilter, valueLabel } from './list-query.ts'

const label = (value: string) => valueLabel(ActivityDoctype, 'reference_doctype', value)

test('types of targets are named as elsewhere on the screen, in the user’s language', () => {
  expect(['DocShare', 'Member Invite', 'Organization Member', 'API Token'].map(label)).toEqual(
    ['Shares', 'Invitations', 'Members', 'API tokens'].map(pseudoText),
  )
})

test('the chip of a filter of target types names them in the same way', () => {
  expect(describeFilter(ActivityDoctype, ['reference_doctype', 'in', ['DocShare', 'Site']])).toEqual({
    field: pseudoText('Target type'),
    operator: pseudoText('in'),
    value: `${pseudoText('Shares')}, ${pseudoText('Sites')}`,
  })
})
