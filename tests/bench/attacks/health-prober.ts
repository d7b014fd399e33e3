/** Requests `/healthz` ten times a second on new connections and reports each response time. Runs in its own process. */
import { request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'

/** Report of one response; status 0 means no response. */
export interface Probe {
  status: number
  tookMs: number
}

function probe(port: number): Promise<Probe> {
  return new Promise((resolve) => {
    const started = performance.now()
    const done = (status: number) => resolve({ status, tookMs: performance.now() - started })
    const sent = request({ host: '127.0.0.1', port, path: '/healthz', agent: false, timeout: 10_000 }, (response) => {
      response.resume()
      response.once('end', () => done(response.statusCode ?? 0))
    })
    sent.once('timeout', () => sent.destroy())
    sent.once('error', () => done(0))
    sent.end()
  })
}

process.once('disconnect', () => process.exit(0))
process.once('message', (port: number) => void probeForever(port))

async function probeForever(port: number): Promise<never> {
  for (;;) {
    const [found] = await Promise.all([probe(port), delay(100)])
    process.send?.(found)
  }
}
