import { maxMessageBytes, parseFromChild, type FromChild, type ToChild } from '../child/messages.ts'
import { createRateCounter } from '../proxy/per-second.ts'
import { endProcess, foundProcess, innermostProcess, preferForOutOfMemory } from '../sandbox/process-tree.ts'
import { outputMessage } from './exit-reason.ts'
import { openLineChannel } from './line-channel.ts'
import { recordProcess, type PostMessage, type ProcessContext } from './process-context.ts'
import { guardProcess, killForViolation, killProcess } from './process-end.ts'
import { createScriptCalls, type ScriptCalls } from './script-calls.ts'

/** Grace period for a process that closed its channel. */
const endGraceMs = 1_000
/** Maximum messages of a site's process per second; a request sends two. */
const maxMessagesPerSecond = 5_000
/** Maximum bytes of messages per second. Normal sites send a few kilobytes. */
const maxBytesPerSecond = 1024 * 1024
/** Maximum bytes of error output per second; PHP's errors go to the site's log. */
const maxErrorBytesPerSecond = 1024 * 1024
/** Concurrent PHP runs, more than any site's process has. */
const maxRuns = 100
/** Number of characters kept of its error output. */
const maxErrorTail = 2_000

/** Exchanges messages with the process, and keeps track of calls of its management scripts. */
export function openProcessChannel(context: ProcessContext): { post: PostMessage; calls: ScriptCalls } {
  const { send: post } = openLineChannel<FromChild, ToChild>(context.control, {
    maxLineBytes: maxMessageBytes,
    maxPerSecond: maxMessagesPerSecond,
    maxBytesPerSecond,
    parse: parseFromChild,
    onMessage: (message) =>
      guardProcess(context, () => {
        if (message.type === 'hello') handleHello(context, post)
        else if (message.type === 'result') calls.settle(message)
        else if (message.type === 'begun') calls.begin(message.id)
        else handleReport(context, message)
      }),
    onViolation: (what) => killForViolation(context, what),
    // It is ending, or closed the channel to continue unobserved.
    onEnd: () => void setTimeout(() => guardProcess(context, () => endProcess(context.found)), endGraceMs).unref(),
  })
  const calls = createScriptCalls({
    post,
    end: (reason) => killProcess(context, reason),
    isRunning: () => context.runs.size > 0,
  })
  return { post, calls }
}

/** Keeps the end of the process's error output, for the log. */
export function collectErrorOutput(context: ProcessContext): void {
  const mayRead = createRateCounter(maxErrorBytesPerSecond)
  context.child.stderr?.on('data', (chunk: Buffer) => {
    // Small chunks cost as much as larger ones.
    if (!mayRead(Math.max(chunk.length, 256)))
      killForViolation(context, `more than ${maxErrorBytesPerSecond} bytes of error output a second`)
    else context.errorTail = (context.errorTail + chunk.subarray(-maxErrorTail).toString('utf8')).slice(-maxErrorTail)
  })
}

/** The site's process started: finds it in the sandbox, records it, and sends it the boot message. */
function handleHello(context: ProcessContext, post: PostMessage): void {
  const { child, start } = context
  if (child.pid === undefined) return
  // Each one requires a scan of all processes on the machine.
  if (context.hasReceivedHello) {
    killForViolation(context, 'a second greeting')
    return
  }
  context.hasReceivedHello = true
  context.found = foundProcess(innermostProcess(child.pid))
  const { pid } = context.found
  preferForOutOfMemory(pid)
  // Before it receives code to run: until then it detects the end of its engine itself.
  if (pid !== child.pid) recordProcess(context, pid)
  post(start.boot)
}

function handleReport(
  context: ProcessContext,
  message: Exclude<FromChild, { type: 'hello' | 'begun' | 'result' }>,
): void {
  switch (message.type) {
    case 'ready':
      context.ready.resolve(message.journalMode)
      return
    case 'failed':
      context.failure = outputMessage(message.reason)
      return
    case 'run-start':
      context.runs.set(message.run, { since: performance.now(), request: message.request, isAdmin: false })
      if (message.request !== null) context.begun.add(message.request)
      if (context.runs.size > maxRuns) killForViolation(context, 'more requests than there were')
      return
    case 'run-admin': {
      const run = context.runs.get(message.run)
      if (run !== undefined) run.isAdmin = true
      return
    }
    case 'run-end':
      context.begun.delete(context.runs.get(message.run)?.request ?? -1)
      context.runs.delete(message.run)
  }
}
