import { fork } from 'node:child_process'
import { once } from 'node:events'

/** Runs `work` with the port and process id of a bare server. */
export async function withBareServer<Result>(work: (port: number, pid: number) => Promise<Result>): Promise<Result> {
  const child = fork(new URL('./bare-server.ts', import.meta.url))
  try {
    const [port] = (await once(child, 'message')) as [number]
    return await work(port, child.pid ?? 0)
  } finally {
    const ended = once(child, 'exit')
    child.disconnect()
    await ended
  }
}
