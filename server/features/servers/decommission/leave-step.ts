import type { JobStepDefinition } from '#server/contracts/job.ts'
import { EngineError } from '#server/engines/engine.ts'
import { hasFacets } from '#server/engines/facets.ts'
import { serverRef } from '#server/engines/site-ref.ts'
import { SshError } from '#server/platform/ssh/ssh-error.ts'
import { AppError } from '#shared/errors.ts'
import { serverOfJob } from '../job-parts.ts'
import { runScript } from '../remote/run-script.ts'
import { sshTarget } from '../server-target.ts'
import type { ServersContext } from '../servers-context.ts'

/**
 * A machine of the organization's own is given back: its sites are served as before, without anything of ours. A machine that does not answer any more
 * keeps nobody from removing it here; the log says that it was not cleaned.
 */
export const leaveStep = ({ ssh, deps }: ServersContext): JobStepDefinition => ({
  key: 'leave',
  label: 'Remove what Easydash put on the machine, if it answers',
  deadlineSeconds: 3_600,
  async run(step) {
    const server = await serverOfJob(step)
    // It was never set up.
    if (server.ssh_host_key === null) return
    try {
      await runScript(ssh, sshTarget(server), 'leave', { signal: step.signal, deadlineMs: 120_000 })
      const engine = deps.engines[server.engine ?? '']
      // Last: what ran there was noted, too.
      if (engine && hasFacets(engine, 'host')) await engine.host.leave?.(serverRef(server), step)
      step.log('Nothing of Easydash is left there but the key that it connects with: remove it from authorized_keys')
    } catch (error) {
      step.signal.throwIfAborted()
      const isOfMachine = error instanceof SshError || error instanceof EngineError || error instanceof AppError
      if (!isOfMachine) throw error
      step.log(`Not everything was removed there: ${error.message} What stays is in docs/easyengine.md, “Leaving”`)
    }
  },
})
