/** Runs tools of node_modules as processes of the test chain. */
import { spawn } from 'node:child_process'
import { closeSync, openSync, realpathSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { compileCache, root } from './node24.mjs'
import { seconds } from './terminal.mjs'

let interrupted = false

/** Whether somebody ended a tool by Ctrl+C or SIGTERM: nothing else is to start. */
export const isInterrupted = (): boolean => interrupted

/**
 * Runs a tool with this Node and returns its exit code. It has its own process group, so that a timeout (`limit`, in
 * milliseconds) or a signal ends everything it started. What it writes goes to the file `log`; without one it is shown at the
 * end, because others run beside it. Descriptor 3 is our output. `variables` are added to its environment.
 */
export async function runTool(
  tool: string,
  args: string[],
  limit: number,
  { log, variables }: { log?: string; variables?: Readonly<Record<string, string>> } = {},
): Promise<number> {
  const bin = realpathSync(join(root, 'node_modules', '.bin', tool))
  const output = log === undefined ? 'pipe' : openSync(log, 'w')
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: root,
    detached: true,
    stdio: ['ignore', output, output, 1],
    env: {
      ...process.env,
      ...(process.stdout.isTTY && log === undefined && { FORCE_COLOR: '1' }),
      PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`,
      // The workers of Vitest load the whole server.
      NODE_COMPILE_CACHE: compileCache,
      ...variables,
    },
  })
  const pieces: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (piece: Buffer) => pieces.push(piece))
  const endGroup = (signal: NodeJS.Signals) => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, signal)
  }
  let timer: NodeJS.Timeout
  // First the signal, so that it can stop the product it runs.
  const stop = (signal: NodeJS.Signals) => {
    clearTimeout(timer)
    endGroup(signal)
    timer = setTimeout(() => endGroup('SIGKILL'), 20_000)
  }
  const interrupt = (signal: NodeJS.Signals) => {
    interrupted = true
    stop(signal)
  }
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  timer = setTimeout(() => {
    process.stderr.write(`${tool} was stopped after ${seconds(limit)}.\n`)
    stop('SIGINT')
  }, limit)
  try {
    return await new Promise<number>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (code) => resolve(code ?? 1))
    })
  } finally {
    process.stdout.write(Buffer.concat(pieces))
    if (typeof output === 'number') closeSync(output)
    clearTimeout(timer)
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
  }
}
