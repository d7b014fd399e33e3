import type { Doctype } from '../doctype.ts'
import { ActivityDoctype } from './activity.ts'
import { ApiTokenDoctype } from './api-token.ts'
import { BillingProfileDoctype } from './billing-profile.ts'
import { BulkRunDoctype } from './bulk-run.ts'
import { DocShareDoctype } from './doc-share.ts'
import { FileDoctype } from './file.ts'
import { JobDoctype } from './job.ts'
import { MemberInviteDoctype } from './member-invite.ts'
import { OrganizationMemberDoctype } from './organization-member.ts'
import { OrganizationDoctype } from './organization.ts'
import { PlanDoctype } from './plan.ts'
import { PlatformSettingsDoctype } from './platform-settings.ts'
import { SavedViewDoctype } from './saved-view.ts'
import { ServerDoctype } from './server.ts'
import { SiteQuotaDoctype } from './site-quota.ts'
import { SiteDoctype } from './site.ts'
import { SshKeyDoctype } from './ssh-key.ts'
import { SubscriptionDoctype } from './subscription-organization.ts'
import { UserMetaDoctype } from './user-meta.ts'
import { UserDoctype } from './user.ts'

/** Every doctype of the product, in the order its tables are created. */
export const doctypes: readonly Doctype[] = [
  OrganizationDoctype,
  OrganizationMemberDoctype,
  MemberInviteDoctype,
  UserDoctype,
  UserMetaDoctype,
  SshKeyDoctype,
  ServerDoctype,
  SiteDoctype,
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
  ApiTokenDoctype,
  SavedViewDoctype,
]
