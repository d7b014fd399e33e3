import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { JobContext, JobStepDefinition, StepWait } from '#server/contracts/job.ts'
import type { CommandResult } from '#server/platform/ssh/commands.ts'
import { remoteLogStart, type RemoteLogPosition } from '#server/platform/ssh/remote-jobs.ts'
import type { Ssh } from '#server/platform/ssh/ssh.ts'
import type { SshTarget } from '#server/platform/ssh/ssh-target.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'

/** The scripts beside this file. Each says in its head what it does and which arguments it takes. */
export type RemoteScript =
  | 'facts'
  | 'settings'
  | 'host-key'
  | 'inventory'
  | 'monitoring'
  | 'prepare'
  | 'firewall'
  | 'unban'
  | 'automatic-updates'
  | 'swap'
  | 'timezone'
  | 'easyengine'
  | 'upgrade'
  | 'authorized-keys'
  | 'leave'

/** The text of a script. */
export function scriptText(name: RemoteScript): Promise<string> {
  return readFile(join(import.meta.dirname, `${name}.sh`), 'utf8')
}

const callMs = 30_000

interface ScriptOptions {
  readonly args?: readonly string[]
  readonly signal?: AbortSignal
  readonly deadlineMs?: number
}

/**
 * Runs a script that ends within seconds, and returns what it printed. Throws SshError, and `unavailable` with its last words if
 * it ended with an error.
 */
export async function runScript(
  ssh: Ssh,
  target: SshTarget,
  script: RemoteScript,
  options: ScriptOptions = {},
): Promise<string> {
  return runText(ssh, target, await scriptText(script), options)
}

/** The same for a script that changes nothing: it runs also while something else changes the server. */
export async function readScript(
  ssh: Ssh,
  target: SshTarget,
  script: RemoteScript,
  { args = [], signal, deadlineMs = callMs }: ScriptOptions = {},
): Promise<string> {
  const limits = { stdin: await scriptText(script), deadlineMs, signal }
  return printedBy(await ssh.read(target, ['sh', '-s', '--', ...args], limits))
}

/** `runScript` for a script that is none of this feature's. */
export async function runText(
  ssh: Ssh,
  target: SshTarget,
  text: string,
  { args = [], signal, deadlineMs = callMs }: ScriptOptions,
): Promise<string> {
  return printedBy(await ssh.run(target, ['sh', '-s', '--', ...args], { stdin: text, deadlineMs, signal }))
}

function printedBy({ code, stdout, stderr }: CommandResult): string {
  if (code === 0) return stdout
  throw endedWith(code, stderr || stdout)
}

const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1)?.trim().slice(0, 200) ?? ''

/** The error of a command that failed; `output` ends with its reason. */
export function endedWith(code: number | null, output: string): AppError {
  const words = lastLine(output)
  return new AppError(
    'unavailable',
    words === ''
      ? msg`The server ended the work with code ${String(code)}.`
      : msg`The server ended the work with code ${String(code)}: “${words}”.`,
    { nextAction: msg`Look at the log of this job, then retry.` },
  )
}

/** Asked when a step runs. */
type ScriptCall = (context: JobContext) => Promise<{ target: SshTarget; args: readonly string[] }>

/** A step that runs a script for seconds, and again if the connection broke. */
export function quickScriptStep(
  ssh: Ssh,
  { key, label, script }: Pick<JobStepDefinition, 'key' | 'label'> & { script: RemoteScript },
  of: ScriptCall,
): JobStepDefinition {
  return {
    key,
    label,
    deadlineSeconds: 300,
    async run(context) {
      const { target, args } = await of(context)
      const said = await runScript(ssh, target, script, { args, signal: context.signal, deadlineMs: 120_000 })
      for (const line of said.split('\n')) if (line !== '') context.log(line)
    },
  }
}

/** A step that runs a script for minutes: detached on the server, so that it survives lost connections and our own restarts. */
export function scriptStep(
  ssh: Ssh,
  {
    key,
    label,
    weight,
    deadlineSeconds,
    script,
    pty,
  }: Pick<JobStepDefinition, 'key' | 'label' | 'weight'> & {
    deadlineSeconds: number
    script: RemoteScript
    pty?: boolean
  },
  of: ScriptCall,
): JobStepDefinition {
  return {
    key,
    label,
    weight,
    deadlineSeconds,
    async run(context) {
      const { target, args } = await of(context)
      const { signal } = context
      // A retry of the job runs it again; an attempt after our own restart follows what runs.
      const tries = Number(context.kept[`${key}_tries`] ?? 0)
      const id = `${context.job}-${key.replaceAll('_', '-')}-${tries}`
      const found = await follow(ssh, target, id, context, key)
      if (found === 'absent') {
        const stdin = await scriptText(script)
        await ssh.start(
          target,
          { id, argv: ['sh', '-s', '--', ...args], stdin, pty: pty ?? false },
          { deadlineMs: callMs, signal },
        )
        return running
      }
      if (found === 'running') return running
      context.keep({ [`${key}_tries`]: tries + 1, [`${key}_at`]: 0 })
      if (found.code !== 0) throw endedWith(found.code, found.last)
      return undefined
    },
  }
}

/** Long enough that a hundred servers are not a load, short enough to look alive. */
const running: StepWait = { reason: msg`The server is working on it`, seconds: 3 }

/** Copies what is new in the log of a detached script to the job's. */
async function follow(
  ssh: Ssh,
  target: SshTarget,
  id: string,
  context: JobContext,
  key: string,
): Promise<'absent' | 'running' | { code: number | null; last: string }> {
  const offset = Number(context.kept[`${key}_at`] ?? 0)
  let from: RemoteLogPosition = { ...remoteLogStart, offset }
  let last = ''
  for (;;) {
    const seen = await ssh.follow(target, { id, from }, { deadlineMs: callMs, signal: context.signal })
    for (const line of seen.lines) context.log(line)
    last = seen.lines.findLast((line) => line.trim() !== '') ?? last
    from = seen.next
    context.keep({ [`${key}_at`]: from.offset })
    if (seen.more) continue
    if (seen.state === 'absent' || seen.state === 'running') return seen.state
    return { code: seen.code, last }
  }
}
