import { msg } from '#shared/localized-message.ts'
import { EngineError } from './engine.ts'

/** The refusal to forget the state of a later restore. */
export const keptLater = (): EngineError =>
  new EngineError('conflict', msg`What is kept is the state before a later restore.`, {
    nextAction: msg`Wait until that one is old, too.`,
  })
