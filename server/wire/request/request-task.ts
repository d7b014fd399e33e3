import type { IncomingMessage } from 'node:http'
import type { Task } from '#server/platform/log/loop-watchdog.ts'
import { splitTarget } from './request-target.ts'

const tasks = new WeakMap<IncomingMessage, Task>()

/** Maximum length of a path in the log. */
const longest = 200

/**
 * The task (for the log) of handling a request. The same object from its head to its response, because receiving the body
 * interrupts the async context.
 */
export function requestTask(request: IncomingMessage): Task {
  const known = tasks.get(request)
  if (known) return known
  const task = { describe: () => `${request.method} ${routeOf(request.url ?? '/')}` }
  tasks.set(request, task)
  return task
}

/** The path without document names, so that requests for the same route are grouped. */
function routeOf(target: string): string {
  const { path } = splitTarget(target)
  return path.replace(/^(\/api(?:\/v1)?\/resource\/[^/]+\/).+$/, '$1:name').slice(0, longest)
}
