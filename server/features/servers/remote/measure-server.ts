import type { Ssh } from '#server/platform/ssh/ssh.ts'
import type { SshTarget } from '#server/platform/ssh/ssh-target.ts'
import type { Server } from '#shared/doctypes/server.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { serverFields } from '../server-fields.ts'
import { parseFacts, type RemoteFacts } from './remote-facts.ts'
import { runScript } from './run-script.ts'

/** Asks a server what it is. Throws SshError, and `unavailable` if its answer makes no sense. */
export async function measureServer(ssh: Ssh, target: SshTarget, signal?: AbortSignal): Promise<RemoteFacts> {
  const facts = parseFacts(await runScript(ssh, target, 'facts', { ...(signal && { signal }), deadlineMs: 60_000 }))
  if (facts === null)
    throw new AppError('unavailable', msg`The server did not tell what it is.`, {
      nextAction: msg`Check that it runs Ubuntu or Debian, then retry.`,
    })
  return facts
}

/** Measurements as fields of a Server. Its name is what people call it, not what the machine calls itself. */
export function remoteServerFields(facts: RemoteFacts, now: number): Partial<Server> {
  const { hostname: _own, ...measured } = serverFields(facts, now)
  return {
    ...measured,
    docker: facts.docker,
    docker_compose: facts.dockerCompose,
    python: facts.python,
    easyengine: facts.easyengine,
    pending_updates: facts.pendingUpdates,
    security_updates: facts.securityUpdates,
  }
}
