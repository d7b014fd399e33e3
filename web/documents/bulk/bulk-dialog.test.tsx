import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { BulkDialog } from './bulk-dialog.tsx'

test('the red button is off until the number of rows is typed exactly', async () => {
  const rows = ['s1', 's2'].map((name) => ({ name, domain: `${name}.test` }))
  const action = SiteDoctype.actions?.archive
  if (!action) throw new Error('There is no action to archive.')
  const { user } = renderAs(
    owner,
    <BulkDialog
      type={SiteDoctype}
      choice={{ name: 'archive', action, rows, skipped: [] } as never}
      onClose={() => undefined}
      onStarted={() => undefined}
    />,
  )
  const button = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Archive (2)' })
  const field = screen.getByLabelText('Type 2 to confirm')
  expect(button().disabled).toBe(true)
  for (const wrong of ['1', '22', '2 ']) {
    await user.clear(field)
    await user.type(field, `${wrong}`)
    expect(button().disabled).toBe(true)
  }
  await user.type(field, '{Enter}')
  expect(screen.getByText('Type the number 2.')).toBeTruthy()
  await user.clear(field)
  await user.type(field, '2')
  expect(button().disabled).toBe(false)
})
