import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { User } from '#shared/doctypes/user.ts'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { PersonalInfoTab } from './personal-info-tab.tsx'
import { SettingsTab } from './settings-tab.tsx'

const api = apiServer()

test('language and time zone are set in one place of the account', async () => {
  const user = {
    ...{ name: owner.user, email: owner.user, first_name: 'Ann', full_name: 'Ann Lee', enabled: 1 },
    ...{ language: 'en', time_zone: 'Europe/Berlin' },
  } as User
  api.on(':method', () => ({ message: [] }))
  api.on('resource/:doctype/:name', () => ({ data: user }))
  renderAs(
    owner,
    <TooltipProvider>
      <PersonalInfoTab user={user} self />
      <SettingsTab user={user} />
    </TooltipProvider>,
  )
  expect(await screen.findByLabelText(/first name/i)).toBeTruthy()
  expect(await screen.findAllByLabelText(/language/i)).toHaveLength(1)
  expect(screen.getAllByLabelText(/time zone/i)).toHaveLength(1)
})
