import type { Doctype } from '../doctype.ts'
import { ActivityType } from './activity.ts'
import { ApiTokenType } from './api-token.ts'
import { BillingProfileType } from './billing-profile.ts'
import { DocShareType } from './doc-share.ts'
import { FileType } from './file.ts'
import { JobType } from './job.ts'
import { MemberInviteType } from './member-invite.ts'
import { OrganizationMemberType } from './organization-member.ts'
import { OrganizationType } from './organization.ts'
import { PlanType } from './plan.ts'
import { platformSettingsDoctype } from './platform-settings.ts'
import { SavedViewType } from './saved-view.ts'
import { ServerType } from './server.ts'
import { SiteQuotaType } from './site-quota.ts'
import { SiteType } from './site.ts'
import { SshKeyType } from './ssh-key.ts'
import { SubscriptionType } from './subscription-organization.ts'
import { UserMetaType } from './user-meta.ts'
import { UserType } from './user.ts'

/** Every doctype of the product, in the order their tables are made. */
export const doctypes: readonly Doctype[] = [
  OrganizationType,
  OrganizationMemberType,
  MemberInviteType,
  UserType,
  UserMetaType,
  SshKeyType,
  ServerType,
  SiteType,
  JobType,
  ActivityType,
  DocShareType,
  FileType,
  PlanType,
  platformSettingsDoctype,
  SiteQuotaType,
  SubscriptionType,
  BillingProfileType,
  ApiTokenType,
  SavedViewType,
]
