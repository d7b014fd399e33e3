import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { OrganizationSwitched } from './organization-switched.tsx'

const api = apiServer()
const switchOrganization = 'easydash.easydash.doctype.user_meta.user_meta.switch_organization'

test('the dialog is rendered without loading any code, because a failed import would look like an answer', async () => {
  api.on(switchOrganization, () => ({ message: null }))
  const organizations = [...owner.organizations, { name: 'other', title: 'Other', role: 'Organization User' as const }]
  const { user } = renderAs({ ...owner, organizations }, <OrganizationSwitched to="other" />)
  expect(screen.getByRole('alertdialog').textContent).toContain('You work in Other now')
  expect(api.calls).toEqual([])
  await user.click(screen.getByRole('button', { name: 'Back to Acme' }))
  await waitFor(() => expect(api.calls).toMatchObject([{ name: switchOrganization, body: { organization: 'acme' } }]))
})
