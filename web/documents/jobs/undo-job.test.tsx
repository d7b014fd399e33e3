import { act, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { dataClient, refetch } from '#web/lib/api/data-client.ts'
import { docKey } from '#web/lib/api/data-keys.ts'
import { endReadyUndo, keepReadyUndo } from '../actions/undo-store.ts'
import { UndoJob } from './undo-job.tsx'

const api = apiServer()
let php_version = '8.4'
const undo = { action: 'set_php_version', args: { php_version: '8.3' }, fields: ['php_version'] }

beforeEach(() => {
  php_version = '8.4'
  dataClient.clear()
  api.on('resource/Site/s1', () => ({ data: { name: 's1', status: 'Live', php_version } }))
  api.on('run_doc_method', () => ({ message: { job: 'j2' } }))
  keepReadyUndo({
    offer: { type: SiteDoctype, name: 's1', undo, job: 'php' },
    left: Promise.resolve({ php_version: '8.4' }),
  })
})
afterEach(() => act(() => endReadyUndo('php')))

test('the drawer of a job undoes it once, by the keyboard, too', async () => {
  const { user } = renderAs(owner, <UndoJob job="php" />)
  await screen.findByRole('button', { name: 'Undo' })
  await user.tab()
  await user.keyboard('{Enter}')
  await waitFor(() =>
    expect(api.calls.find(({ name }) => name === 'run_doc_method')?.body).toMatchObject({
      method: 'set_php_version',
      args: { php_version: '8.3' },
    }),
  )
  expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull()
})

test('it offers nothing once the value was changed, nor in the drawer of another job', async () => {
  renderAs(owner, <UndoJob job="php" />)
  await screen.findByRole('button', { name: 'Undo' })
  php_version = '8.5'
  await act(() => refetch(docKey('Site', 's1')))
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull())
  renderAs(owner, <UndoJob job="other" />)
  expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull()
})
