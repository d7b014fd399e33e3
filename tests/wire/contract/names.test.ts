/** Names that programs of others call: doctypes and fields, actions and methods with their arguments. A change here breaks them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { doctypes } from '#shared/doctypes/registry.ts'
import { openSuiteProduct, type SuiteProduct } from '#tests/permissions/product.ts'
import { createProductDatabase, type TestDatabase } from '#tests/support/database.ts'

const fields: Readonly<Record<string, string>> = {
  Connection:
    'organization kind label is_default status checked_at message slack_token slack_webhook_url slack_channel',
  Server:
    'hostname server_category connection cloud_provider vm_country vm_region vm_type vm_ebs_size public_ipv4 ssh_user ssh_port provider_id price_monthly price_hourly price_currency total_swap',
  Site: 'domain organization server site_type title admin_user admin_email php_version wordpress_version status health wordpress_checksum usr_alias_domains createdby_email favorite disk_used locked_by_job archived_at http_auth_user http_auth_password import_upload',
  Job: 'job_type organization reference_doctype reference_name status percent steps attempt error_code error_message next_action result',
  Activity:
    'organization actor on_behalf_of action reference_doctype reference_name before after result took_ms via ip previous_hash hash',
  'Payment Method': 'organization brand last4 exp_month exp_year is_default',
  Invoice: 'organization number date period_start period_end plan total currency status',
  'WPC Site': 'domain connection data_center geo_affinity php_version space_quota admin_user admin_email',
  'Site Backup': 'site kind status proof proof_detail size stored_size store note pinned expires error_message',
  Deployment: 'organization site commit branch author status files_changed job',
  'Notification Log': 'user subject body event reference_doctype reference_name severity read created',
  'Backup Schedule':
    'organization site every at time_zone spread window_from window_until per_server store keep_hourly keep_daily keep_weekly keep_monthly keep_yearly enabled',
}

const statuses: Readonly<Record<string, string>> = {
  Site: 'Setting Up, Live, Updating, Restoring, Suspended, Failed, Archiving, Archived',
  Server:
    'Provisioning, Setting Up, Rebooting, Healthy, Degraded, Disconnected, Failed, Decommissioning, Decommissioned',
  Job: 'Queued, Running, Cancelling, Done, Failed, Cancelled, Lost Contact',
  'Site Backup': 'Queued, Running, Ready, Failed, Restoring, Expired',
  Connection: 'Connected, Failed, Not Tested',
  Invoice: 'Paid, Open, Overdue, Void',
}

/** Arguments after the name; `confirm_name` may also be sent under the name of the field that is typed. */
const actions: Readonly<Record<string, readonly string[]>> = {
  Connection: ['test'],
  'Payment Method': ['set_default', 'remove'],
  Organization: ['list_invitations'],
  Server: [
    ...['reboot', 'resize vm_type', 'snapshot label', 'resync', 'upgrade_easyengine', 'set_timezone timezone'],
    ...['set_swap megabytes', 'set_automatic_updates enabled', 'firewall enabled allow block', 'decommission'],
    ...['confirm_host_key fingerprint', 'make_metrics_token'],
  ],
  Site: [
    ...['set_php_version php_version', 'set_limits memory_mb upload_mb', 'set_debug enabled hours', 'set_title title'],
    ...['set_http_auth enabled', 'set_aliases domains mode', 'change_domain domain dry_run', 'flush_cache'],
    ...['maintenance enabled', 'verify_checksum', 'backup note pinned', 'clone server domain', 'create_staging'],
    ...['push_staging what dry_run', 'export_site', 'suspend', 'resume', 'reveal fieldname'],
    ...['list_plugins', 'set_plugin plugin do', 'list_themes', 'set_theme theme do', 'list_users', 'login_link user'],
    ...['connect_repository repository branch path', 'disconnect_repository', 'deploy commit', 'roll_back deployment'],
    ...['set_core version', 'list_cron', 'run_cron hook', 'site_health'],
  ],
  'WPC Site': [
    ...['set_php_version value', 'set_memory value', 'set_workers value', 'set_burst value', 'set_space value'],
    ...['set_domain value', 'set_aliases value', 'purge_cache', 'set_defensive_mode value', 'backup kind'],
    ...['restore backup', 'suspend', 'resume', 'delete_permanently'],
  ],
  'Site Backup': ['restore what target domain', 'undo_restore', 'prove', 'download_link', 'pin', 'unpin'],
}

