import type { ComponentType } from 'react'
import { expect, test } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { member, owner, renderAs } from '#tests/web/screen.tsx'
import type { Session } from '#web/lib/session/session.tsx'
import { ServerPage } from './server-page.tsx'
import { ServersPage } from './servers-page.tsx'

apiServer()
const renderPage = (session: Session, Page: ComponentType): HTMLElement => renderAs(session, <Page />).container

test.each([
  ['the list', ServersPage],
  ['a server', ServerPage],
])('%s says who can turn on the servers module', (_name, Page) => {
  const memberView = renderPage(member, Page)
  expect(memberView.textContent).toContain('Its owner can turn it on')
  expect(memberView.querySelector('[href]')).toBeNull()
  const offered = renderPage(owner, Page)
  expect(offered.textContent).toContain('Turn it on in the settings')
  expect(offered.querySelector('[href="/organization#overview"]')).not.toBeNull()
})
