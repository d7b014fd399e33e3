import { fork } from 'node:child_process'
import { once } from 'node:events'

/** Runs `work` with the port of a bare server in a process of its own. */
export async function withBareServer<Result>(work: (port: number) => Promise<Result>): Promise<Result> {
  const child = fork(new URL('./bare-server.ts', import.meta.url))
  try {
    const [port] = (await once(child, 'message')) as [number]
    return await work(port)
  } finally {
    const ended = once(child, 'exit')
    child.disconnect()
    await ended
  }
}
