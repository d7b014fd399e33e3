import { deploymentFieldsWithoutEffect } from './deployments.ts'

/**
 * Fields by doctype whose values are taken from nobody and refused to nobody: roles, billing, status and what the server measures,
 * which clients send back with the documents they read (frappe-wire.md section 5), and fields that no client knows of.
 */
export const fieldsWithoutEffect: Readonly<Record<string, string>> = {
  Organization: `
    access_token_sha256_hash plan server_limit_override site_limit_override site_quota_overrides
    backup_identity slack_cursor`,
  Connection: 'advice advice_i18n checked_at message message_i18n orphans outcome set_at status unknown_archives',
  'Member Invite': 'declined invited_by joined sent signed_up status',
  User: 'email_verified enabled org_sku role_profile_name roles terms_accepted two_factor',
  'SSH Key': 'added fingerprint',
  Server: `
    automatic_updates booted_at checked_at cpu cpu_percent disk disk_free disk_percent docker docker_compose drift easyengine ed_status engine_host first_host_key
    facts firewall failure_reason failure_reason_i18n failure_since kernel left_out_sites load_1 locked_by_job machine_hostname memory_percent metrics_agent metrics_at os pending_updates processor python
    price_currency price_hourly price_monthly provider_id ram security_updates ssh_host_key ssh_private_key status timezone total_swap uptime`,
  Site: `
    admin_password aliases archived_at attention backup_at backup_failed_at backup_proof cloned_from cloud_provider createdby_email debug_until
    deploy_due deployed_at deployed_commit disk_used disk_used_at_least engine_host export_bytes export_expires failure_reason failure_reason_i18n
    failure_since health health_checked_at http_auth_user import_archive import_backup import_defects import_file
    import_report is_found last_answer_at locked_by_job maintenance memory_mb preview_until protections pushed_at
    pushed_from http_auth_password repo_branch repo_path repository response_ms restored_at restored_from restored_kept_size ssl ssl_problem ssl_problem_i18n staging_of status storage suspended_at thumbnail
    thumbnail_problem thumbnail_problem_i18n thumbnail_taken upload_mb uptime_keyword url
    usr_alias_domains wordpress_checksum wordpress_health wordpress_problem wordpress_version`,
  'WPC Site': `
    admin_password atomic_site_id burst checked_at createdby_email defensive_until failure_reason failure_reason_i18n
    failure_since is_ordered locked_by_job memory_mb space_used status usr_alias_domains wordpress_version workers`,
  'Backup Schedule': 'checked_until last_run next_run',
  'Site Backup': `
    chain counts error_message error_message_i18n expires kind locked_by_job needs note opened_by_job opened_until organization php_version pinned proof
    proof_detail proof_seen proved_at remote_path removal_due removal_tries reported_as server sha256 site site_domain site_type size status store stored_size
    taken_at thumbnail wordpress_version`,
  Deployment: deploymentFieldsWithoutEffect,
  'Notification Log': `
    activity body body_i18n created event job organization reference_doctype reference_name severity subject subject_i18n user`,
  'Billing Profile': 'is_tax_id_refused',
  File: 'content_hash file_size file_type organization stored_name',
}
