import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { BulkDialog } from './bulk-dialog.tsx'

/** Opens the dialog of an action for two sites; returns its red button. */
function open(name: 'archive' | 'backup' | 'delete_permanently', label: string, title = '') {
  const rows = ['s1', 's2'].map((site) => ({ name: site, domain: `${site}.test`, title }))
  const { user } = renderAs(
    owner,
    <BulkDialog
      type={SiteDoctype}
      choice={{ name, action: SiteDoctype.actions?.[name], rows, skipped: [] } as never}
      onClose={() => undefined}
      onStarted={() => undefined}
    />,
  )
  return { user, button: () => screen.getByRole<HTMLButtonElement>('button', { name: `${label} (2)` }) }
}

test('what can be undone asks for no number', () => {
  const { button } = open('archive', 'Archive')
  expect(button().disabled).toBe(false)
  expect(screen.queryByRole('textbox')).toBeNull()
})

test('only what people fill in is asked for', () => {
  open('backup', 'Back up')
  expect(screen.getAllByRole('textbox')).toEqual([screen.getByLabelText('Note')])
})

test('sites of the same title are told apart by their domains', () => {
  open('archive', 'Archive', 'Journal')
  expect(screen.getByText('Journal (s1.test), Journal (s2.test)')).toBeTruthy()
})

test('the red button is off until the number of rows is typed exactly', async () => {
  const { user, button } = open('delete_permanently', 'Delete permanently')
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
