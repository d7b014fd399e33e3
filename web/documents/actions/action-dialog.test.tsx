import { screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import type { Action, AnyDoc } from '#shared/doctype.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { ActionDialog } from './action-dialog.tsx'

const api = apiServer()
const doc = { name: 's1', doctype: 'Site', domain: 'blog', status: 'Live' } as unknown as AnyDoc

test('a name is typed before an action that also asks for something, and both are sent', async () => {
  api.on('run_doc_method', () => ({ message: { job: 'job1' } }))
  const onClose = vi.fn()
  const pending = { doc, name: 'archive', action: SiteDoctype.actions?.['archive'] as Action }
  const { user } = renderAs(owner, <ActionDialog type={SiteDoctype} pending={pending} onClose={onClose} />)
  const archive = screen.getByRole('button', { name: 'Archive' })
  await user.click(screen.getByRole('checkbox', { name: /^Back up first/ }))
  await user.click(archive)
  expect(api.calls.filter(({ name }) => name === 'run_doc_method')).toEqual([])
  await user.type(screen.getByLabelText('Type blog to confirm'), 'blog')
  await user.click(archive)
  await waitFor(() => expect(onClose).toHaveBeenCalled())
  expect(api.calls.find(({ name }) => name === 'run_doc_method')?.body).toMatchObject({
    method: 'archive',
    args: { backup: 1, confirm_name: 'blog' },
  })
})
