import type { JobContext, JobStepDefinition } from '#server/contracts/job.ts'
import { isCidr } from '#server/platform/network/addresses.ts'
import type { Ssh } from '#server/platform/ssh/ssh.ts'
import type { SshTarget } from '#server/platform/ssh/ssh-target.ts'
import type { Server } from '#shared/doctypes/server.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { serverOfJob, writeServer } from '../job-parts.ts'
import { serverFields } from '../server-fields.ts'
import { sshTarget } from '../server-target.ts'
import type { ServersContext } from '../servers-context.ts'
import { parseFacts, type RemoteFacts } from './remote-facts.ts'
import { runScript } from './run-script.ts'

const senseless = () =>
  new AppError('unavailable', msg`The server did not tell what it is.`, {
    nextAction: msg`Check that it runs Ubuntu or Debian, then retry.`,
  })

/** Asks a server what it is. Throws SshError, and `unavailable` if its answer makes no sense. */
export async function measureServer(ssh: Ssh, target: SshTarget, signal?: AbortSignal): Promise<RemoteFacts> {
  const facts = parseFacts(await runScript(ssh, target, 'facts', { ...(signal && { signal }), deadlineMs: 60_000 }))
  if (facts === null) throw senseless()
  return facts
}

/** Measurements as fields of a Server. Its name is what people call it, not what the machine calls itself. */
export function remoteServerFields(facts: RemoteFacts, now: number): Partial<Server> {
  const { hostname, ...measured } = serverFields(facts, now)
  return {
    ...measured,
    machine_hostname: hostname || null,
    docker: facts.docker,
    docker_compose: facts.dockerCompose,
    python: facts.python,
    easyengine: facts.easyengine,
    pending_updates: facts.pendingUpdates,
    security_updates: facts.securityUpdates,
  }
}

/** Addresses of each kind that are kept: a machine can list any number. */
const maxAddresses = 500

/** Fields of a Server that say how it is set up, from the output of `settings.sh`; null if it is not complete. */
export function settingsFields(output: string): Pick<Server, 'automatic_updates' | 'firewall'> | null {
  const lines = output.split('\n').map((line) => line.split('='))
  const has = (name: string, value: string) => lines.some(([key, found]) => key === name && found === value)
  const all = (name: string) =>
    lines.flatMap(([key, value = '']) => (key === name && isCidr(value) ? [value] : [])).slice(0, maxAddresses)
  if (!has('complete', 'yes')) return null
  return {
    automatic_updates: has('automatic_updates', 'yes') ? 1 : 0,
    firewall: { enabled: has('firewall', 'yes'), allow: all('allow'), block: all('block'), banned: all('banned') },
  }
}

/** A step that reads what a server is and how it is set up. `check` looks at what was found before it is written. */
export function measureStep(
  { ssh, clock }: ServersContext,
  check: (found: Partial<Server>, before: Server, job: JobContext) => void = () => undefined,
): Omit<JobStepDefinition, 'shows'> {
  return {
    key: 'measure',
    label: 'Read its facts',
    deadlineSeconds: 180,
    async run(job) {
      const server = await serverOfJob(job)
      const target = sshTarget(server)
      const facts = await measureServer(ssh, target, job.signal)
      const settings = settingsFields(await runScript(ssh, target, 'settings', { signal: job.signal }))
      if (settings === null) throw senseless()
      const found = { ...remoteServerFields(facts, clock.now()), ...settings }
      check(found, server, job)
      await job.transaction((tx) => writeServer(tx, server.name, found))
    },
  }
}

/** For `measureStep`: EasyEngine must answer. */
export function assertEasyEngine({ easyengine }: Partial<Server>): void {
  if (easyengine !== null) return
  throw new AppError('unavailable', msg`EasyEngine does not answer on the server.`, {
    nextAction: msg`Look at the log of the step before, then retry.`,
  })
}
