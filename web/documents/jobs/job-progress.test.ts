import { describe, expect, it } from 'vitest'
import type { JobStep } from '#shared/doctypes/job.ts'
import { currentStep, elapsedSeconds, jobEnded, progressAnnouncement, formatUsualDuration } from './job-progress.ts'
import { appendLines, lineTone, logText } from './log-lines.ts'

const step = (key: string, status: JobStep['status']): JobStep => ({
  key,
  label: key,
  status,
  started: null,
  ended: null,
  percent: 0,
  weight: 1,
})

describe('job progress', () => {
  it('selects the running or failed step, otherwise the next one', () => {
    expect(currentStep([step('a', 'Done'), step('b', 'Running'), step('c', 'Waiting')])?.key).toBe('b')
    expect(currentStep([step('a', 'Done'), step('b', 'Failed'), step('c', 'Waiting')])?.key).toBe('b')
    expect(currentStep([step('a', 'Done'), step('b', 'Waiting')])?.key).toBe('b')
    expect(currentStep([step('a', 'Done')])).toBeNull()
  })

  it('counts from the stored start to the stored end, or until now', () => {
    const started = '2025-11-20 10:00:00.000000'
    expect(elapsedSeconds({ started, ended: '2025-11-20 10:01:30.500000' }, 0)).toBe(90.5)
    expect(elapsedSeconds({ started, ended: null }, Date.UTC(2025, 10, 20, 10, 0, 7))).toBe(7)
    expect(elapsedSeconds({ started, ended: null }, Date.UTC(2025, 10, 20, 9, 0, 0))).toBe(0)
    expect(elapsedSeconds({ started: null }, 5)).toBeNull()
  })

  it('rounds the usual duration', () => {
    expect([
      formatUsualDuration(null),
      formatUsualDuration(0),
      formatUsualDuration(4.4),
      formatUsualDuration(75),
      formatUsualDuration(121),
      formatUsualDuration(150),
    ]).toEqual([null, null, 'usually 4 s', 'usually 75 s', 'usually 2 min', 'usually 2–3 min'])
  })

  it('announces steps and the end, but no percentages', () => {
    const steps = [step('Copy files', 'Running'), step('Start PHP', 'Waiting')]
    expect(progressAnnouncement({ status: 'Running', label: 'Create blog', steps })).toBe('Step 1 of 2: Copy files')
    expect(progressAnnouncement({ status: 'Done', label: 'Create blog', steps: [] })).toBe('Create blog: done')
  })

  it('a job that lost contact has not ended', () => {
    expect(
      (['Queued', 'Running', 'Cancelling', 'Lost Contact', 'Done', 'Failed', 'Cancelled'] as const).map((status) =>
        jobEnded({ status }),
      ),
    ).toEqual([false, false, false, false, true, true, true])
  })
})

describe('log lines', () => {
  const line = (n: number, text = 'x') => ({ n, at: '2025-11-20 10:00:00.000000', text })

  it('are deduplicated', () => {
    const first = appendLines([], [line(1), line(2)])
    expect(appendLines(first, [line(2), line(3)]).map(({ n }) => n)).toEqual([1, 2, 3])
    expect(appendLines(first, [line(1)])).toBe(first)
  })

  it('are colored by their first word', () => {
    expect(['$ wp core install', 'Error: x', 'Warning: x', 'Success: x', 'Copying'].map(lineTone)).toEqual([
      'command',
      'error',
      'warning',
      'good',
      'plain',
    ])
  })

  it('are saved with timestamps', () => {
    expect(logText([line(1, 'a'), line(2, 'b')])).toBe('2025-11-20 10:00:00 a\n2025-11-20 10:00:00 b')
  })
})
