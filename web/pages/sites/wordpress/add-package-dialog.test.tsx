import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { Site } from '#shared/doctypes/site.ts'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { AddPackageDialog } from './add-package-dialog.tsx'

const api = apiServer()
const site = { name: 's1', domain: 'blog', status: 'Live', server: 'srv' } as Site
const open = (changes: Partial<Site>) =>
  renderAs(owner, <AddPackageDialog site={{ ...site, ...changes }} type="plugin" onClose={() => undefined} />)

test('while a job holds the site, which has to check a file, a plugin is added by its name only', async () => {
  api.on('run_doc_method', () => ({ message: { job: 'job2' } }))
  const { user } = open({ locked_by_job: 'job1', status: 'Updating' })
  expect(screen.getByText(/when the job that is in progress has ended/)).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Choose a ZIP file…' })).toBeNull()
  await user.type(screen.getByLabelText(/Name on wordpress.org/), 'akismet')
  await user.click(screen.getByRole('button', { name: 'Install' }))
  await waitFor(() => expect(api.calls.map(({ body }) => body['method'])).toContain('install_plugin'))
})

test('without a job, a file is taken', () => {
  open({})
  expect(screen.getByRole('button', { name: 'Choose a ZIP file…' })).toBeTruthy()
})
