import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { JobLog } from './job-log.tsx'

const api = apiServer()

async function setup(texts: readonly string[]) {
  const lines = texts.map((text, n) => ({ n: n + 1, at: `2026-11-21 14:00:0${n}.000000`, text }))
  api.on('easydash.easydash.doctype.server_logs.server_logs.get_job_logs', ({ body }) => ({
    message: { lines: body['cursor'] ? [] : lines, cursor: lines.length, done: true },
  }))
  const rendered = renderAs(owner, <JobLog job="j1" label="Clone" written={lines.length} ended />)
  await screen.findAllByText(texts[0] ?? '')
  return rendered
}
const shown = () =>
  [...screen.getByRole('region', { name: 'Log' }).querySelectorAll('[translate="no"]')].map(
    ({ textContent }) => textContent,
  )

test('the log of a job can be seen by level', async () => {
  const { user } = await setup(['Copied 10 files', 'Warning: a link was left out', 'Error: no room', 'Done'])
  const levels = within(screen.getByRole('group', { name: 'Levels' }))
  expect(levels.getAllByRole('button').map(({ textContent }) => textContent)).toEqual(['Errors1', 'Warnings1', 'Info2'])
  await user.click(levels.getByRole('button', { name: /Errors/ }))
  expect(shown()).toEqual(['Error: no room'])
  await user.click(levels.getByRole('button', { name: /Warnings/ }))
  expect(shown()).toEqual(['Warning: a link was left out', 'Error: no room'])
  await user.click(levels.getByRole('button', { name: /Errors/ }))
  await user.click(levels.getByRole('button', { name: /Warnings/ }))
  expect(shown()).toHaveLength(4)
})

test('repeats are folded on request into the latest, with their number', async () => {
  const { user } = await setup(['The site does not answer.', 'Looking', 'The site does not answer.'])
  expect(shown()).toHaveLength(3)
  await user.click(screen.getByRole('switch', { name: 'Fold repeats' }))
  expect(shown()).toEqual(['Looking', '2×The site does not answer.'])
  expect(screen.getByTitle(/^2 times since /)).toBeTruthy()
})

test('a log without levels and repeats has neither', async () => {
  await setup(['Copied 10 files', 'Done'])
  expect(screen.queryByRole('group', { name: 'Levels' })).toBeNull()
  expect(screen.queryByRole('switch', { name: 'Fold repeats' })).toBeNull()
})
