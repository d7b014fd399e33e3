/** What the suite expects of connections, and of the same fields on the organization. */

/** Fields that hold credentials and are never returned. */
export const credentialSecrets = [
  'do_token',
  'hcloud_token',
  'aws_access_key',
  'aws_secret_key',
  'wpc_api_key',
  'bucket_access_key',
  'bucket_secret_key',
  'bot_github_token',
  'slack_token',
  'slack_webhook_url',
] as const

/** All fields that hold credentials, as a list in text. */
export const credentialNames = `${credentialSecrets.join(' ')} wpc_client_id bucket_name bucket_region bucket_endpoint bot_github_name bot_github_email bot_github_org_name bot_github_teams slack_channel`

/** How the doctype is tested. */
export const connectionDeclaration = {
  writable: `label is_default bucket_price bucket_price_currency github_webhook_secret ${credentialNames}`,
  ignoredFields: 'status',
  probe: { label: '@unique' },
  drafts: [
    {
      title: 'connection',
      row: 'Connection',
      values: { organization: 'acme', kind: 'Hetzner', hcloud_token: 'draft' },
    },
  ],
}

/** Connections that are not the default: those are the ones the organization's fields are about. */
export const connectionPlans = (['acme', 'globex'] as const).map((organization) => ({
  doctype: 'Connection',
  key: organization,
  row: 'Connection',
  attributes: { organization },
  values: { organization, kind: 'Hetzner', label: '@unique', message: `${organization}-marker` },
}))
