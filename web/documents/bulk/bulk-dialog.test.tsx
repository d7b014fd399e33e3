import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { Action } from '#shared/doctype.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { confirmText } from '../actions/action-phrase.ts'
import { isBulkAction } from './bulk-choices.ts'
import { BulkDialog } from './bulk-dialog.tsx'

/** Opens the dialog of an action for two sites; returns its red button. */
function open(
  name: 'archive' | 'backup' | 'delete_permanently',
  label: string,
  title = '',
  withoutFirst = 0,
  sites = ['s1', 's2'],
) {
  const rows = sites.map((site) => ({ name: site, domain: `${site}.test`, title }))
  const { user } = renderAs(
    owner,
    <BulkDialog
      type={SiteDoctype}
      choice={{ name, action: SiteDoctype.actions?.[name], rows, skipped: [], withoutFirst } as never}
      onClose={() => undefined}
      onStarted={() => undefined}
    />,
  )
  return { user, button: () => screen.getByRole<HTMLButtonElement>('button', { name: `${label} (2)` }) }
}

test.each([
  [['s1'], 'The site stops and its files are packed. It can'],
  [['s1', 's2'], 'The sites stop and their files are packed. They can'],
])('the words are right for %j', (sites, words) => {
  open('archive', 'Archive', '', 0, sites)
  expect(screen.getByRole('dialog').textContent).toContain(words)
})

test('no action asks about several as about one', () => {
  const asked = [SiteDoctype, ServerDoctype].flatMap((type) =>
    Object.entries<Action>(type.actions ?? {}).flatMap(([name, action]) => {
      const text = isBulkAction(action) ? confirmText(action, 2) : undefined
      return text === undefined ? [] : [{ name, text }]
    }),
  )
  expect(asked.length).toBeGreaterThan(6)
  expect(asked.filter(({ text }) => /\b(?:the|this) (?:site|server)\b|\bits?\b/i.test(text))).toEqual([])
})

test('what can be undone asks for no number', () => {
  const { button } = open('archive', 'Archive')
  expect(button().disabled).toBe(false)
  expect(screen.queryByRole('textbox')).toBeNull()
})

test('only what people fill in is asked for', () => {
  open('backup', 'Back up')
  expect(screen.getAllByRole('textbox')).toEqual([screen.getByLabelText('Note')])
})

test('sites are called by their titles, with the domains beside them', () => {
  open('archive', 'Archive', 'Journal')
  expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    'Journal s1.test',
    'Journal s2.test',
  ])
})

test('a site without a title is called by its domain, once', () => {
  open('archive', 'Archive')
  expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual(['s1.test', 's2.test'])
})

test.each([
  ['all', 0, true, false, 'Backups stay when a site is deleted.'],
  ['some', 1, false, false, 'Not possible for # of them'],
  ['none', 2, false, true, 'Not possible for these rows now'],
])('a backup first is asked for where it is possible: %s', (_, withoutFirst, checked, disabled, hint) => {
  open('archive', 'Archive', '', withoutFirst)
  const box = screen.getByRole<HTMLInputElement>('checkbox', { name: /^Back up first/ })
  expect([box.checked, box.disabled]).toEqual([checked, disabled])
  expect(screen.getByText(new RegExp(`^${hint.replace('#', '1')}`))).toBeTruthy()
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
