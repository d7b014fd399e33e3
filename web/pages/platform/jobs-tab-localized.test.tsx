import '#tests/web/pseudo-language.ts'
import { screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import type { PlatformJob } from '#shared/responses/platform.ts'
import { jobStatuses } from '#shared/rules/job-statuses.ts'
import { apiServer } from '#tests/web/api.ts'
import { sampleTime } from '#tests/web/sample.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { pseudoText } from '#web/lib/i18n/pseudo-language.ts'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { JobsTab } from './jobs-tab.tsx'
import { platformMethod } from './methods.ts'

const api = apiServer()

const job = (name: string, startedBy: string): PlatformJob => ({
  name,
  organization: 'acme',
  job_type: 'site.check',
  label: null,
  status: 'Done',
  percent: null,
  reference_doctype: null,
  reference_name: null,
  reference_title: null,
  attempt: null,
  owner: startedBy,
  creation: sampleTime,
  started: null,
  ended: null,
  error_code: null,
  error_message: null,
  error_message_i18n: null,
  next_action: null,
  next_action_i18n: null,
})

test('who started a job is an address, or the system by its name in the user’s language', async () => {
  // The column is one of wide windows.
  const unchanging = (): void => undefined
  const wide = { matches: true, addEventListener: unchanging, removeEventListener: unchanging }
  vi.stubGlobal('matchMedia', () => wide)
  const counts = Object.fromEntries(jobStatuses.map((status) => [status, 0]))
  const jobs = [job('j1', 'System'), job('j2', 'ann@acme.example')]
  api.on(platformMethod('jobs'), () => ({ message: { jobs, total: 2, counts } }))
  renderAs(
    { ...owner, platformAdmin: true },
    <TooltipProvider>
      <JobsTab />
    </TooltipProvider>,
  )
  expect(await screen.findByText(pseudoText('System'))).toBeTruthy()
  expect(screen.getByText('ann@acme.example')).toBeTruthy()
  expect(screen.queryByText('System')).toBeNull()
})
