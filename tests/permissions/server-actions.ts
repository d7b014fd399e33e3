/** Actions of a server. */
export const serverActions = {
  'Server.candidates_for_change_owner': {
    row: 'owner transfer (to joined admin), delete org',
    reads: true,
  },
  'Server.confirm_host_key': {
    row: 'server decommission, category, authorized_keys, http-auth reveal, owner, resize, host key',
    complete: { fingerprint: 'SHA256:AAAA' },
  },
  'Server.decommission': {
    row: 'server decommission, category, authorized_keys, http-auth reveal, owner, resize, host key',
  },
  'Server.get_costs': { row: 'server restart, update, sync, logs, graphs', reads: true },
  'Server.get_metrics': { row: 'Server metrics', letter: 'R', reads: true },
  'Server.make_metrics_token': {
    row: 'server decommission, category, authorized_keys, http-auth reveal, owner, resize, host key',
    tokens: false,
  },
  'Server.refresh_facts': { row: 'server restart, update, sync, logs, graphs' },
  'Server.reveal': {
    row: 'server decommission, category, authorized_keys, http-auth reveal, owner, resize, host key',
    reauth: true,
    complete: { fieldname: 'randomised_http_auth' },
  },
} as const
