import type { IncomingMessage } from 'node:http'
import type { Task } from '#server/platform/log/loop-watchdog.ts'
import { splitTarget } from './request-target.ts'

const tasks = new WeakMap<IncomingMessage, Task>()

/** Longest address in the log. */
const longest = 200

/** The task of answering a request: one and the same from its head to its answer, which its body interrupts. */
export function requestTask(request: IncomingMessage): Task {
  const known = tasks.get(request)
  if (known) return known
  const task = { describe: () => `${request.method} ${routeOf(request.url ?? '/')}` }
  tasks.set(request, task)
  return task
}

/** The path without what is each document's own: that many requests have in common is what is looked for. */
function routeOf(target: string): string {
  const { path } = splitTarget(target)
  return path.replace(/^(\/api(?:\/v1)?\/resource\/[^/]+\/).+$/, '$1:name').slice(0, longest)
}
