import type { JobContext, JobStepDefinition } from '#server/contracts/job.ts'
import { generatePassword } from '#server/platform/secrets/generate-password.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { AppError } from '#shared/errors.ts'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'
import { serverOfJob, writeServer } from '../job-parts.ts'
import { keysStep } from '../operations/keys.ts'
import { firewallWords } from '../operations/settings-jobs.ts'
import type { RemoteFacts } from '../remote/remote-facts.ts'
import { quickScriptStep, scriptStep } from '../remote/run-script.ts'
import { assertEasyEngine, measureServer, measureStep } from '../remote/measure-server.ts'
import { sshTarget } from '../server-target.ts'
import type { ServersContext } from '../servers-context.ts'

const gib = 1024 ** 3

/** EasyEngine needs 5 GB free for its images (its docs), and a WordPress beside its database a gigabyte of memory. */
const least = { ram: 0.9 * gib, diskFree: 6 * gib }

/** Why the machine cannot become a server; null if it can. */
export function unsuitable(facts: RemoteFacts): LocalizedMessage | null {
  const { osId, osVersion, os, ram, diskFree, sudo, takenPorts, easyengine } = facts
  const isSupported =
    (osId === 'ubuntu' && Number(osVersion) >= 22.04) || (osId === 'debian' && Number(osVersion) >= 12)
  if (!isSupported) return msg`It runs ${os}. EasyEngine needs Ubuntu 22.04 or newer, or Debian 12 or newer.`
  if (!sudo) return msg`The user cannot become root. Allow sudo without a password, or use root.`
  if (ram < least.ram) return msg`It has too little memory. 1 GB is the least.`
  if (diskFree < least.diskFree) return msg`It has too little free disk space. 6 GB are the least.`
  const [port] = takenPorts
  if (port !== undefined && easyengine === null) return msg`Another program uses port ${port}. Stop it, then retry.`
  return null
}

/** Turns a machine that can be reached into a server: checked, hardened, with EasyEngine, keys and facts. */
export function setupSteps(context: ServersContext): JobStepDefinition[] {
  const { ssh } = context
  const target = async (job: JobContext) => sshTarget(await serverOfJob(job))
  return [
    {
      key: 'check',
      label: 'Check the machine',
      deadlineSeconds: 120,
      run: async (job) => {
        const problem = unsuitable(await measureServer(ssh, await target(job), job.signal))
        if (problem) throw new AppError('invalid', problem, { nextAction: msg`Change it there, then retry.` })
      },
    },
    scriptStep(
      ssh,
      { key: 'prepare', label: 'Update and secure it', weight: 5, deadlineSeconds: 2400, script: 'prepare' },
      async (job) => {
        const server = await serverOfJob(job)
        return { target: sshTarget(server), args: [server.timezone ?? 'Etc/UTC'] }
      },
    ),
    quickScriptStep(ssh, { key: 'firewall', label: 'Turn on the firewall', script: 'firewall' }, async (job) => {
      const server = await serverOfJob(job)
      return { target: sshTarget(server), args: firewallWords(server, { enabled: 1, allow: [], block: [] }) }
    }),
    quickScriptStep(
      ssh,
      { key: 'updates', label: 'Turn on security updates', script: 'automatic-updates' },
      async (job) => ({ target: await target(job), args: ['1'] }),
    ),
    quickScriptStep(ssh, { key: 'swap', label: 'Add swap', script: 'swap' }, async (job) => ({
      target: await target(job),
      args: ['2048', 'keep'],
    })),
    scriptStep(
      ssh,
      { key: 'easyengine', label: 'Install EasyEngine', weight: 8, deadlineSeconds: 2400, script: 'easyengine' },
      async (job) => {
        const server = await serverOfJob(job)
        return { target: sshTarget(server), args: [installer, server._owner ?? job.session.user] }
      },
    ),
    keysStep(context),
    { key: 'access', label: 'Make up its passwords', run: makePasswords },
    ...(context.deps.metrics.areSent ? [metricsAgentStep(context)] : []),
    measureStep(context, assertEasyEngine),
  ]
}

/** Repeating it gives the server another token. */
function metricsAgentStep({ deps, ssh }: ServersContext): JobStepDefinition {
  return {
    key: 'metrics',
    label: 'Install the metrics agent',
    deadlineSeconds: 120,
    async run(job) {
      const server = await serverOfJob(job)
      const files = await job.transaction((tx) => deps.metrics.agentFiles(tx, server))
      const run = async (argv: readonly string[], stdin?: string) => {
        const limits = { deadlineMs: 30_000, signal: job.signal }
        const { code, stderr } = await ssh.run(sshTarget(server), argv, { ...limits, ...(stdin && { stdin }) })
        if (code !== 0)
          throw new AppError('unavailable', msg`The server did not take the metrics agent.`, {
            nextAction: msg`Retry.`,
            cause: new Error(stderr),
          })
      }
      const install = 'install -D -m "$1" /dev/stdin "${EASYDASH_ROOT-}$0"'
      for (const { path, mode, content } of files) await run(['sh', '-c', install, path, mode.toString(8)], content)
      await run(['systemctl', 'daemon-reload'])
      await run(['systemctl', 'enable', '--now', 'easydash-metrics.timer'])
      await job.transaction((tx) => writeServer(tx, server.name, { metrics_agent: 1 }))
    },
  }
}

/** Source: README of EasyEngine/installer, to which its short link leads. */
const installer = 'https://raw.githubusercontent.com/EasyEngine/installer/master/setup.sh'

/** Name of the user for HTTP authentication and of the admin of new sites. */
const userName = 'easydash'

/**
 * Makes up the credentials that new sites get unless others are chosen. They are not given to EasyEngine as global ones: these would ask
 * every visitor of every site for a password. Its admin tools have a user of their own.
 */
async function makePasswords(job: JobContext): Promise<void> {
  await job.transaction(async (tx) => {
    const server = await tx.get(ServerDoctype, job.referenceName, { lock: true })
    if (!server) throw new AppError('not_found', msg`The server no longer exists.`)
    if ((await tx.secret(ServerDoctype, server.name, 'randomised_http_auth')) !== null) return
    await writeServer(tx, server.name, {
      randomised_http_auth: generatePassword(),
      default_site_username: userName,
      default_site_password: generatePassword(),
    })
  })
}
