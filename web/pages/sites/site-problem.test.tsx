import { render } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { Site } from '#shared/doctypes/site.ts'
import { hoursAgo } from '#tests/web/hours-ago.ts'
import { ProblemTimes } from '#web/documents/values/problem.tsx'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { siteProblem } from './site-problem.ts'

/** The times of a site that is down for six hours, and was last checked now. */
const timesOf = (values: Partial<Site>) => {
  const site = { failure_since: hoursAgo(6), health_checked_at: hoursAgo(0), ...values }
  const times = (
    <TooltipProvider>
      <ProblemTimes {...siteProblem(site)} />
    </TooltipProvider>
  )
  // Without the exact times.
  return render(times).container.textContent.replaceAll(/ \(.*?\)/g, '')
}

test('a site that is down was last in contact when it last answered, not when it was last checked', () => {
  expect(timesOf({ last_answer_at: hoursAgo(7) })).toBe('Since 6 hours agoLast contact 7 hours ago')
})

test('says nothing about a last contact that was not recorded, and that there was none before the first check', () => {
  expect(timesOf({ last_answer_at: null })).toBe('Since 6 hours ago')
  expect(timesOf({ last_answer_at: null, health_checked_at: null })).toBe('Since 6 hours agoNo contact so far')
})
