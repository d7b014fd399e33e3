import type { Slug } from './people.ts'
import type { SubjectPlan } from './subject-plan.ts'

const managed = 'server decommission, category, authorized_keys, http-auth reveal, owner, resize, host key'
const terminal = 'SQL and PHP console, web terminal'
const operated = 'server restart, update, sync, logs, graphs'

/** Rules of servers; one of a server and one of all of them. */
export const alertRuleDeclaration = {
  writable: 'enabled threshold minutes severity',
  probe: { minutes: 55 },
  drafts: [
    {
      title: 'of a server',
      row: 'webhook, alert rule',
      values: { organization: 'acme', server: '@Server/prod', metric: 'swap', threshold: 50 },
    },
    {
      title: 'of all servers',
      row: 'webhook, alert rule',
      values: { organization: 'acme', metric: 'swap', threshold: 50 },
    },
  ],
}

const alertRule = (key: string, organization: Slug): SubjectPlan => ({
  doctype: 'Alert Rule',
  key,
  row: 'webhook, alert rule',
  attributes: { organization },
  values: { organization, server: '@unique', metric: 'cpu', threshold: 80, minutes: 10, severity: 'warning' },
})

/** Rules of servers that are gone: each server has one for a metric. */
export const alertRulePlans: readonly SubjectPlan[] = [alertRule('ours', 'acme'), alertRule('foreign', 'globex')]

/** Actions of a server. */
export const serverActions = {
  'Server.candidates_for_change_owner': { row: managed, reads: true },
  'Server.change_owner': { row: managed, people: true },
  'Server.confirm_host_key': {
    row: managed,
    complete: { fingerprint: 'SHA256:AAAA' },
  },
  'Server.decommission': { row: managed, reauth: true },
  'Server.get_alerts': { row: 'server monitoring', reads: true },
  'Server.get_costs': { row: 'server restart, update, sync, logs, graphs', reads: true },
  'Server.get_metrics': { row: 'Server metrics', letter: 'R', reads: true },
  'Server.get_monitoring': { row: 'server monitoring', reads: true },
  'Server.make_metrics_token': {
    row: managed,
    tokens: false,
  },
  'Server.reboot': { row: operated },
  'Server.resync': { row: operated },
  'Server.upgrade_easyengine': { row: operated },
  'Server.resize': { row: managed },
  'Server.order_elsewhere': { row: managed },
  'Server.snapshot': { row: managed },
  'Server.set_sites_owner': { row: managed, people: true },
  'Server.set_timezone': { row: managed },
  'Server.set_swap': { row: managed },
  'Server.set_automatic_updates': { row: managed },
  'Server.firewall': { row: managed },
  'Server.unban': { row: managed },
  'Server.open_terminal': { row: terminal, reauth: true },
  'Server.get_terminals': { row: managed, reads: true },
  'Server.get_terminal_recording': { row: terminal, reauth: true },
  'Server.refresh_facts': { row: operated },
  'Server.reveal': {
    row: managed,
    reauth: true,
    complete: { fieldname: 'randomised_http_auth' },
  },
} as const