const methods: readonly string[] = [
  ...['easydash.api.modules.enabled_modules', 'easydash.api.user.is_verified'],
  ...['switch_organization', 'get_current_user_organization_metadata'].map(
    (name) => `easydash.easydash.doctype.user_meta.user_meta.${name}`,
  ),
  ...[
    'sign_up setup_token',
    'verify_email',
    'resend_verification',
    'check_invitation',
    'accept_invitation',
    'decline_invitation',
  ].map((name) => `easydash.api.account.${name}`),
  'easydash.api.organization.is_slug_available slug',
  ...['easydash.api.site.php.get_versions', 'easydash.api.site.utils.get_github_org_name organization'],
  ...['get_subscription_status', 'get_user_profile'].map(
    (name) => `easydash.easydash.doctype.subscription_organization.subscription_organization.${name}`,
  ),
  ...['get_countries_list', 'create_setup_intent', 'add_payment_method setupIntent', 'set_customer_details'].map(
    (name) => `easydash.api.payment_subscription.${name}`,
  ),
  'easydash.easydash.doctype.server_logs.server_logs.get_job_logs job cursor',
  ...[
    'get_cloud_provider_metadata',
    'get_machine_types cloud_provider region connection',
    'get_metrics server range',
  ].map((name) => `easydash.easydash.doctype.server.server.${name}`),
  ...['checksum site', 'logs site log cursor search level', 'uptime site range'].map(
    (name) => `easydash.api.site.${name}`,
  ),
  'easydash.api.backups.preview_retention site organization time_zone keep_hourly keep_daily keep_weekly keep_monthly keep_yearly',
  ...['change_plan plan when', 'preview_plan plan when', 'undo_plan', 'cancel_plan', 'reactivate_plan', 'refresh'].map(
    (name) => `easydash.api.billing.${name}`,
  ),
]

const choices: Readonly<Record<string, string>> = {
  'Site.set_plugin.do': 'activate deactivate update delete auto_update_on auto_update_off rollback',
  'Site.set_aliases.mode': 'redirect serve',
}

const typeOf = (name: string) => doctypes.find((type) => type.name === name)
const words = (text: string): string[] => text.split(' ')
const missing = (wanted: readonly string[], known: object | undefined): string[] =>
  wanted.filter((name) => !Object.hasOwn(known ?? {}, name))

describe('the contract', () => {
  let database: TestDatabase
  let product: SuiteProduct
  beforeAll(async () => {
    database = await createProductDatabase()
    product = await openSuiteProduct(database.connection)
  })
  afterAll(async () => {
    await product?.close()
    await database?.drop()
  })

  test.each(Object.entries(fields))('%s has its fields', (name, text) => {
    expect(missing(words(text), typeOf(name)?.fields)).toEqual([])
  })

  test.each(Object.entries(statuses))('%s has its states', (name, text) => {
    expect(typeOf(name)?.fields['status']?.options).toEqual(text.split(', '))
  })

  test.each(Object.entries(actions))('%s has its actions', (name, list) => {
    const declared = typeOf(name)?.actions ?? {}
    expect(
      list.map(words).flatMap(([action = '', ...args]) => {
        if (declared[action] === undefined) return [action]
        return missing(args, declared[action].args).map((arg) => `${action} ${arg}`)
      }),
    ).toEqual([])
  })

  test.each(Object.entries(choices))('%s has its values', (path, text) => {
    const [type = '', action = '', arg = ''] = path.split('.')
    expect(typeOf(type)?.actions?.[action]?.args?.[arg]?.options).toEqual(words(text))
  })

  test('every method is there, with its parameters, and none takes the short name of another', async () => {
    const byName = new Map(product.methods.map((method) => [method.name, method]))
    const problems = methods.map(words).flatMap(([name = '', ...params]) => {
      const method = byName.get(name)
      if (!method) return [name]
      return missing(params, method.params).map((param) => `${name} ${param}`)
    })
    expect(problems).toEqual([])
    for (const [name = ''] of methods.map(words)) {
      const short = name.split('.').at(-1) ?? ''
      // A guest is refused or answered, but never told that there is no such method.
      const answers = await Promise.all(
        [name, short].map((one) => product.fastify.inject({ method: 'POST', url: `/api/method/${one}` })),
      )
      expect(new Set(answers.map(({ statusCode }) => statusCode)).size, name).toBe(1)
    }
  })
})
