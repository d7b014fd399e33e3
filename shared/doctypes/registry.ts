import type { Doc, Doctype } from '../doctype.ts'
import { ActivityDoctype } from './activity.ts'
import { AlertRuleDoctype } from './alert-rule.ts'
import { ApiTokenDoctype } from './api-token.ts'
import { BackupScheduleDoctype } from './backup-schedule.ts'
import { BillingProfileDoctype } from './billing-profile.ts'
import { BulkRunDoctype } from './bulk-run.ts'
import { ConnectionDoctype } from './connection.ts'
import { DeploymentDoctype } from './deployment.ts'
import { DocShareDoctype } from './doc-share.ts'
import { FileDoctype } from './file.ts'
import { InvoiceDoctype } from './invoice.ts'
import { JobDoctype } from './job.ts'
import { MemberInviteDoctype } from './member-invite.ts'
import { NotificationLogDoctype } from './notification-log.ts'
import { OrganizationMemberDoctype } from './organization-member.ts'
import { OrganizationDoctype } from './organization.ts'
import { PaymentMethodDoctype } from './payment-method.ts'
import { PlanDoctype } from './plan.ts'
import { PlatformSettingsDoctype } from './platform-settings.ts'
import { SavedViewDoctype } from './saved-view.ts'
import { ServerDoctype } from './server.ts'
import { SiteBackupDoctype } from './site-backup.ts'
import { SiteQuotaDoctype } from './site-quota.ts'
import { SiteDoctype } from './site.ts'
import { SshKeyDoctype } from './ssh-key.ts'
import { SubscriptionDoctype } from './subscription-organization.ts'
import { UserMetaDoctype } from './user-meta.ts'
import { UserDoctype } from './user.ts'
import { WpcSiteDoctype } from './wpc-site.ts'

const all = [
  OrganizationDoctype,
  OrganizationMemberDoctype,
  MemberInviteDoctype,
  UserDoctype,
  UserMetaDoctype,
  SshKeyDoctype,
  ConnectionDoctype,
  ServerDoctype,
  SiteDoctype,
  WpcSiteDoctype,
  SiteBackupDoctype,
  DeploymentDoctype,
  BackupScheduleDoctype,
  JobDoctype,
  BulkRunDoctype,
  ActivityDoctype,
  DocShareDoctype,
  FileDoctype,
  PlanDoctype,
  PlatformSettingsDoctype,
  SiteQuotaDoctype,
  SubscriptionDoctype,
  BillingProfileDoctype,
  PaymentMethodDoctype,
  InvoiceDoctype,
  ApiTokenDoctype,
  SavedViewDoctype,
  NotificationLogDoctype,
  AlertRuleDoctype,
] as const

/** Every doctype of the product, in the order its tables are created. */
export const doctypes: readonly Doctype[] = all

type Documents = { [D in (typeof all)[number] as D['name']]: Doc<D> }

/** Name of a doctype in the API. */
export type DoctypeName = keyof Documents

/** A document of the doctype with this name, e.g. `DocumentOf<'Site'>`. Imported as a type only, it adds no page weight. */
export type DocumentOf<D extends DoctypeName> = Documents[D]
