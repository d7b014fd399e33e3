import { msg } from '#shared/localized-message.ts'
import { EngineError } from './engine.ts'

/** Seconds that code of an admin may run, see `SiteConsole`. */
export const codeSeconds = 30

/** The error of code that was ended because of its time. */
export const codeStopped = (): EngineError =>
  new EngineError('unavailable', msg`The code ran for more than ${codeSeconds} seconds and was stopped.`, {
    nextAction: msg`Do less at once. What it changed until then stays.`,
  })
