import '#tests/web/pseudo-language.ts'
import { expect, test } from 'vitest'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { pseudoText } from '#web/lib/i18n/pseudo-language.ts'
import { valueLabel } from './list-query.ts'

test('the system, who does scheduled work, is named in the user’s language where people are; a text of people is not', () => {
  expect(valueLabel(JobDoctype, 'owner', 'System')).toBe(pseudoText('System'))
  expect(valueLabel(ServerDoctype, '_owner', 'System')).toBe(pseudoText('System'))
  expect(valueLabel(SiteDoctype, 'title', 'System')).toBe('System')
})
