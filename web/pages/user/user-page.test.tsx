import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { member, renderAs } from '#tests/web/screen.tsx'
import { PathParams } from '#web/lib/routing/route-match.ts'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { UserPage } from './user-page.tsx'

const api = apiServer()

test.each([
  ['rolesandpermission', member.user, '“Role and permission” is not available here'],
  ['settings', 'ann@acme.example', '“Settings” is not available here'],
])('a link to a tab that is not shown says so: #%s', async (hash, user, title) => {
  api.on(':method', () => ({ message: [] }))
  api.on('resource/:doctype/:name', () => ({ data: { name: user, full_name: 'Ann' } }))
  renderAs(
    member,
    <TooltipProvider>
      <PathParams value={{ user: String(user) }}>
        <UserPage />
      </PathParams>
    </TooltipProvider>,
    `/user/${user}#${hash}`,
  )
  expect(await screen.findByText(title)).toBeTruthy()
  expect(screen.getByRole('tab', { name: 'Personal info' }).getAttribute('aria-selected')).toBe('true')
})
