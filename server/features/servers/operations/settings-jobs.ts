import type { JobContext, JobDefinition } from '#server/contracts/job.ts'
import type { ActionName } from '#shared/doctype.ts'
import type { Server, ServerDoctype } from '#shared/doctypes/server.ts'
import { msg, untranslated } from '#shared/localized-message.ts'
import { serverOfJob } from '../job-parts.ts'
import { assertEasyEngine, measureStep } from '../remote/measure-server.ts'
import { quickScriptStep, scriptStep, type RemoteScript } from '../remote/run-script.ts'
import { sshTarget } from '../server-target.ts'
import type { ServersContext } from '../servers-context.ts'
import type { FirewallArgs } from './firewall-args.ts'
import { operationJob } from './operation-job.ts'

type TimezoneArgs = { timezone: string }
type SwapArgs = { megabytes: number }
type UnbanArgs = { address: string }
type UpdatesArgs = { enabled: 0 | 1 }

/** Jobs that change one setting of a machine by a script, and read it back. */
export function settingsJobs(context: ServersContext) {
  return [
    settingJob<TimezoneArgs>(context, 'set_timezone', {
      label: ({ referenceTitle }) => `Change the time zone of ${referenceTitle}`,
      detail: ({ timezone }) => msg`to ${timezone}`,
      step: { label: 'Set the time zone', script: 'timezone' },
      args: (_server, { timezone }) => [timezone],
    }),
    settingJob<SwapArgs>(context, 'set_swap', {
      label: ({ referenceTitle }) => `Change the swap of ${referenceTitle}`,
      detail: ({ megabytes }) => msg`to ${megabytes} MB`,
      step: { label: 'Make the swap file', script: 'swap', isLong: true },
      args: (_server, { megabytes }) => [String(megabytes)],
    }),
    settingJob<UpdatesArgs>(context, 'set_automatic_updates', {
      label: ({ referenceTitle }) => `Change automatic updates of ${referenceTitle}`,
      detail: ({ enabled }) => (enabled === 1 ? msg`to on` : msg`to off`),
      step: { label: 'Set automatic updates', script: 'automatic-updates' },
      args: (_server, { enabled }) => [String(enabled)],
    }),
    settingJob<FirewallArgs>(context, 'firewall', {
      label: ({ referenceTitle }) => `Change the firewall of ${referenceTitle}`,
      detail: ({ enabled }) => (enabled === 1 ? msg`to on` : msg`to off`),
      step: { label: 'Set the firewall', script: 'firewall' },
      args: firewallWords,
    }),
    settingJob<UnbanArgs>(context, 'unban', {
      label: ({ referenceTitle }) => `Let an address in again on ${referenceTitle}`,
      detail: ({ address }) => untranslated(address),
      step: { label: 'Let the address in again', script: 'unban' },
      args: (_server, { address }) => [address],
    }),
    settingJob(context, 'upgrade_easyengine', {
      label: ({ referenceTitle }) => `Upgrade EasyEngine on ${referenceTitle}`,
      step: { label: 'Upgrade EasyEngine', script: 'upgrade', isLong: true },
      args: () => [],
    }),
  ] as const
}

/** Arguments of `firewall.sh`. */
export const firewallWords = (server: Server, { enabled, allow, block }: FirewallArgs): string[] => [
  String(enabled),
  String(server.ssh_port ?? 22),
  allow.join(','),
  block.join(','),
]

function settingJob<A extends Record<string, unknown>>(
  context: ServersContext,
  action: ActionName<typeof ServerDoctype>,
  {
    step,
    args,
    ...texts
  }: Pick<JobDefinition<A>, 'label' | 'detail'> & {
    step: { label: string; script: RemoteScript; isLong?: true }
    args: (server: Server, given: A) => readonly string[]
  },
): JobDefinition<A> {
  return operationJob<A>(action, {
    ...texts,
    deadlineSeconds: 2400,
    async steps({ args: given }) {
      const call = async (job: JobContext) => {
        const server = await serverOfJob(job)
        return { target: sshTarget(server), args: args(server, given) }
      }
      const { ssh } = context
      return [
        step.isLong
          ? scriptStep(ssh, { key: 'change', deadlineSeconds: 1800, weight: 3, ...step }, call)
          : quickScriptStep(ssh, { key: 'change', ...step }, call),
        measureStep(context, action === 'upgrade_easyengine' ? assertEasyEngine : undefined),
      ]
    },
  })
}
