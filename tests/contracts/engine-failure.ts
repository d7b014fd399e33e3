import { expect } from 'vitest'
import { EngineError } from '#server/engines/engine.ts'

/** The `EngineError` that a promise or call fails with. */
export async function failureOf(work: () => unknown): Promise<EngineError> {
  try {
    await work()
  } catch (error) {
    expect(error).toBeInstanceOf(EngineError)
    return error as EngineError
  }
  throw new Error('It did not fail.')
}
