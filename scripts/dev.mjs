/**
 * `npm run dev`: the server with Vite inside (EASYDASH_DEV) on one origin. Node starts it again when a file of server/ or
 * shared/ changes; web/ is reloaded by Vite without a restart.
 */
import { spawn } from 'node:child_process'
import { launch } from './launch.mjs'
import { root } from './node24.mjs'

await launch(import.meta.url, async (args) => {
  const entry = new URL('./dev-server.mjs', import.meta.url).pathname
  const watched = ['--watch-path=server', '--watch-path=shared', '--watch-preserve-output']
  const child = spawn(process.execPath, ['--watch', ...watched, entry, ...args], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, EASYDASH_DEV: '1' },
  })
  /** @type {readonly NodeJS.Signals[]} */
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, () => child.kill(signal))
  child.once('exit', (code) => process.exit(code ?? 1))
})
