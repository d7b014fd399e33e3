import type { ComponentType } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test, vi } from 'vitest'
import { MemoryRouter } from 'react-router'
import type * as SessionModule from '#web/lib/session/session.tsx'
import { signedOut, type OrganizationRole, type Session } from '#web/lib/session/session.tsx'
import { ServerPage } from './server-page.tsx'
import { ServersPage } from './servers-page.tsx'

const { useSession } = vi.hoisted(() => ({ useSession: vi.fn<() => Session>() }))
vi.mock('#web/lib/session/session.tsx', async (original) => ({
  ...(await original<typeof SessionModule>()),
  useSession,
}))

function drawn(role: OrganizationRole, owner: boolean, Page: ComponentType): string {
  const organization = { name: 'acme', title: 'Acme', role, owner }
  useSession.mockReturnValue({ ...signedOut, user: 'ann@acme.example', verified: true, organization })
  return renderToStaticMarkup(
    <MemoryRouter>
      <Page />
    </MemoryRouter>,
  )
}

test.each([
  ['the list', ServersPage],
  ['a server', ServerPage],
])('%s says who can switch the module of servers on', (_name, Page) => {
  const member = drawn('Organization User', false, Page)
  expect(member).toContain('Its owner can switch it on')
  expect(member).not.toContain('href')
  const owner = drawn('Organization Admin', true, Page)
  expect(owner).toContain('Switch it on in the settings')
  expect(owner).toContain('/organization#overview')
})
