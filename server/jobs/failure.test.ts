import { say } from '#shared/sentence.ts'
import { rename, stat } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { EngineError } from '#server/engines/engine.ts'
import { failureFields, failureOf, stepOf, writtenFailure } from './failure.ts'

test('a failure of the system names no file of this machine', async () => {
  for (const act of [() => stat('/secret/place/file'), () => rename('/secret/place/a', '/secret/place/b')]) {
    const error = await act().catch((thrown: unknown) => thrown)
    const failure = failureOf(error, say`Pack the files`)
    expect(failure.message.text).toMatch(/^Pack the files: ENOENT: no such file or directory/)
    expect(JSON.stringify(failure.message)).not.toContain('secret')
    expect(failure.code).toBe('unavailable')
  }
})

test('a failure is told in parts: the step, the cause and the way out, without secrets and paths', () => {
  const error = new EngineError('unavailable', say`The site answered ${'password=hunter2hunter2'} in ${3} s.`, {
    nextAction: say`Try again.`,
  })
  const failure = failureOf(error, stepOf({ reference_title: 'blog' }, 'Pack blog'))
  const fields = failureFields(failure)
  expect(fields).toMatchObject({
    error_code: 'unavailable',
    next_action: 'Try again.',
    next_action_parts: { template: 'Try again.' },
    error_message_parts: {
      template: '{0}: {1}',
      values: [{ template: 'Pack {0}', values: ['blog'] }, { template: 'The site answered {0} in {1} s.' }],
    },
  })
  expect(JSON.stringify(fields)).not.toContain('hunter2')
  // Read again after a crash between the failure and its end, it is the same.
  expect(failureFields(writtenFailure({ ...fields } as never))).toEqual(fields)
})

test('what nobody wrote for people is passed on as foreign words, with a way out of ours', () => {
  expect(failureFields(failureOf(new Error('EPIPE'), null))).toEqual({
    error_code: 'unavailable',
    error_message: 'EPIPE',
    error_message_parts: { template: '{0}', values: ['EPIPE'] },
    next_action: 'Look at the log, then retry.',
    next_action_parts: { template: 'Look at the log, then retry.' },
  })
  expect(failureFields(null)).toMatchObject({ error_message: null, error_message_parts: null })
})
