import { screen } from '@testing-library/react'
import { useLocation } from 'react-router'
import { expect, test } from 'vitest'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { routes } from '#web/routes.tsx'
import { ScreensProvider } from './frame/screens.tsx'
import { useShellKeys } from './use-shell-keys.ts'

function Place() {
  useShellKeys({ toggleSidebar: () => undefined, search: () => undefined })
  return <output>{useLocation().pathname}</output>
}

test.each([
  [true, '/server'],
  [false, '/'],
])('with the servers module %s, G V leads to %s', async (ee, path) => {
  const session = { ...owner, modules: { ee, wpc: false } }
  const { user } = renderAs(
    session,
    <ScreensProvider routes={routes}>
      <Place />
    </ScreensProvider>,
    '/',
  )
  await user.keyboard('gv')
  expect(screen.getByRole('status').textContent).toBe(path)
  await user.keyboard('gs')
  expect(screen.getByRole('status').textContent).toBe('/site')
})
