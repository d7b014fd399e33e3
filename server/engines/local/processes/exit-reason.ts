import { constants } from 'node:os'
import { untranslated, msg, type LocalizedMessage } from '#shared/localized-message.ts'

/** The process's own output as a message: short, and without paths of this machine. */
export function outputMessage(output: string): LocalizedMessage {
  return untranslated(output.replaceAll(/'\/[^']*'/g, '…').slice(0, 300))
}

/** Why a process ended unexpectedly. `errorTail` is the end of its error output. */
export function describeExit(
  code: number | null,
  signalName: NodeJS.Signals | null,
  errorTail: string,
): LocalizedMessage {
  // A sandbox reports its process's signal in its own exit code.
  if (signalName === 'SIGKILL' || code === 128 + constants.signals.SIGKILL)
    return msg`The system killed the site’s process, probably for lack of memory.`
  if (/out of memory|heap limit/i.test(errorTail)) return msg`The site’s process ran out of memory.`
  if (signalName !== null) return msg`The site’s process ended unexpectedly (${signalName}).`
  return msg`The site’s process ended unexpectedly (exit code ${code ?? 0}).`
}
