import { cleanup, screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import type { Action, AnyDoc } from '#shared/doctype.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { ActionDialog } from './action-dialog.tsx'

const api = apiServer()
const doc = { name: 's1', doctype: 'Site', domain: 'blog', status: 'Live' } as unknown as AnyDoc

/** Opens the dialog of an action, ticks or types in it, confirms, and returns what was sent. */
async function confirmed(
  name: 'archive' | 'delete_permanently',
  fill: (user: ReturnType<typeof renderAs>['user']) => Promise<void>,
  values: object = {},
) {
  api.on('run_doc_method', () => ({ message: { job: 'job1' } }))
  const onClose = vi.fn()
  const action = SiteDoctype.actions?.[name] as Action
  const { user } = renderAs(
    owner,
    <ActionDialog type={SiteDoctype} pending={{ doc: { ...doc, ...values }, name, action }} onClose={onClose} />,
  )
  expect(screen.getByRole('alertdialog')).toBeTruthy()
  await fill(user)
  await user.click(screen.getByRole('button', { name: action.label }))
  await waitFor(() => expect(onClose).toHaveBeenCalled())
  return api.calls.findLast(({ name: called }) => called === 'run_doc_method')?.body
}

const backUpFirst = () => screen.getByRole<HTMLInputElement>('checkbox', { name: /^Back up first/ })

test('archiving, which can be undone, is one question, with a backup before unless it is turned off', async () => {
  const sent = await confirmed('archive', async () => {
    expect(screen.queryByRole('textbox')).toBeNull()
    expect(backUpFirst().checked).toBe(true)
  })
  expect(sent).toMatchObject({ method: 'archive', args: { backup: 1 } })
  cleanup()
  expect(await confirmed('archive', (user) => user.click(backUpFirst()))).toMatchObject({ args: { backup: 0 } })
})

test.each([
  [{ status: 'Suspended' }, {}, 'Available when the status is Live; it is Suspended now'],
  [{ server: 'srv' }, { backup: { supported: false, reason: 'No room for it.' } }, 'No room for it.'],
])('a backup that is not possible is off and says why: %j', async (values, capabilities, reason) => {
  api.on('easydash.api.engine.capabilities', () => ({ message: { capabilities } }))
  const sent = await confirmed(
    'archive',
    async (user) => {
      expect(await screen.findByText(reason)).toBeTruthy()
      expect([backUpFirst().checked, backUpFirst().disabled]).toEqual([false, true])
      await user.click(backUpFirst())
    },
    values,
  )
  expect(sent).toMatchObject({ method: 'archive', args: { backup: 0 } })
})

test('the name is typed before a site is deleted', async () => {
  const sent = await confirmed('delete_permanently', async (user) => {
    expect(screen.getByRole('alertdialog', { name: 'Permanently delete blog?' })).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Delete permanently' }))
    expect(api.calls.filter(({ name }) => name === 'run_doc_method')).toEqual([])
    await user.type(screen.getByLabelText('Type blog to confirm'), 'blog')
  })
  expect(sent).toMatchObject({ method: 'delete_permanently', args: { confirm_name: 'blog' } })
})
