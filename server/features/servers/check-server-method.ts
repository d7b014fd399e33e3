import { defineMethod } from '#server/contracts/method.ts'
import { data, int } from '#shared/fields.ts'
import { serverChecks, type ServerChecks } from '#shared/responses/servers.ts'
import { unsuitable } from './provision/setup-steps.ts'
import { assertCanCreateServers } from './provider-metadata.ts'
import { adviceOf } from './remote/answers.ts'
import { measureServer } from './remote/measure-server.ts'
import type { RemoteFacts } from './remote/remote-facts.ts'
import type { ServersContext } from './servers-context.ts'

type Check = ServerChecks['checks'][number]

const check = (key: string, label: string, state: Check['state'], detail: string | null): Check => ({
  ...{ key, label, state, detail },
})

/**
 * `check_server`: whether somebody's own machine can become a server. Nothing runs on it before its fingerprint was confirmed:
 * until then it may be another machine.
 */
export const checkServerMethod = ({ deps, ssh }: ServersContext) =>
  defineMethod({
    name: 'easydash.easydash.doctype.server.server.check_server',
    access: 'member',
    verbs: ['POST'],
    params: {
      public_ipv4: data({ reqd: true, format: 'ipv4' }),
      ssh_user: data({ default: 'root', format: 'username' }),
      ssh_port: int({ default: 22, min: 1, max: 65_535 }),
      host_key: data({ length: 60, description: 'Its fingerprint, once somebody confirmed it.' }),
    },
    description: 'Checks whether a machine can become a server of the organization.',
    returns: serverChecks,
    async run({ public_ipv4: address, ssh_user, ssh_port, host_key: confirmed }, call): Promise<ServerChecks> {
      await assertCanCreateServers(call)
      await deps.rateLimiter.hit('check_server', call.session.organization ?? call.session.user)
      const [user, port] = [ssh_user ?? 'root', ssh_port ?? 22]
      const reach = (state: Check['state'], detail: string) => check('reach', 'Reachable', state, detail)
      const login = (state: Check['state'], detail: string | null) => check('login', 'Sign in', state, detail)
      try {
        const key = await ssh.firstContact({ address, port })
        const checks = [reach('ok', `${address}:${port}`)]
        if (confirmed !== key.fingerprint)
          return { host_key: key.fingerprint, checks: [...checks, login('waiting', 'Confirm the fingerprint first.')] }
        try {
          const facts = await measureServer(ssh, { id: `check ${address}`, address, port, user, hostKey: key.line })
          return { host_key: key.fingerprint, checks: [...checks, login('ok', user), ...checksOf(facts)] }
        } catch (error) {
          return { host_key: key.fingerprint, checks: [...checks, login('failed', adviceOf(error))] }
        }
      } catch (error) {
        return { host_key: null, checks: [reach('failed', adviceOf(error))] }
      }
    },
  })

function checksOf(facts: RemoteFacts): Check[] {
  const problem = unsuitable(facts)
  const gib = (bytes: number) => `${(bytes / 1024 ** 3).toFixed(1)} GB`
  return [
    check('system', 'System', 'ok', facts.os),
    check('memory', 'Memory', 'ok', gib(facts.ram)),
    check('disk', 'Free disk space', 'ok', gib(facts.diskFree)),
    check('easyengine', 'EasyEngine', 'ok', facts.easyengine ?? 'Will be installed'),
    ...(problem === null ? [] : [check('suitable', 'Can be used', 'failed', problem.text)]),
  ]
}
