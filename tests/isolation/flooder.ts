/**
 * JavaScript of an attacker who left PHP-WASM and turns on the streams that its process inherited: loaded by `--import`, it
 * waits for `www/flood.json`, sends what that says, and tells in `www/flooded` how far it came.
 */
import * as fs from 'node:fs'

/** The attacker's input. */
export interface FloodOrder {
  /** An open file of the process. */
  descriptor: number
  /** Bytes in base64, sent so many times. */
  pieces: string[]
  times: number
}

/** How often an attempt in which nothing was taken is repeated, a millisecond apart. */
const maxRetries = 2_000

/** Sends all of it; returns why that ended early, or `done`. */
function flood({ descriptor, pieces, times }: FloodOrder): string {
  const bytes = Buffer.concat(pieces.map((piece) => Buffer.from(piece, 'base64')))
  for (let time = 0; time < times; time += 1) {
    for (let at = 0, failedWrites = 0; at < bytes.length;) {
      try {
        at += fs.writeSync(descriptor, bytes, at)
        failedWrites = 0
      } catch (error) {
        const code = String(error instanceof Error && Reflect.get(error, 'code'))
        failedWrites += 1
        if (code !== 'EAGAIN' || failedWrites > maxRetries) return code
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
      }
    }
  }
  return 'done'
}

// Not when a test imports the types.
if (process.execArgv.some((argument) => argument.includes('flooder'))) {
  setInterval(() => {
    if (!fs.existsSync('./www/flood.json')) return
    const order = JSON.parse(fs.readFileSync('./www/flood.json', 'utf8')) as FloodOrder
    // The next process of this site is an honest one.
    fs.unlinkSync('./www/flood.json')
    fs.writeFileSync('./www/flooded', flood(order))
  }, 20)
}
